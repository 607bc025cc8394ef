// An engine that hangs.
import { describe, it } from 'vitest';
import { type OwnEngine, whyNoEngine } from './engine.ts';
import { expectAfter, hanging } from './engines.ts';
import { expectSeen } from './fault.ts';
import { K6, openSuite, PHP } from './suite.ts';

const why = whyNoEngine();

describe.skipIf(why !== null)(`an engine of its own${why ? `: ${why}` : ''}`, () => {
  const suite = openSuite([K6, PHP]);
  it(hanging.what, async () => {
    const world = { project: suite.project, engine: suite.engine as OwnEngine, out: 'hang' };
    expectSeen(hanging, await hanging.inject(world));
    await expectAfter(world);
  });
});
