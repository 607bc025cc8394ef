import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import { makeProfile } from '../../../test/fixtures/results/profile.ts';
import type { Results, ScriptMetric, ScriptSlice } from '../../results/results.ts';
import { fromPercentiles } from '../../stats/histogram.ts';
import { analyse } from '../analyse.ts';
import type { Row } from '../summary.ts';
import { parseCondition } from './thresholds.ts';

const NOTHING = { count: 0, first: null };
const quiet: ScriptSlice = {
  checks: [],
  metrics: [],
  left: 0,
  thrown: NOTHING,
  printed: NOTHING,
  aborted: null,
  failed: null,
};

/** Two slices of one variant, each with what its script said. */
function analysed(
  scripts: Partial<ScriptSlice>[],
  scenario: Partial<Results['plan']['scenarios'][number]> = {},
) {
  const results = makeResults({
    servers: [{ id: 'a', rps: 500 }],
    instances: scripts.length,
    scenario: { blocks: 1, thresholds: [], ...scenario },
  });
  results.measurements.forEach((slice, i) => {
    slice.script = { ...quiet, ...scripts[i] };
  });
  const summary = analyse(results);
  return {
    row: summary.scenarios[0]?.rows[0] as Row,
    codes: summary.warnings.map(({ code }) => code),
    messages: summary.warnings.map(({ message }) => message),
  };
}

const check = (passes: number, fails: number, name = 'has a token') => ({ name, group: '', passes, fails });

describe('checks', () => {
  test('a check that never passes keeps its variant from being ranked, however many others pass', () => {
    const checks = [check(0, 353), check(353, 0, 'a'), check(353, 0, 'b')];
    const { row, codes } = analysed([{ checks }, { checks }]);
    expect(row.state).toEqual({
      ...{ kind: 'unranked', cause: 'checks' },
      reason: 'checks: 0 of 706 (`has a token`), 99 % needed',
    });
    expect(codes).toContain('checks-failed');
    expect(row.sloMissed).toEqual([]);
  });

  test('one in a thousand is a warning; a criterion makes it more', () => {
    const checks = [check(999, 1)];
    expect(analysed([{ checks }]).row.state.kind).toBe('ranked');
    expect(analysed([{ checks }]).codes).toContain('checks-failed');
    const { row } = analysed([{ checks }], { slo: { checksRatio: 1 } });
    expect(row.state.kind).toBe('unranked');
    expect(row.sloMissed).toEqual(['checks: 999 of 1000 (`has a token`) < 100 %']);
    expect(analysed([{ checks: [check(1, 9)] }], { slo: { checksRatio: 0.1 } }).row.state.kind).toBe(
      'ranked',
    );
  });

  test('a bundled journey that finds a wrong answer is not ranked', () => {
    const results = makeResults({
      servers: [{ id: 'a', rps: 500, okRatio: 0.998, errorKind: 'wrong answer' }],
    });
    const row = analyse(results).scenarios[0]?.rows[0];
    expect(row?.state).toMatchObject({ kind: 'unranked', cause: 'checks' });
  });

  test('wrong answers of a failed slice are a share of all that was asked', () => {
    const results = makeResults({
      servers: [{ id: 'a', rps: 500, okRatio: 0.9, errorKind: 'wrong answer' }],
      instances: 2,
      scenario: { blocks: 1 },
    });
    const [bad] = results.measurements;
    if (bad) bad.outcome = 'failed';
    const row = analyse(results).scenarios[0]?.rows[0];
    const check = row?.checks[0];
    expect(results.measurements.length).toBeGreaterThan(1);
    expect((check?.passes ?? 0) + (check?.fails ?? 0)).toBe(row?.requests);
    expect(check?.fails).toBe((row?.requests ?? 0) - (row?.okCount ?? 0));
  });
});

test('more than 1 % of iterations that throw or print errors are not ranked, fewer are reported', () => {
  const { iterations } = makeResults({
    servers: [{ id: 'a', rps: 500 }],
    instances: 1,
    scenario: { blocks: 1 },
  }).measurements[0] ?? { iterations: 0 };
  const first = 'TypeError: x (shop.js:7:1)';
  const many = { count: Math.ceil(iterations / 50), first };
  for (const script of [{ thrown: many }, { printed: many }]) {
    const { row } = analysed([script]);
    expect(row.state).toMatchObject({
      kind: 'unranked',
      cause: 'script',
      reason: expect.stringContaining(first),
    });
  }
  const few = analysed([{ thrown: { count: 1, first } }]);
  expect(few.row.state.kind).toBe('ranked');
  expect(few.codes).toContain('script-threw');
});

test('errors that a script writes are lines, of which an iteration may have several', () => {
  const { state } = analysed([{ printed: { count: 9_000, first: 'x' } }]).row;
  expect(state).toMatchObject({
    reason: expect.stringMatching(/^9,000 errors written by the script in \d+ iterations: x$/),
  });
});

test('a script that marks the test as failed is not ranked, and keeps its numbers', () => {
  const { row, codes } = analysed([{}, { failed: 'title is wrong' }, {}]);
  expect(row.state).toEqual({
    ...{ kind: 'unranked', cause: 'script' },
    reason: '1 of 3 slices: the script marked the test as failed: title is wrong',
  });
  expect(row.rps).not.toBeNull();
  expect(codes).toContain('script-failed');
});

test('a mark as failed counts in one slice of many, and on a ramp whose saturation point was found', () => {
  const slices = Array.from({ length: 150 }, (_, i) => (i === 3 ? { failed: 'title is wrong' } : {}));
  expect(analysed(slices).row.state).toMatchObject({
    cause: 'script',
    reason: '1 of 150 slices: the script marked the test as failed: title is wrong',
  });
  const results = makeProfile({ servers: [{ id: 'a', rps: 1, capacity: 520 }], instances: 4 });
  results.measurements.forEach((slice, i) => {
    slice.script = { ...quiet, failed: i === 3 ? 'title is wrong' : null };
  });
  expect(analyse(results).scenarios[0]?.rows[0]).toMatchObject({
    holds: { kind: 'found' },
    state: { kind: 'unranked', cause: 'script' },
  });
});

describe('thresholds', () => {
  const trend = (values: number[]): ScriptMetric => {
    const sorted = values.toSorted((a, b) => a - b);
    const grid = sorted.map((ms, i) => ({ p: (100 * i) / Math.max(1, sorted.length - 1), ms }));
    const avg = values.reduce((a, b) => a + b, 0) / values.length;
    return {
      ...{ name: 'm', custom: true, type: 'trend', contains: 'time', count: values.length, passes: null },
      ...{ value: avg, min: sorted[0] ?? null, max: sorted.at(-1) ?? null },
      histogram: (sorted[0] ?? 0) < 0 ? [] : fromPercentiles(grid, values.length),
    };
  };
  const other = (
    type: 'rate' | 'counter' | 'gauge',
    count: number,
    more: Partial<ScriptMetric> = {},
  ): ScriptMetric => ({
    ...{ name: 'm', custom: true, type, contains: 'default', count, passes: null },
    ...{ value: null, min: null, max: null, histogram: [], ...more },
  });
  const judged = (condition: string, ...metrics: ScriptMetric[]) =>
    analysed(
      metrics.map((metric) => ({ metrics: [metric] })),
      { thresholds: [{ metric: 'm', condition }] },
    ).row;
  const state = (row: Row) => row.script?.thresholds[0]?.state;

  // 90 fast and 10 slow ones, in slices of very different size.
  const fast = trend(Array(90).fill(10));
  const slow = trend(Array(10).fill(100));
  test.each([
    ['p(95)<50', 'missed'],
    ['p(85)<50', 'passed'],
    ['avg<20', 'passed'],
    ['avg<18', 'missed'],
    ['med<=10.2', 'passed'],
    ['max<100', 'missed'],
    ['min>=10', 'passed'],
  ])('%s of all samples together: %s', (condition, expected) => {
    expect(state(judged(condition, fast, slow))).toBe(expected);
  });

  test('most samples of 0 are 0, whatever the unit', () => {
    const zeros = trend([...Array(99).fill(0), 5]);
    expect(state(judged('p(50)<=0', zeros))).toBe('passed');
    expect(state(judged('p(95)<=0', zeros))).toBe('passed');
    expect(state(judged('max<=0', zeros))).toBe('missed');
  });

  test('a rate is of all that was added, a count and a last value of each slice', () => {
    const rates = [other('rate', 100, { passes: 100 }), other('rate', 900, { passes: 0 })];
    expect(judged('rate>0.5', ...rates).script?.thresholds[0]).toMatchObject({ state: 'missed', value: 0.1 });
    expect(state(judged('count<60', other('counter', 50), other('counter', 50)))).toBe('passed');
    expect(state(judged('count<60', other('counter', 10), other('counter', 70)))).toBe('missed');
    expect(state(judged('value==1', other('gauge', 1, { value: 1 }), other('gauge', 1, { value: 2 })))).toBe(
      'missed',
    );
  });

  test('one that was missed is a criterion that was missed', () => {
    expect(judged('p(95)<50', fast, slow).sloMissed).toEqual(['threshold m p(95)<50 (100)']);
  });

  test('what cannot be judged is neither passed nor missed', () => {
    expect(judged('p(95)<50', trend([-1, -2])).script?.thresholds[0]).toMatchObject({
      state: 'open',
      value: null,
    });
    const row = analysed([quiet], { thresholds: [{ metric: 'gone', condition: 'avg<1' }] }).row;
    expect(row.script?.thresholds[0]).toMatchObject({ state: 'open', why: 'it had no samples' });
    expect(row.sloMissed).toEqual([]);
  });

  test.each(['p(99.9) <= 1.5e3', 'rate>0.99', 'count===0', 'value != -1'])(
    'k6 takes %s, and so do we',
    (text) => {
      expect(parseCondition(text)).not.toBeNull();
    },
  );
});

test('one error that the script writes is written in the singular', () => {
  const first = 'no token';
  expect(analysed([{ printed: { count: 1, first } }, {}]).messages.join('\n')).toMatch(
    /: a 1 error written by the script in [\d,]+ iterations; the first: no token;/,
  );
});
