/** The network to an engine on another machine is cut, in each phase of a run. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realHost } from '../../src/host.ts';
import { during, type Project, type Run, slicesOf, told } from '../integration/bench.ts';
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

/** A run of some fresh starts, on the engine over there. */
export const bench = ({ project, way, out }: WayWorld, runtimes: string, starts = 3, ...flags: string[]) =>
  project.bench(
    out,
    ...['--engine', way.url, '--runtimes', runtimes, '--instances', String(starts), '--load', 'vus(2, 5s)'],
    ...flags,
  );

async function comeTo(stage: Stage, world: WayWorld): Promise<Run> {
  const file = join(world.project.folder, world.out, 'results.json');
  if (stage === 'build') {
    const run = bench(world, `faulty,unbuildable[seconds=${BUILD_SECONDS}]`);
    await during(run, () => existsSync(file));
    await realHost.sleep(2000);
    return run;
  }
  const run = bench(world, 'faulty');
  if (stage === 'load') {
    await told(run, 'instance 2/3: paths');
    await realHost.sleep(500);
    return run;
  }
  // It is written for the last time before anything is cleaned up.
  const isComplete = () => JSON.parse(readFileSync(file, 'utf8')).run.stopped === null;
  await during(run, () => existsSync(file) && isComplete());
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
    const { project, way, out } = world;
    const run = await comeTo(stage, world);
    way.cut();
    const { code, stdout, stderr } = await run.done;
    const slices = slicesOf(project.results(out), 'faulty@8.4').filter(({ outcome }) => outcome === 'ok');
    expect(slices.map(({ instance }) => instance)).toEqual(KEPT[stage].instances);
    return { code, printed: stderr + stdout } satisfies Seen;
  },
});

export const connectionFaults: readonly Fault<WayWorld>[] = [cut('build'), cut('load'), cut('clean-up')];
