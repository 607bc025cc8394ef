// Faults of a database, for real.
import { beforeAll, describe, expect, it } from 'vitest';
import { leftovers } from '../integration/bench.ts';
import { expectClean, expectSeen } from './fault.ts';
import { serviceFaults, whyNoServices, writeServices } from './services.ts';
import { openSuite } from './suite.ts';

const why = await whyNoServices();

describe.skipIf(why !== null)(`services${why ? `: ${why}` : ''}`, () => {
  const suite = openSuite(null);
  beforeAll(() => writeServices(suite.project));

  it.each(serviceFaults.map((fault, i) => ({ ...fault, out: `service-${i}` })))('$what', async (fault) => {
    const { project } = suite;
    expectSeen(fault, await fault.inject({ project, out: fault.out }));
    expect(await leftovers()).toEqual([]);
    await expectClean(project);
  });
});
