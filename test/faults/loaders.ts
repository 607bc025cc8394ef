/** One of two engines that make the load is lost in mid-run. The first is reached over ssh, the second over TCP. */
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { nameEngine } from '../../src/config/engine-key.ts';
import { realHost } from '../../src/host.ts';
import { ARENA, during, type Project, slicesOf, told } from '../integration/bench.ts';
import { fillDisk, type OwnEngine } from './engine.ts';
import type { Fault, Seen } from './fault.ts';
import type { SshWay } from './ssh.ts';

export interface LoadMachine {
  engine: OwnEngine;
  way: SshWay;
  /** As `load-engines` takes it. */
  url: string;
}

export interface LoaderWorld {
  project: Project;
  servers: OwnEngine;
  loaders: readonly LoadMachine[];
  out: string;
}

const bench = ({ project, servers, loaders, out }: LoaderWorld) =>
  project.bench(
    out,
    ...['--engine', servers.host, '--load-address', '10.77.0.1', '--wait'],
    ...['--load-engines', loaders.map(({ url }) => url).join(',')],
    ...['--runtimes', 'faulty', '--instances', '3', '--load', 'vus(2, 6s)', '--timeout', '5s'],
  );

/** Whether the first server, at port 18080, has a connection that is not from its own engine's arena. */
function isLoaded({ docker }: OwnEngine): boolean {
  const pid = docker('container', 'inspect', '--format', '{{.State.Pid}}', ARENA).trim();
  const lists = ['tcp', 'tcp6'].map((name) => `/proc/${pid}/net/${name}`).filter((path) => existsSync(path));
  return lists.some((path) => /:46A0 (?!\w*0100007F)\w+:\w{4} 01 /.test(readFileSync(path, 'utf8')));
}

const left = ({ docker }: OwnEngine) => docker('container', 'ls', '--all', '--quiet').trim();

/** Makes it as it was. */
type Restore = () => unknown;

interface Loss {
  what: string;
  message: string;
  index: 0 | 1;
  /** The engine answers: what ran there is removed as ever. Else the commands for that are printed. */
  answers?: true;
  lose(machine: LoadMachine): Restore;
}

const lost = ({ what, message, index, answers, lose }: Loss): Fault<LoaderWorld> => ({
  what,
  message: `${message}…results so far are kept${answers ? '' : '…container rm --force --volumes'}`,
  ...{ exitCode: 4, kept: 'all slices before' },
  ...(!answers && {
    left: 'what ran on that engine, until the next run there or the printed command removes it',
  }),
  async inject(world) {
    const { project, servers, loaders, out } = world;
    const run = bench(world);
    await told(run, 'instance 2/3: paths');
    // k6 on all engines waits for a common start, so the line above comes seconds before the load.
    await during(run, () => isLoaded(servers));
    await realHost.sleep(500);
    const one = loaders[index] as LoadMachine;
    const restore = lose(one);
    const { code, stdout, stderr } = await run.done;
    await restore();
    // On a busy machine one engine begins the first start late. Its slices are void then, but kept.
    const slices = slicesOf(project.results(out), 'faulty@8.4').filter(
      ({ outcome, reason }) => outcome === 'ok' || /^the load engines began \d+ ms apart/.test(reason ?? ''),
    );
    expect(
      slices.map(({ instance }) => instance),
      stderr,
    ).toEqual([0]);
    const machines = slices[0]?.generator.machines ?? [];
    expect(machines.map(({ name, requests }) => [name, requests > 0])).toEqual(
      loaders.map(({ url }) => [nameEngine(url), true]),
    );
    // The reason has its name, and so have the commands for what is left there.
    // A lost connection names the user of ssh, too.
    expect(stderr).toMatch(new RegExp(`found: +(${nameEngine(one.url)}|${one.url}): `));
    const commands = stderr.match(/docker --host .*\| xargs .*/g) ?? [];
    expect(commands.filter((line) => line.includes(` ${one.url} `))).toHaveLength(answers ? 0 : 3);
    const others = loaders.filter((loader) => loader !== one);
    const empty = [servers, ...others.map(({ engine }) => engine), ...(answers ? [one.engine] : [])];
    expect(empty.map(left)).toEqual(empty.map(() => ''));
    if (commands.length > 0) {
      await realHost.exec('sh', ['-c', commands.join('\n')]);
      expect(left(one.engine)).toBe('');
    }
    return { code, printed: stderr + stdout } satisfies Seen;
  },
});

/** Once it loads, k6 writes over its own files, which takes no more room. */
const full: Fault<LoaderWorld> = {
  what: 'the disk of one of the load engines is full',
  message: 'load-engines: …space left on device',
  ...{ exitCode: 4, kept: 'there was nothing yet' },
  async inject(world) {
    const [, { engine, url }] = world.loaders as readonly [LoadMachine, LoadMachine];
    const empty = await fillDisk(engine);
    const { code, stdout, stderr } = await bench(world).done.finally(empty);
    expect(stderr).toMatch(new RegExp(`found: +${url}: `));
    expect([world.servers, ...world.loaders.map((one) => one.engine)].map(left)).toEqual(['', '', '']);
    return { code, printed: stderr + stdout };
  },
};

export const loaderFaults: readonly Fault<LoaderWorld>[] = [
  lost({
    what: 'Docker on one of the load engines is killed in the load',
    message: 'a load engine stopped answering',
    index: 0,
    lose({ engine }) {
      engine.signal('SIGKILL');
      return () => engine.start();
    },
  }),
  lost({
    what: 'the network to one of the load engines is cut in the load',
    message: 'the connection to the Docker engine was lost',
    index: 0,
    lose({ way }) {
      way.cut();
      return () => way.join();
    },
  }),
  lost({
    what: 'Docker on one of the load engines hangs in the load (SIGSTOP)',
    message: 'a load engine stopped answering',
    index: 0,
    lose({ engine }) {
      engine.signal('SIGSTOP');
      return () => engine.signal('SIGCONT');
    },
  }),
  lost({
    what: 'the container of k6 on one of the load engines is killed in the load',
    message: 'a load engine failed',
    ...{ index: 1, answers: true },
    lose({ engine }) {
      engine.docker('container', 'kill', ARENA);
      return () => {};
    },
  }),
  full,
];
