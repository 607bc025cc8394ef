/** The network to an engine on another machine is cut, in each phase of a run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realHost } from '../../src/host.ts';
import { during, type Project, type Run, slicesOf, told } from '../integration/bench.ts';
import { benchBehind, PAUSE, whilePaused } from '../integration/client.ts';
import type { Fault, Seen } from './fault.ts';
import type { SshWay } from './ssh.ts';

export interface WayWorld {
  project: Project;
  way: SshWay;
  out: string;
}

type Stage = 'build' | 'load' | 'clean-up';

/** How long a build sleeps that does not end by itself; no other test has this number. */
export const BUILD_SECONDS = 3577;

const flagsFor = ({ url }: SshWay, runtimes: string, starts = 3) => [
  ...['--engine', url, '--runtimes', runtimes, '--instances', String(starts), '--load', 'const(20, 5s)'],
];

/** A run of some fresh starts, on the engine over there. */
export const bench = ({ project, way, out }: WayWorld, runtimes: string, starts = 3, ...flags: string[]) =>
  project.bench(out, ...flagsFor(way, runtimes, starts), ...flags);

/** Starts a run, and cuts the network once that has come so far. */
async function cutIn(stage: Stage, world: WayWorld): Promise<Run> {
  const { project, way, out } = world;
  const file = join(project.folder, out, 'results.json');
  if (stage === 'clean-up') {
    // Results are written for the last time before anything is cleaned up.
    const isComplete = `grep -q '"stopped":null' ${file} 2>/dev/null`;
    const run = benchBehind(project, `if ${isComplete}; then ${PAUSE}; fi`, out, ...flagsFor(way, 'faulty'));
    await whilePaused(run, way.cut);
    return run;
  }
  const run = bench(world, stage === 'load' ? 'faulty' : `faulty,unbuildable[seconds=${BUILD_SECONDS}]`);
  if (stage === 'load') await told(run, 'instance 2/3: paths');
  else await during(run, () => existsSync(file));
  await realHost.sleep(stage === 'load' ? 500 : 2000);
  way.cut();
  return run;
}

const KEPT: Readonly<Record<Stage, { text: string; instances: number[] }>> = {
  build: { text: 'there was nothing yet', instances: [] },
  load: { text: 'all slices before', instances: [0] },
  'clean-up': { text: 'everything', instances: [0, 1, 2] },
};

const cut = (stage: Stage): Fault<WayWorld> => ({
  what: `the network to the engine is cut in the ${stage}`,
  message: 'the connection to the Docker engine was lost…container rm --force --volumes',
  // The clean-up comes before the end.
  ...(stage === 'clean-up' && {
    or: 'container rm --force --volumes…the connection to the Docker engine was lost',
  }),
  exitCode: 4,
  kept: KEPT[stage].text,
  left: 'what ran there, until the next run there or the printed command removes it',
  async inject(world) {
    const run = await cutIn(stage, world);
    const { code, stdout, stderr } = await run.done;
    const slices = slicesOf(world.project.results(world.out), 'faulty@8.4').filter(
      ({ outcome }) => outcome === 'ok',
    );
    expect(slices.map(({ instance }) => instance)).toEqual(KEPT[stage].instances);
    return { code, printed: stderr + stdout } satisfies Seen;
  },
});

export const connectionFaults: readonly Fault<WayWorld>[] = [cut('build'), cut('load'), cut('clean-up')];
