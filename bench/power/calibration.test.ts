import { describe, expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { calibrate, injectedBy, iterationsFor } from './calibration.ts';
import { armsOf } from './record.ts';

/** A request of 1 ms, and 0.5 ms of extra work by 10,000 iterations, so 50 ns each. */
const arms = (instances: number) =>
  armsOf(
    makeResults({
      servers: [{ id: 'head', rps: 600, cpuMs: 1.5, instanceSd: 0.01, base: { cpuMs: 1, rps: 900 } }],
      instances,
    }),
  );

describe('a calibration', () => {
  test('finds CPU per iteration, and how many add a share', () => {
    const found = calibrate(arms(8), 10_000, '');
    expect(found.instances).toBe(8);
    expect(found.iterationUs.low).toBeLessThan(0.05);
    expect(found.iterationUs.high).toBeGreaterThan(0.05);
    expect(found.iterationUs.value).toBeCloseTo(0.05, 2);
    const iterations = iterationsFor(0.02, found);
    expect(iterations).toBeGreaterThan(380);
    expect(iterations).toBeLessThan(420);
    const { us, share } = injectedBy(iterations, found);
    expect(us.value / found.baseUs.value).toBeCloseTo(0.02, 4);
    expect(share.value).toBeCloseTo(0.02, 4);
    expect(share.low).toBeLessThan(share.value);
    expect(share.high).toBeGreaterThan(share.value);
  });

  test('refuses too few instances', () => {
    expect(() => calibrate(arms(2), 10_000, '')).toThrow('only 2 pairs');
  });
});
