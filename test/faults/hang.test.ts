// An engine that hangs.
import { describe, it } from 'vitest';
import { type OwnEngine, whyNoEngine } from './engine.ts';
import { expectAfter, hanging } from './engines.ts';
import { expectSeen } from './fault.ts';
import { K6, openSuite, PHP } from './suite.ts';

const why = whyNoEngine();

describe.skipIf(why !== null)(`an engine of its own${why ? `: ${why}` : ''}`, () => {
  const suite = openSuite([K6, PHP]);
  it.each(hanging.map((fault, i) => ({ ...fault, out: `hang-${i}` })))('$what', async (fault) => {
    const world = { project: suite.project, engine: suite.engine as OwnEngine, out: fault.out };
    expectSeen(fault, await fault.inject(world));
    await expectAfter(world);
  });
});
