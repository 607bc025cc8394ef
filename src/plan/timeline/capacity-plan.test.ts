import { describe, expect, test } from 'vitest';
import { appOf } from '../../../test/fixtures/app.ts';
import { runtimeOf, SETTINGS, scenarioOf } from '../../../test/fixtures/plan.ts';
import type { Config, Scenario } from '../../config/types.ts';
import { makeK6Plan } from '../../run/load/k6.ts';
import { describeEffort } from '../effort.ts';
import { plan } from '../plan.ts';
import type { PlannedVariant } from '../variants.ts';
import { PROBE_MS, planProbe } from './capacity-plan.ts';

const runtime = runtimeOf('apache');
const scenario = scenarioOf('quick', 'vus(8, 1s)', { timeoutMs: 2000, warmupMs: 0 });
const config: Config = {
  ...SETTINGS,
  apps: [appOf('plain', '/app', '.')],
  runtimes: [4, 8].map((workers) => ({ runtime, set: { workers } })),
  scenarios: [scenario, { ...scenario, name: 'slow', timeoutMs: 10_000 }],
  instances: 4,
  capacity: true,
};
const cpus = [0, 1].map((cpu) => ({ cpu, core: cpu }));

describe('what a search may take', () => {
  const { capacity: _, ...without } = config;

  test('is known before it starts', () => {
    const planned = plan(config, cpus);
    // 12 of 5 s and 0.4 s around each, and as long as an answer may take.
    const atMostMs = 2 * 12 * (5400 + 2000 + 5400 + 10_000);
    expect(planned.searches).toEqual({ searches: 4, probes: 12, probeMs: PROBE_MS, atMostMs });
    const more = planned.estimatedSeconds - plan(without, cpus).estimatedSeconds;
    expect(Math.abs(more - atMostMs / 1000)).toBeLessThan(1);
    expect(planned.instances).toEqual(plan(without, cpus).instances);
    expect(describeEffort(planned)).toContain(
      'capacity: 4 × at most 12 rates of 5 s each, at most 9 min 8 s of that time',
    );
    expect(describeEffort(plan(without, cpus)).join()).not.toContain('capacity');
  });

  test('is a part of the budget', () => {
    const { instances: __, ...open } = config;
    expect(() => plan({ ...open, budgetMs: 500_000 }, cpus)).toThrow('too small');
    const planned = plan({ ...open, budgetMs: 700_000 }, cpus);
    expect(planned.estimatedSeconds).toBeLessThanOrEqual(700);
    expect(planned.searches?.searches).toBe(4);
  });

  test('is refused for a load that a script brings itself', () => {
    const own: Scenario = { ...scenario, load: null, journey: { kind: 'script', name: 'x', file: '/x.js' } };
    expect(() => plan({ ...config, scenarios: [own] }, cpus)).toThrow('does not work with a load');
  });
});

describe('a probe', () => {
  const variant = (more: Partial<PlannedVariant> = {}): PlannedVariant =>
    ({ id: 'v', runtime, options: { workers: 16 }, ...more }) as PlannedVariant;
  const vus = (of: Partial<Scenario>, who: PlannedVariant, rps: number, meanMs: number, perIteration = 1) =>
    planProbe({ ...scenario, ...of }, who, rps, { meanMs, perIteration }, 7).slices[0]?.steps[0]?.vus;

  test('is one rate in steps of a second, by one executor of k6', () => {
    const batch = planProbe(scenario, variant(), 82.9, { meanMs: 50, perIteration: 1 }, 7);
    const [slice] = makeK6Plan(batch, { v: 18_080 }, { host: 'app.test' }).slices;
    expect(slice).toMatchObject({ id: 's7', durationMs: 5000, warmup: false, block: null });
    expect(slice?.steps.map(({ offsetMs, durationMs, rps }) => [offsetMs, durationMs, rps])).toEqual(
      [0, 1000, 2000, 3000, 4000].map((offsetMs) => [offsetMs, 1000, 82.9]),
    );
  });

  test('has clients for a tenth of a second or three mean requests, never for more than the timeout', () => {
    expect(vus({}, variant(), 1000, 5)).toBe(101);
    expect(vus({}, variant(), 1000, 100)).toBe(301);
    expect(vus({ timeoutMs: 200 }, variant(), 1000, 100)).toBe(201);
    expect(vus({ maxVus: 16 }, variant(), 1000, 100)).toBe(16);
  });

  test('has as many clients for a script, whose rate is that of iterations', () => {
    for (const meanMs of [5, 60])
      expect(vus({}, variant(), 266, meanMs, 10)).toBe(vus({}, variant(), 266, meanMs));
    const [slice] = planProbe(scenario, variant(), 266, { meanMs: 30, perIteration: 10 }, 7).slices;
    expect(slice?.steps.map(({ rps }) => rps)).toEqual(Array(5).fill(26.6));
  });

  test('has no more of them than workers where each connection takes one', () => {
    const held = { ...runtime, workerPerConnection: true };
    expect(vus({}, variant({ runtime: held }), 1000, 5)).toBe(16);
    expect(vus({ reuse: false }, variant({ runtime: held }), 1000, 5)).toBe(101);
    const closing = { workers: 16, 'keep-alive': '0s' };
    expect(vus({}, variant({ runtime: held, options: closing }), 1000, 5)).toBe(101);
    expect(vus({}, variant({ runtime: held, front: 'front-nginx' }), 1000, 5)).toBe(101);
    expect(vus({}, variant({ runtime: held, options: {} }), 1000, 5)).toBe(101);
  });
});
