/** Faults of the engine itself, which is one of the test's own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realHost } from '../../src/host.ts';
import { during, leftovers, type Project, type Run, slicesOf, told } from '../integration/bench.ts';
import { benchBehind, PAUSE, whilePaused } from '../integration/client.ts';
import { fillDisk, type OwnEngine, quietly } from './engine.ts';
import { arenaEnded, beginNext, expectClean, type Fault, type Seen } from './fault.ts';

export interface EngineWorld {
  project: Project;
  engine: OwnEngine;
  out: string;
}

/** A run of three fresh starts. */
const bench = ({ project, out }: EngineWorld, runtimes: string) =>
  project.bench(out, ...['--runtimes', runtimes, '--instances', '3', '--load', 'const(20, 6s)']);

/** Nothing is left: neither here nor, once the next run begins, in the engine. */
export async function expectAfter({ project, engine }: EngineWorld): Promise<void> {
  await expectClean(project);
  if (!quietly('docker', ['version'])) await engine.start();
  // An engine that hung learns only now that the run has ended.
  await arenaEnded();
  await beginNext();
  expect(await leftovers()).toEqual([]);
}

type Stage = 'build' | 'start' | 'load';

/** Starts a run and waits until it has come so far. */
async function comeTo(stage: Stage, world: EngineWorld, buildSeconds = 3600): Promise<Run> {
  const { project, engine, out } = world;
  if (stage === 'build') {
    const run = bench(world, `faulty,unbuildable[seconds=${buildSeconds}]`);
    await during(run, () => existsSync(join(project.folder, out, 'results.json')));
    await realHost.sleep(2000);
    return run;
  }
  const run = bench(world, stage === 'start' ? 'faulty[fault=silent]' : 'faulty');
  if (stage === 'load') await told(run, 'instance 2/3: paths');
  else await during(run, () => /-0-18080$/m.test(engine.docker('ps', '--format', '{{.Names}}')));
  await realHost.sleep(500);
  return run;
}

/** The fresh starts that were measured: the first where the load was reached, or else none. */
function expectKept(stage: Stage, { project, out }: EngineWorld) {
  const slices = slicesOf(project.results(out), 'faulty@8.4').filter(({ outcome }) => outcome === 'ok');
  expect(slices.map(({ instance }) => instance)).toEqual(stage === 'load' ? [0] : []);
}

async function end(run: Run): Promise<Seen> {
  const { code, stdout, stderr } = await run.done;
  return { code, printed: stderr + stdout };
}

const KEPT: Readonly<Record<Stage, string>> = {
  build: 'there was nothing yet',
  start: 'there was nothing yet',
  load: 'all slices before',
};
const NAMES: Readonly<Record<Stage, string>> = {
  build: 'in the build',
  start: 'while a server starts',
  load: 'in the load',
};

const stopped = (stage: Stage, signal: 'SIGTERM' | 'SIGKILL'): Fault<EngineWorld> => ({
  what: `the engine is ${signal === 'SIGTERM' ? 'stopped' : 'killed'} ${NAMES[stage]} (${signal})`,
  message: 'the Docker engine…results so far are kept…container rm --force --volumes',
  exitCode: 4,
  kept: KEPT[stage],
  left: 'nothing; what a killed engine keeps running, the next run or the printed command removes',
  async inject(world) {
    const run = await comeTo(stage, world);
    world.engine.signal(signal);
    await world.engine.gone();
    const seen = await end(run);
    expectKept(stage, world);
    return seen;
  },
});

/** Each takes minutes of waiting, so they have a file and an engine of their own. */
const hangingInLoad: Fault<EngineWorld> = {
  what: 'the engine hangs in the load (SIGSTOP)',
  message: 'the Docker engine…results so far are kept…container rm --force --volumes',
  exitCode: 4,
  kept: KEPT.load,
  left: 'nothing; what a hung engine keeps running, the next run or the printed command removes',
  async inject(world) {
    const run = await comeTo('load', world);
    world.engine.signal('SIGSTOP');
    const seen = await end(run).finally(() => world.engine.signal('SIGCONT'));
    expectKept('load', world);
    return seen;
  },
};

/** It stops the engine when it is asked to run the arena. */
const stopping = ({ pidFile }: OwnEngine) =>
  `case "$*" in 'container run --rm --interactive '*) kill -STOP "$(cat ${pidFile})" ;; esac`;

const hangingAtStart: Fault<EngineWorld> = {
  what: 'the engine hangs as the run begins, after it has answered (SIGSTOP)',
  message: 'the Docker engine stopped answering…container rm --force --volumes',
  or: 'container rm --force --volumes…the Docker engine stopped answering',
  exitCode: 4,
  kept: KEPT.start,
  async inject({ project, engine, out }) {
    const run = benchBehind(project, stopping(engine), out, '--runtimes', 'faulty');
    return await end(run).finally(() => engine.signal('SIGCONT'));
  },
};

export const hanging: readonly Fault<EngineWorld>[] = [hangingAtStart, hangingInLoad];

/** The engine and the programs in its containers spell the first word differently. Its own database may end it. */
const FULL = { message: 'space left on device', or: 'the Docker engine stopped answering' } as const;

const fullInBuild: Fault<EngineWorld> = {
  what: `the disk of the engine is full ${NAMES.build}`,
  ...FULL,
  ...{ exitCode: 4, kept: KEPT.build },
  async inject(world) {
    const run = await comeTo('build', world, 30);
    const empty = await fillDisk(world.engine);
    const seen = await end(run).finally(empty);
    expectKept('build', world);
    return seen;
  },
};

/** Questions that fill more blocks of a disk than those before. */
const LONG_PATHS = [1, 2, 3].map((i) => `/json?n=${i}&fill=${'x'.repeat(1900)}`).join();

/** A client that pauses as k6 gets such input for the nth time. */
const waiting = (input: string, nth: number) => `
case "$*" in 'exec --interactive '*k6' run '*)
  cat >"$0.$$"
  if grep -q ${input} "$0.$$"; then
    echo >>"$0.times"
    if [ "$(wc -l <"$0.times")" -eq ${nth} ]; then ${PAUSE}; fi
  fi
  exec docker "$@" <"$0.$$"
esac`;

/** The disk is full from a moment on that the run alone decides. */
async function fillBefore(input: string, nth: number, world: EngineWorld): Promise<Seen> {
  const { project, engine, out } = world;
  const flags = ['--runtimes', 'faulty', '--instances', '3', '--paths', LONG_PATHS];
  const run = benchBehind(project, waiting(input, nth), out, ...flags);
  const empty = await whilePaused(run, () => fillDisk(engine));
  return end(run).finally(empty);
}

const instancesIn = ({ project, out }: EngineWorld) =>
  slicesOf(project.results(out), 'faulty@8.4').flatMap(({ instance, outcome }) =>
    outcome === 'ok' ? [instance] : [],
  );

const PLAN = 'slices';

const fullInLoad: Fault<EngineWorld> = {
  what: `the disk of the engine is full ${NAMES.load}`,
  ...FULL,
  ...{ exitCode: 4, kept: KEPT.load },
  async inject(world) {
    const seen = await fillBefore(PLAN, 2, world);
    // k6 may find room in what its files had before, so the second may be whole.
    expect(instancesIn(world)).toContain(0);
    return seen;
  },
};

/** What is written then is a few bytes for k6. */
const fullForK6 = (what: string, input: string): Fault<EngineWorld> => ({
  what: `the disk of the engine is full ${what}`,
  message: 'the container that k6 runs in failed…space left on device…results so far are kept',
  ...{ exitCode: 4, kept: KEPT.start },
  async inject(world) {
    const seen = await fillBefore(input, 1, world);
    expect(instancesIn(world)).toEqual([]);
    return seen;
  },
});

export const engineFaults: readonly Fault<EngineWorld>[] = [
  ...(['build', 'start', 'load'] as const).flatMap((stage) => [
    stopped(stage, 'SIGTERM'),
    stopped(stage, 'SIGKILL'),
  ]),
  fullInBuild,
  fullInLoad,
  fullForK6('before answers are checked', '/json'),
  fullForK6('before k6 has its plan', PLAN),
];
