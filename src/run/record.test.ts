import { expect, test } from 'vitest';
import type { Scenario } from '../config/types.ts';
import { assembleResults, describeScenario, type RunRecord } from './record.ts';

/** A run that has measured nothing. */
function recordOf(config: object): RunRecord {
  const plan = { seed: 1, variants: [], instances: [], scenarios: [], warnings: [], cpus: {} };
  return {
    beginning: {
      ...{
        tool: {},
        runId: 'r',
        command: [],
        config: { failOn: [], ...config },
        found: null,
        head: null,
        host: {},
        settings: '0a1b',
      },
      ...{ startedMs: Date.UTC(2026, 0, 31, 9), beganMs: 5000, waitedMs: 10_000 },
    },
    ...{ plan, built: new Map(), outcomes: new Map(), checked: [], stopped: null },
    measured: { measurements: [], duets: [], searches: [], profiles: [], counts: [] },
  } as unknown as RunRecord;
}

test('a run is as long as it took, whatever becomes of the clock', () => {
  expect(assembleResults(recordOf({}), 95_000).run).toMatchObject({
    ...{ started: '2026-01-31T09:00:00.000Z', finished: '2026-01-31T09:01:30.000Z', wallSeconds: 80 },
  });
});

test('results have the headers of requests, in order, with values that are no secrets', () => {
  const headers = { 'X-Forwarded-Proto': 'https', Authorization: 'Bearer s3cret' };
  const results = assembleResults(recordOf({ headers }), 95_000);
  expect(results.plan.headers).toEqual(['Authorization', 'X-Forwarded-Proto: https']);
  expect(JSON.stringify(results)).not.toContain('s3cret');
  expect(assembleResults(recordOf({}), 95_000).plan).not.toHaveProperty('headers');
});

test.each([
  ['all', { openScript: true }],
  ['some', {}],
  ['none', {}],
])('a script whose executors have a rate, %s of them', (rates, expected) => {
  const script = { thresholds: [], rates };
  const scenario = { journey: { kind: 'script', name: 'own' }, load: null, slo: {}, script };
  const { openScript } = describeScenario(scenario as unknown as Scenario);
  expect({ ...(openScript !== undefined && { openScript }) }).toEqual(expected);
});

test('a variant whose base alone failed has nothing to be compared with; one that failed itself has its own reason', () => {
  const runtime = { name: 'apache', title: '', model: 'per-request' };
  const head = { id: 'apache@8.4', label: 'apache', app: { name: 'app' }, runtime, options: {}, ref: null };
  const variants = [
    { ...head, base: 'apache@8.4:base', image: 'head' },
    { ...head, id: 'apache@8.4:base', label: 'apache (main)', ref: 'main', base: null, image: 'base' },
  ];
  const failure = { stage: 'build', reason: 'no such package', log: '' };
  const codesOf = (broken: readonly string[]) => {
    const record = recordOf({});
    const built = new Map(broken.map((key) => [key, { failure }]));
    const failed = { ...record, built, plan: { ...record.plan, variants } } as unknown as RunRecord;
    return assembleResults(failed, 95_000).warnings.map(({ code, variant }) => [code, variant]);
  };
  expect(codesOf(['base'])).toEqual([['no-base', 'apache@8.4']]);
  expect(codesOf(['base', 'head'])).toEqual([]);
  expect(codesOf([])).toEqual([]);
});
