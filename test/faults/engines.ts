/** Faults of the engine itself, which is one of the test's own. */
import { expect } from 'vitest';
import { type Project, type Run, slicesOf, told } from '../integration/bench.ts';
import type { OwnEngine } from './engine.ts';
import type { Fault } from './fault.ts';

export interface EngineWorld {
  project: Project;
  engine: OwnEngine;
  out: string;
  /** Starts a run of three fresh starts on the engine. */
  bench(): Run;
}

const stopped = (what: string, signal: 'SIGTERM' | 'SIGKILL'): Fault<EngineWorld> => ({
  what,
  message: 'the Docker engine…what was measured is kept',
  exitCode: 4,
  kept: 'all slices before',
  left: 'nothing; what a killed engine keeps running, the next run removes',
  async inject({ project, engine, out, bench }) {
    const run = bench();
    await told(run, 'instance 2/3: paths');
    engine.signal(signal);
    await engine.gone();
    const { code, stdout, stderr } = await run.done;
    const slices = slicesOf(project.results(out), 'faulty@8.4');
    expect(slices.filter(({ outcome }) => outcome === 'ok').map(({ instance }) => instance)).toEqual([0]);
    return { code, printed: stderr + stdout };
  },
});

export const engineFaults: readonly Fault<EngineWorld>[] = [
  stopped('the engine is stopped in the load (SIGTERM)', 'SIGTERM'),
  stopped('the engine is killed in the load (SIGKILL)', 'SIGKILL'),
];
