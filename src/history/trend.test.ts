import { expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { SCRIPT_LOAD } from '../results/results.ts';
import { makeRandom } from '../stats/random.ts';
import { type HistoryRecord, recordsOf } from './history-record.ts';
import { findTrends } from './trend.ts';

const [sample] = recordsOf(makeResults({ servers: [{ id: 'apache@8.4', rps: 400 }] }), 'abc') as [
  HistoryRecord,
];

/** A run a week, with this RPS and CPU per request, ± 1 % of chance. */
function weekly(
  rps: readonly number[],
  change: (week: number) => Partial<HistoryRecord> = () => ({}),
): HistoryRecord[] {
  const random = makeRandom(5);
  return rps.map((value, week) => ({
    ...sample,
    run: `run ${week}`,
    commit: `c${week}`,
    date: new Date(Date.UTC(2026, 0, 5 + 7 * week)).toISOString(),
    rps: { value: value * (1 + 0.02 * (random() - 0.5)), half: 4, n: 6 },
    cpuMsPerRequest: { value: (1000 / value) * (1 + 0.02 * (random() - 0.5)), half: 0.01, n: 6 },
    ...change(week),
  }));
}
const twoLevels = [...Array(10).fill(400), ...Array(8).fill(360)];

test('a change is reported with its run, its size and its interval', () => {
  const [rps, cpu] = findTrends(weekly(twoLevels));
  expect([rps?.metric, cpu?.metric]).toEqual(['rps', 'cpu']);
  for (const [trend, truth] of [
    [rps, 0.9],
    [cpu, 1 / 0.9],
  ] as const) {
    expect(trend?.changes.map(({ at }) => trend.points[at]?.run)).toEqual(['run 10']);
    expect(trend?.changes[0]?.interval?.low).toBeLessThan(truth);
    expect(trend?.changes[0]?.interval?.high).toBeGreaterThan(truth);
    expect(trend?.levels).toHaveLength(2);
  }
  expect(rps?.levels[0]).toBeCloseTo(400, -1);
});

test('what was written out of order is put in order', () => {
  const records = weekly(twoLevels);
  const [trend] = findTrends([...records].reverse());
  expect(trend?.points.map(({ run }) => run)).toEqual(records.map(({ run }) => run));
});

test('another machine or another load begins a trend of its own', () => {
  const machine = { ...sample.machine, cpu: 'Another' };
  const moved = findTrends(weekly(twoLevels, (week) => (week < 10 ? {} : { machine })));
  expect(moved.map(({ points, changes }) => [points.length, changes.length])).toEqual([
    [10, 0],
    [10, 0],
    [8, 0],
    [8, 0],
  ]);
  const loads = findTrends(weekly(twoLevels, (week) => (week < 10 ? {} : { load: 'const(50, 10s)' })));
  // At a given rate latency decides, not RPS.
  expect(loads.map(({ metric }) => metric)).toEqual(['rps', 'cpu', 'p50', 'cpu']);
});

test.each([
  ['vus (8, 1s)', 'rps'],
  ['requests(100, 4)', 'rps'],
  // As in the report, a part at a rate makes latency decide.
  ['vus(8, 1s) const(50, 10s)', 'p50'],
  // It may have a rate of its own.
  [SCRIPT_LOAD, 'p50'],
])('with the load %s, %s decides', (load, expected) => {
  expect(findTrends(weekly(twoLevels, () => ({ load }))).map(({ metric }) => metric)).toContain(expected);
});

test('load from other machines begins a trend of its own', () => {
  const generators = ['b', 'c'].map((name) => ({
    ...{ name, share: '0:1', roundTripMs: 0.2, hops: 1, mtu: 1500, skewMs: 0 },
  }));
  const results = makeResults({ servers: [{ id: 'apache@8.4', rps: 400 }] });
  const elsewhere = { kind: 'engines' as const, target: '10.0.0.5', generators };
  const [remote] = recordsOf({ ...results, plan: { ...results.plan, elsewhere } }, 'abc');
  expect(remote?.scenario).toBe(`${sample.scenario}, load from b, c to 10.0.0.5`);
  const scenario = remote?.scenario ?? '';
  const trends = findTrends(weekly(twoLevels, (week) => (week < 10 ? {} : { scenario })));
  // An effect of the network is no change of the app.
  expect(trends.map(({ points, changes }) => [points.length, changes.length])).toEqual([
    ...[
      [10, 0],
      [10, 0],
    ],
    ...[
      [8, 0],
      [8, 0],
    ],
  ]);
});

test('a run that failed is no point, and RPS that k6 was the limit of is none either', () => {
  const states = findTrends(
    weekly(Array(6).fill(400), (week) => ({
      state: week === 0 ? 'failed' : week === 1 ? 'generator-bound' : 'ranked',
    })),
  );
  expect(states.map(({ metric, points }) => [metric, points.length])).toEqual([
    ['rps', 4],
    ['cpu', 5],
  ]);
});

test('a change that is sure in one trend is not sure among 70', () => {
  const oneOf = (variants: number) =>
    Array.from({ length: variants }, (_, i) => {
      const variant = { variant: `v${i}`, label: `v${i}`, cpuMsPerRequest: null };
      // Of the 924 ways to halve 12 runs two are as clear as this: a p value of 0.002.
      return weekly([...Array(6).fill(400), ...Array(6).fill(i === 0 ? 360 : 400)], () => variant);
    }).flat();
  const changed = (variants: number) => findTrends(oneOf(variants)).map(({ changes }) => changes.length);
  expect(changed(1)).toEqual([1]);
  expect(changed(70)).toEqual(Array(70).fill(0));
});
