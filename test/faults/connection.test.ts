// An engine on another machine, as far as one machine has two: it is reached over ssh alone, and the network can be cut.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { realHost } from '../../src/host.ts';
import { leftovers } from '../integration/bench.ts';
import { BUILD_SECONDS, bench, connectionFaults } from './connection.ts';
import { quietly, TCP_PORT } from './engine.ts';
import { expectClean, expectSeen } from './fault.ts';
import { openWay, type SshWay, whyNoSsh } from './ssh.ts';
import { K6, openSuite, PHP } from './suite.ts';

const why = whyNoSsh();

describe.skipIf(why !== null)(`an engine over ssh${why ? `: ${why}` : ''}`, () => {
  const suite = openSuite([K6, PHP]);
  let way: SshWay;
  const { PATH } = process.env;
  const world = (out: string) => ({ project: suite.project, way, out });

  beforeAll(async () => {
    if (!suite.engine) throw new Error('no engine');
    way = await openWay(suite.engine);
    process.env.PATH = `${way.bin}:${PATH}`;
  });
  afterAll(async () => {
    process.env.PATH = PATH;
    await way?.remove();
  });
  afterEach(() => way.join());

  it('a run over ssh measures as any other, through one connection', async () => {
    const before = way.logins();
    const services = join(suite.project.folder, 'services.yml');
    writeFileSync(
      services,
      `services: { idle: { image: '${PHP}', command: [sh, -c, 'cat /own; echo; exec sleep 1000'], configs: [own] } }
configs: { own: { content: from here } }\n`,
    );
    const run = bench(world('run'), 'faulty', 3, '--services', services);
    expect(await run.done).toMatchObject({ code: 0 });
    const { run: facts, measurements } = suite.project.results('run');
    expect(facts.stopped).toBeNull();
    expect(measurements.map(({ outcome, cpu }) => [outcome, cpu !== null])).toEqual(
      Array.from({ length: 3 }, () => ['ok', true]),
    );
    const log = join(suite.project.folder, 'run/raw/services/idle.log');
    expect(readFileSync(log, 'utf8')).toContain('from here');
    // One is the master; more only where a server allows fewer sessions at once than docker has.
    expect(way.logins() - before).toBeLessThan(10);
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    ['DOCKER_HOST', () => `export DOCKER_HOST=${way.url}`, []],
    [
      'a context',
      () => `unset DOCKER_HOST && docker context create box --docker host=${way.url} >contexts/created`,
      ['--engine', 'box'],
    ],
  ])('so does one on the engine that %s names', async (_, name, flags) => {
    suite.project.write({ 'contexts/created': '' });
    const script = `export DOCKER_CONFIG=$PWD/contexts && ${name()} && exec "$@"`;
    const before = way.logins();
    const run = suite.project.benchInShell(script, 'named', '--runtimes', 'faulty', ...flags);
    expect(await run.done, run.stderr).toMatchObject({ code: 0 });
    expect(way.logins()).toBeGreaterThan(before);
    const [slice] = suite.project.results('named').measurements;
    expect([slice?.outcome, slice?.cpu === null]).toEqual(['ok', false]);
    expect(await leftovers()).toEqual([]);
  });

  it.each(connectionFaults.map((fault, i) => ({ ...fault, out: `cut-${i}` })))('$what', async (fault) => {
    const { project } = suite;
    const seen = await fault.inject(world(fault.out));
    expectSeen(fault, seen);
    await expectClean(project);
    way.join();
    if (fault.what.endsWith('load')) {
      const commands = seen.printed.match(/docker --host .*\| xargs .*/g) ?? [];
      expect(commands).toHaveLength(3);
      await realHost.exec('sh', ['-c', commands.join('\n')]);
      expect(await leftovers()).toEqual([]);
    }
    // The build over there ends with its client.
    const isBuilding = () => quietly('pgrep', ['--full', '--exact', `sleep ${BUILD_SECONDS}`]);
    await expect.poll(isBuilding, { timeout: 120_000, interval: 1000 }).toBe(false);
    // A run that waits for the lost run's arena removes the rest of it.
    const next = bench(world(`${fault.out}-next`), 'faulty', 1, '--wait');
    expect(await next.done).toMatchObject({ code: 0 });
    expect(await leftovers()).toEqual([]);
  });

  it('an unknown context is refused with those that there are', async () => {
    const { code, stderr } = await suite.project.cli(['run', '--engine', 'nowhere']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/no such Docker context(?:.|\n)*allowed: .*default/),
    ]);
  });

  it('so is one that the environment names, which docker itself would list', async () => {
    const env = { DOCKER_CONTEXT: 'nowhere', DOCKER_HOST: undefined };
    const { code, stderr } = await suite.project.cli(['run'], { env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/no such Docker context(?:.|\n)*allowed: default,/),
    ]);
  });

  const bound = () => {
    const services = join(suite.project.folder, 'bound.yml');
    const command = "command: [sh, -c, 'cat /app.sql; exec sleep 1000']";
    const volumes = "volumes: ['./files/app.sql:/app.sql']";
    suite.project.write({
      'bound.yml': `services: { idle: { image: '${PHP}', ${command}, ${volumes} } }\n`,
      'files/app.sql': 'of this machine\n',
    });
    return ['--runtimes', 'faulty', '--services', services];
  };

  it('over TCP on this machine, a service gets a file of it', async () => {
    const engine = `tcp://${way.address}:${TCP_PORT}`;
    const { code, stdout, stderr } = await suite.project.bench('tcp', '--engine', engine, ...bound()).done;
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    const log = join(suite.project.folder, 'tcp/raw/services/idle.log');
    expect(readFileSync(log, 'utf8')).toContain('of this machine');
    expect(await leftovers()).toEqual([]);
    expect(suite.project.temporaryFiles()).toEqual([]);
  });

  it('so is a service that wants a file that the engine does not see: Docker would make an empty folder of it', async () => {
    const flags = ['--engine', way.url, ...bound()];
    // The run alone sees this file, as if it were on another machine.
    rmSync(join(suite.project.folder, 'files/app.sql'));
    const hide = 'mount -t tmpfs none files && echo here >files/app.sql';
    const apart = `exec unshare --mount sh -c '${hide} && exec "$@"' sh "$@"`;
    const { code, stderr } = await suite.project.benchInShell(apart, 'bound', ...flags).done;
    expect(await leftovers()).toEqual([]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/does not have this file\n.*idle: volumes: .*app\.sql/),
    ]);
  });

  it('cold starts are refused: they would be timed with the connection', async () => {
    const run = bench(world('cold'), 'faulty', 1, '--cold-start');
    const { code, stderr } = await run.done;
    expect([code, stderr]).toEqual([2, expect.stringContaining('cold-start: does not work')]);
  });
});
