// Faults of the engine: it is stopped, killed and filled while a run goes on.
import { beforeEach, describe, expect, it } from 'vitest';
import { leftovers } from '../integration/bench.ts';
import { type OwnEngine, quietly, whyNoEngine } from './engine.ts';
import { engineFaults, expectAfter } from './engines.ts';
import { expectSeen } from './fault.ts';
import { K6, openSuite, PHP } from './suite.ts';

const why = whyNoEngine();

describe.skipIf(why !== null)(`an engine of its own${why ? `: ${why}` : ''}`, () => {
  const suite = openSuite([K6, PHP]);
  beforeEach(async () => {
    if (!quietly('docker', ['version'])) await suite.engine?.start();
  });

  it.each(engineFaults.map((fault, i) => ({ ...fault, out: `engine-${i}` })))('$what', async (fault) => {
    const world = { project: suite.project, engine: suite.engine as OwnEngine, out: fault.out };
    expectSeen(fault, await fault.inject(world));
    await expectAfter(world);
  });

  it('the run after all of these is as if nothing had been', async () => {
    const run = suite.project.bench('next', '--runtimes', 'faulty');
    expect(await run.done).toMatchObject({ code: 0 });
    expect(await leftovers()).toEqual([]);
  });
});
