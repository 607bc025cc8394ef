import { expect, test } from 'vitest';
import { scenario } from '../../../test/fixtures/search.ts';
import { planProbe } from '../../plan/timeline/capacity-plan.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Latency, Measurement } from '../../results/results.ts';
import { findSeed } from './capacity-search.ts';

const measured = (more: object, latency: Partial<Latency>) =>
  ({
    ...{ outcome: 'ok', requests: 4000, iterations: 1000, achievedRps: 200 },
    ...{ steps: [{ latency }], ...more },
  }) as unknown as Measurement;

test('a search has clients enough for a journey with one slow request', () => {
  // Three of 5 ms and one of a second.
  const seed = findSeed([measured({}, { p50Ms: 5, avgMs: 255 })]);
  expect(seed).toEqual({ rps: 200, typicalMs: 5, meanMs: 255, perIteration: 4 });
  if (!seed) throw new Error('no seed');
  const variant = { id: 'v', options: {}, runtime: {} } as unknown as PlannedVariant;
  const [step] = planProbe(scenario, variant, 200, seed, 0).slices[0]?.steps ?? [];
  expect(step?.rps).toBe(50);
  // Fifty iterations begin each second, and each takes 1,015 ms.
  expect(step?.vus).toBeGreaterThan(2 * 50 * 1.015);
});

test('a search begins with the times of the slice that waited least, and with none where nothing was measured', () => {
  const slices = [
    measured({ achievedRps: 100 }, { p50Ms: 9, avgMs: 12 }),
    measured({}, { p50Ms: 8, avgMs: 14 }),
  ];
  expect(findSeed(slices)).toEqual({ rps: 150, typicalMs: 8, meanMs: 12, perIteration: 4 });
  expect(findSeed([])).toBeNull();
  expect(findSeed([measured({ outcome: 'failed' }, { p50Ms: 5, avgMs: 5 })])).toBeNull();
});
