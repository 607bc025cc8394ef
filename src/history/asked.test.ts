import { expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import type { Results } from '../results/results.ts';
import { completeAsked } from './asked.ts';
import { findCountTrends } from './count-trend.ts';
import { type HistoryRecord, recordsOf } from './history-record.ts';
import { findTrends } from './trend.ts';

const servers = [
  { id: 'apache@8.4', rps: 400 },
  { id: 'swoole@8.4', rps: 600 },
];
const recorded = (change: (results: Results) => void): HistoryRecord[] =>
  recordsOf(makeResults({ servers, change }), 'abc');

/** Runs in this order, the first in week 0. */
const weekly = (...runs: (readonly HistoryRecord[])[]) =>
  runs.flatMap((records, week) =>
    records.map((record) => ({
      ...{ ...record, run: `run ${week}`, counts: { queries: { value: 3, constant: true } } },
      date: new Date(Date.UTC(2026, 0, 5 + 7 * week)).toISOString(),
    })),
  );
const now = recorded(({ plan }) => {
  plan.host = 'app.test';
});
const older = now.map(({ asked: _, ...record }) => record);

/** Number of runs of each trend of RPS and of counts, and the parts in which it differs from others. */
function trendsOf(records: readonly HistoryRecord[]) {
  const rps = findTrends(records).filter(({ metric }) => metric === 'rps');
  return {
    ratios: rps.filter(({ reference }) => reference).map(({ points, apart }) => [points.length, apart]),
    absolute: rps
      .filter(({ reference, variant }) => !reference && variant === 'apache@8.4')
      .map(({ points, apart }) => [points.length, apart]),
    counts: findCountTrends(records)
      .filter(({ variant }) => variant === 'apache@8.4')
      .map(({ points, apart }) => [points.length, apart]),
  };
}
const all = (...trends: unknown[]) => ({ ratios: trends, absolute: trends, counts: trends });

test.each<[string, (results: Results) => void, object, object]>([
  [
    'paths',
    ({ plan }) => Object.assign(plan.scenarios[0] ?? {}, { journey: '/ /report' }),
    { journey: 'plain' },
    { journey: '/ /report' },
  ],
  [
    'a Host header',
    ({ plan }) => Object.assign(plan, { host: 'x.test' }),
    { host: 'app.test' },
    { host: 'x.test' },
  ],
  [
    'request headers',
    ({ plan }) => Object.assign(plan, { headers: ['Accept: a/b', 'Cookie'] }),
    { headers: '' },
    { headers: 'Accept: a/b, Cookie' },
  ],
])('other %s begin a trend of their own', (_, change, before, behind) => {
  const other = recorded((results) => {
    results.plan.host = 'app.test';
    change(results);
  });
  expect(trendsOf(weekly(now, now, other, other, other))).toEqual(all([2, before], [3, behind]));
  // Runs of an older version go on in the first trend that has noted it.
  expect(trendsOf(weekly(older, older, now, other))).toEqual(all([3, before], [1, behind]));
});

test('so do other apps with the same variants, by their folders or else by their names', () => {
  const of = (name: string, apps?: Record<string, string>) =>
    recorded(({ run, variants }) => {
      if (apps) run.head = { commit: 'abc', uncommitted: 0, files: [], apps };
      for (const variant of variants) variant.app = name;
    });
  const [a, b] = [of('app', { app: 'a/app' }), of('app', { app: 'b/app' })];
  expect(trendsOf(weekly(a, b, a))).toEqual(all([2, { app: 'a/app' }], [1, { app: 'b/app' }]));
  // The clone has another name there.
  expect(trendsOf(weekly(of('shop', { shop: '.' }), of('build-7', { 'build-7': '.' })))).toEqual(
    all([2, {}]),
  );
  expect(trendsOf(weekly(of('shop'), of('blog')))).toEqual(all([1, { app: 'shop' }], [1, { app: 'blog' }]));
});

test('records of an older version go on in the trend of their app, if anything that they noted shows it', () => {
  const of = (app: string, settings: string, apps?: Record<string, string>) =>
    recorded(({ run, variants }) => {
      run.head = { commit: 'abc', uncommitted: 0, files: [], ...(apps && { apps }) };
      for (const variant of variants) Object.assign(variant, { app, settings });
    });
  const [a, b] = [of('app', '0a1b', { app: 'a/app' }), of('app', 'ffff', { app: 'b/app' })];
  const [oldA, oldB] = [of('app', '0a1b'), of('app', 'ffff')];
  expect(trendsOf(weekly(oldA, oldB, a, b, b))).toEqual(
    all([2, { app: 'a/app', settings: '0a1b' }], [3, { app: 'b/app', settings: 'ffff' }]),
  );
});

test('apps of one run, which their variants name, are asked alike', () => {
  const results = makeResults({
    servers: servers.map(({ id, rps }, i) => ({ id: `${'ab'[i]}/${id}`, rps })),
    change({ run, variants }) {
      run.head = { commit: 'abc', uncommitted: 0, files: [], apps: { a: 'apps/a', b: 'apps/b' } };
      for (const variant of variants) variant.app = variant.id.slice(0, 1);
    },
  });
  const records = recordsOf(results, 'abc');
  expect(records).toHaveLength(2);
  expect(new Set(completeAsked(records).map(({ request }) => request)).size).toBe(1);
});

test('so do other settings of the app', () => {
  const marked = (settings: string) =>
    recorded(({ variants }) => {
      for (const variant of variants) variant.settings = settings;
    });
  const [one, other] = [marked('0a1b'), marked('ffff')];
  expect(trendsOf(weekly(one, other, one))).toEqual(
    all([2, { settings: '0a1b' }], [1, { settings: 'ffff' }]),
  );
});

test('an update of this tool begins none', () => {
  expect(trendsOf(weekly(older, older))).toEqual(all([2, {}]));
  expect(trendsOf(weekly(older, older, now, now))).toEqual(all([4, {}]));
  expect(trendsOf(weekly(now, older, now))).toEqual(all([3, {}]));
  // Another app of the same history has other settings.
  const app = now.map((record) => ({
    ...record,
    variant: `b/${record.variant}`,
    label: `b/${record.label}`,
    asked: { ...record.asked, settings: 'ffff' },
  }));
  const known = now.map((record) => ({ ...record, asked: { ...record.asked, settings: '0a1b' } }));
  const apps = [...older, ...app.map(({ asked: _, ...record }) => record)];
  expect(trendsOf(weekly(apps, [...known, ...app]))).toMatchObject({
    absolute: [[2, {}]],
    counts: [[2, {}]],
  });
});

test('long paths that differ at their end are two requests', () => {
  const of = (last: string) =>
    recorded(({ plan }) =>
      Object.assign(plan.scenarios[0] ?? {}, { journey: `${'/path '.repeat(200)}${last}` }),
    );
  const [one, two] = ['/a', '/b'].map((last) => of(last)[0]?.asked?.journey) as [string, string];
  expect(one).toMatch(/^(\/path ){14}.*… [0-9a-f]{8}$/);
  expect(two).not.toBe(one);
  expect(one.length).toBeLessThan(110);
});

test('a variant that ended before its request was noted is compared with those that were asked alike', () => {
  const [apache = [], swoole = []] = ['apache@8.4', 'swoole@8.4'].map((id) =>
    older.filter(({ variant }) => variant === id),
  );
  const records = weekly(
    [...apache, ...swoole],
    now.filter(({ variant }) => variant === 'apache@8.4'),
  );
  expect(new Set(completeAsked(records).map(({ request }) => request)).size).toBe(1);
});
