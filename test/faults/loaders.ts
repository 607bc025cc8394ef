/** One of two engines that make the load, both reached over ssh, is lost in mid-run. */
import { expect } from 'vitest';
import { nameEngine } from '../../src/config/engine-key.ts';
import { realHost } from '../../src/host.ts';
import { type Project, slicesOf, told } from '../integration/bench.ts';
import type { OwnEngine } from './engine.ts';
import type { Fault, Seen } from './fault.ts';
import type { SshWay } from './ssh.ts';

export interface LoaderWorld {
  project: Project;
  servers: OwnEngine;
  loaders: readonly { engine: OwnEngine; way: SshWay }[];
  out: string;
}

const bench = ({ project, servers, loaders, out }: LoaderWorld) =>
  project.bench(
    out,
    ...['--engine', servers.host, '--load-address', '10.77.0.1', '--wait'],
    ...['--load-engines', loaders.map(({ way }) => way.url).join(',')],
    ...['--runtimes', 'faulty', '--instances', '3', '--load', 'vus(2, 2s)', '--timeout', '5s'],
  );

const left = ({ docker }: OwnEngine) => docker('container', 'ls', '--all', '--quiet').trim();

const lost = (
  what: string,
  message: string,
  index: number,
  lose: (loader: { engine: OwnEngine; way: SshWay }) => void,
): Fault<LoaderWorld> => ({
  what,
  message,
  exitCode: 4,
  kept: 'all slices before',
  left: 'what ran on that engine, until the next run there or the printed command removes it',
  async inject(world) {
    const { project, servers, loaders, out } = world;
    const run = bench(world);
    await told(run, 'instance 2/3: paths');
    await realHost.sleep(500);
    const one = loaders[index] as (typeof loaders)[number];
    lose(one);
    const { code, stdout, stderr } = await run.done;
    const slices = slicesOf(project.results(out), 'faulty@8.4').filter(({ outcome }) => outcome === 'ok');
    expect(
      slices.map(({ instance }) => instance),
      stderr,
    ).toEqual([0]);
    const machines = slices[0]?.generator.machines ?? [];
    expect(machines.map(({ name, requests }) => [name, requests > 0])).toEqual(
      loaders.map(({ way }) => [nameEngine(way.url), true]),
    );
    // The reason has its name, and so has the command for what is left there.
    // A lost connection names the user of ssh, too.
    expect(stderr).toMatch(new RegExp(`found: +(${nameEngine(one.way.url)}|${one.way.url}): `));
    expect(stderr).toContain(`docker --host ${one.way.url} container ls`);
    const others = loaders.filter((loader) => loader !== one);
    expect([servers, ...others.map(({ engine }) => engine)].map(left)).toEqual(['', '']);
    return { code, printed: stderr + stdout } satisfies Seen;
  },
});

export const loaderFaults: readonly Fault<LoaderWorld>[] = [
  lost(
    'Docker on one of the load engines is killed in the load',
    'a load engine stopped answering…results so far are kept…container rm --force --volumes',
    0,
    ({ engine }) => engine.signal('SIGKILL'),
  ),
  lost(
    'the network to one of the load engines is cut in the load',
    'the connection to the Docker engine was lost…results so far are kept…container rm --force --volumes',
    1,
    ({ way }) => way.cut(),
  ),
];
