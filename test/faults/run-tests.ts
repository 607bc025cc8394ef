/** Faults in a run, for real: each is reported, loses nothing that was finished, and leaves nothing behind. */
import { afterEach, expect, it } from 'vitest';
import { leftovers, type Run } from '../integration/bench.ts';
import { expectClean, expectSeen, type Fault } from './fault.ts';
import type { RunWorld } from './runs.ts';
import { K6, openSuite, PHP } from './suite.ts';

/** Tests of faults that share an engine. */
export function testRunFaults(faults: readonly Fault<RunWorld>[]): void {
  const suite = openSuite([K6, PHP]);
  let running: Run | null = null;

  // These checks follow every run, however it ended.
  afterEach(async () => {
    // One that a failed test has left to itself.
    running?.kill('SIGTERM');
    await running?.done;
    expect(await leftovers()).toEqual([]);
    await expectClean(suite.project);
  });

  it.for(faults.map((fault, i) => ({ ...fault, out: `run-${i}` })))('$what', async (given, { skip }) => {
    const { out, ...fault } = given;
    const why = fault.whyNot?.() ?? null;
    if (why !== null) skip(why);
    const { project } = suite;
    const bench = (...flags: string[]) => {
      running = project.bench(out, ...flags);
      return running;
    };
    const inShell = (shell: string, ...flags: string[]) => {
      running = project.benchInShell(shell, out, ...flags);
      return running;
    };
    expectSeen(fault, await fault.inject({ project, out, bench, inShell }));
  });
}
