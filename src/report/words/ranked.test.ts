import { describe, expect, test } from 'vitest';
import { makeProfile } from '../../../test/fixtures/results/profile.ts';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { Row, ScenarioSummary } from '../../analyse/summary.ts';
import type { Comparison } from '../../results/results.ts';
import { renderChart } from '../format/mermaid.ts';
import { pageMedium } from '../html/html-comparisons.ts';
import { renderRanking } from '../html/html-ranking.ts';
import { viewScenario } from '../view/scenario.ts';
import { drawnValue, gapOf, tradeOffs, verdict } from './ranked.ts';

const name = (label: string) => label;
const [scenario] = summaryOf('base').scenarios as [ScenarioSummary];
const [best, second] = scenario.rows.map(({ variant }) => variant) as [string, string];

/** The base fixture with the comparison of the first two in p95 and rows by their variant changed; without p99. */
function changed(change: Partial<Comparison>, rows: Record<string, Partial<Row>> = {}): ScenarioSummary {
  const comparisons = scenario.comparisons
    .filter(({ metric }) => metric !== 'p99')
    .map((one) => {
      const is = one.against === 'reference' && one.metric === 'p95' && one.variant === second;
      return is ? { ...one, ...change } : one;
    });
  return { ...scenario, comparisons, rows: scenario.rows.map((row) => ({ ...row, ...rows[row.variant] })) };
}

test.each<[string, Partial<Comparison>, string]>([
  ['a sure difference', {}, 'nginx-fpm (unix) has a lower p95 (30.8 ms), at a lower rate.'],
  ['none where the first is not the reference', { variant: best, reference: second, verdict: 'slower' }, ''],
  ['none that is not sure', { verdict: 'inconclusive' }, ''],
  ['none for what is worse', { verdict: 'slower' }, ''],
  ['none against the base', { against: 'base' }, ''],
])('response times beside the highest RPS: %s', (_, change, text) => {
  expect(tradeOffs(changed(change), name)).toBe(text);
});

const p95 = (value: number) => ({ p95: { value } as Row['p95'] });

test.each<[string, Record<string, Partial<Row>>, string]>([
  ['it is doubtful', { [second]: { doubtful: ['p95'] } }, ''],
  ['that of the first is doubtful', { [best]: { doubtful: ['p95'] } }, ''],
  ['it is higher as a number', { [best]: p95(30), [second]: p95(30.8) }, ''],
  ['both are printed alike', { [best]: p95(30.84), [second]: p95(30.76) }, ''],
  [
    'the next digit differs',
    { [best]: p95(30.86), [second]: p95(30.84) },
    'nginx-fpm (unix) has a lower p95 (30.8 ms), at a lower rate.',
  ],
])('a surely lower p95 beside the highest RPS where %s', (_, rows, text) => {
  expect(tradeOffs(changed({}, rows), name)).toBe(text);
});

describe('paired starts decide, and the numbers over all starts point the other way', () => {
  const reversed = (rows: Record<string, Partial<Row>>, metric: 'rps' | 'p95' = 'rps') => ({
    ...changed({}, rows),
    metric,
    best,
  });
  const rps = (value: number) => ({ rps: { value, half: 1, n: 6, over: 'instances' } as Row['rps'] });
  test('the sentence gives what was tested', () => {
    const rows = { [best]: rps(90), [second]: rps(96) };
    expect(verdict(reversed(rows), name)).toMatch(
      /90.* rps, in paired starts \d\S* % ahead of nginx-fpm \(unix\) \(96/,
    );
    const untested = { ...reversed(rows), comparisons: [] };
    expect(verdict(untested, name)).toContain('rps, in paired starts ahead of nginx-fpm (unix) (96');
  });
  test('and no gap where the numbers agree without a test', () => {
    const untested = { ...reversed({ [best]: rps(110), [second]: rps(100) }), comparisons: [] };
    expect(verdict(untested, name)).toContain('rps, 10 % ahead of');
  });
  test('of CPU per request', () => {
    const cpu = (value: number) => ({ cpuMsPerRequest: { ...rps(value).rps } as Row['cpuMsPerRequest'] });
    const said = (value: number) =>
      tradeOffs({ ...changed({}, { [second]: cpu(value) }), cheapest: second }, name);
    expect(said(0.001)).toMatch(/CPU per request: 0.001.* ms, 99\.\d+ % below the next\.$/);
    expect(said(1000)).toMatch(/CPU per request: 1.* ms, by paired starts\.$/);
  });
});

test.each<[string, Row['state'], boolean]>([
  ['the load generator was its limit', { kind: 'generator-bound', reason: '' }, true],
  ['it missed the rate', { kind: 'unranked', cause: 'rate-missed', reason: '' }, true],
  ['its answers were wrong', { kind: 'unranked', cause: 'ok-ratio', reason: '' }, false],
])(
  'the least CPU per request beside one that needs less, out of the ranking as %s',
  (_, state, isLimited) => {
    const cpu = (value: number) =>
      ({ cpuMsPerRequest: { value, half: 0, n: 6, over: 'instances' } }) as Partial<Row>;
    const [, , third] = scenario.rows.map(({ variant }) => variant) as [string, string, string];
    const told = (value: number) => {
      const rows = { [best]: cpu(0.9), [second]: cpu(0.4), [third]: { ...cpu(value), state } };
      return tradeOffs({ ...changed({}, rows), cheapest: second }, name);
    };
    const text = 'nginx-fpm (unix) needs the least CPU per request: 0.40';
    expect(told(0.06).includes(`Of the ranked variants, ${text}`)).toBe(isLimited);
    expect(told(0.06)).toContain(text);
    expect(told(0.5)).not.toContain('Of the ranked');
  },
);

test.each([
  ['of ramps that were sustained to their end', true, ': they sustained the whole ramp, only a higher ramp'],
  [
    'of ramps that k6 cut short',
    false,
    ': sustained about 9\\d\\d rps, which are only lower bounds; b-500 is',
  ],
])('lower bounds %s', (_, isWhole, text) => {
  const servers = [500, 1400, 1500].map((capacity) => ({ id: `b-${capacity}`, capacity, rps: 300 }));
  const [ramped] = analyse(makeProfile({ servers, instances: 3 })).scenarios as [ScenarioSummary];
  const rows = ramped.rows.map((row) => ({ ...row, holds: row.holds && { ...row.holds, isWhole } }));
  expect(verdict({ ...ramped, rows }, name)).toMatch(new RegExp(text));
});

test('a lower bound within the interval of another', () => {
  const servers = [960, 1400].map((capacity) => ({ id: `b-${capacity}`, capacity, rps: 300 }));
  const [ramped] = analyse(makeProfile({ servers, instances: 3 })).scenarios as [ScenarioSummary];
  const held = { ramps: 3, upTo: null, n: 3, over: 'instances' as const };
  // The whole of a ramp to 1,000 rps, and a saturation point below its end.
  const bounds: Row['holds'][] = [
    { ...held, kind: 'beyond', isWhole: true, value: 1000, half: null },
    { ...held, kind: 'found', isWhole: false, value: 960, half: 60 },
  ];
  const rows = ramped.rows.map((row, i): Row => {
    return { ...row, state: { kind: 'ranked', rank: 1, shared: true }, holds: bounds[i] ?? null };
  });
  expect(verdict({ ...ramped, rows, best: null }, name)).toMatch(
    /: sustained 960–1,000 rps, some of which are only lower bounds\.$/,
  );
});

test.each([
  ['one', 1, ': sustained less than 5.00 to 40.0 rps, some of which sustained no rate of the ramp.'],
  ['all', 2, ': sustained less than 5.00 rps, only a lower ramp can separate them.'],
])('a tie in a ramp of which %s sustained nothing', (_, count, text) => {
  const servers = [960, 1400].map((capacity) => ({ id: `b-${capacity}`, capacity, rps: 300 }));
  const [ramped] = analyse(makeProfile({ servers, instances: 3 })).scenarios as [ScenarioSummary];
  const held = { ramps: 3, upTo: null, n: 3, over: 'instances' as const, isWhole: false };
  const rows = ramped.rows.map((row, i): Row => {
    const holds: Row['holds'] =
      i < count
        ? { ...held, kind: 'below', value: 5, half: null }
        : { ...held, kind: 'found', value: 40, half: 60 };
    return { ...row, state: { kind: 'ranked', rank: 1, shared: true }, holds };
  });
  const tied = { ...ramped, rows, best: null };
  expect(verdict(tied, name)).toContain(text);
  const drawn = rows.map((row) => drawnValue('holds', row)?.value ?? null);
  expect(drawn).toEqual(count === 1 ? [null, 40] : [null, null]);
  // A chart of one bar compares nothing.
  expect(renderChart(tied)).toBe('');
  const view = viewScenario(tied, summaryOf('quick'), { medium: pageMedium });
  expect(renderRanking(view, tied, new Map()).text.match(/<rect/g) ?? []).toHaveLength(2 - count);
});

test.each([
  [2321, 2324, '2,320–2,330 rps', 'about 2,320 rps'],
  [2321, 2326, 'about', '2,320–2,330 rps'],
])('a tie of %d and %d rps is not a range of two equal numbers', (a, b, not, text) => {
  const rows = scenario.rows.slice(0, 2).map((row, i): Row => {
    const rps = { value: i === 0 ? a : b, half: 50, n: 6, over: 'instances' as const };
    return { ...row, rps, state: { kind: 'ranked', rank: 1, shared: true } };
  });
  const told = verdict({ ...scenario, rows, best: null }, name);
  expect(told).toContain(`: ${text}, `);
  expect(told).not.toContain(not);
});

test('p95 and p99 of one variant share a sentence', () => {
  expect(tradeOffs(scenario, name)).toBe(
    'nginx-fpm (unix) has a lower p95 (30.8 ms) and p99 (37.4 ms), at a lower rate.',
  );
});

test('a much shorter response time is never all below', () => {
  expect(gapOf('p99', 6 / 1500)).toBe('99.6 % below');
  expect(gapOf('p99', 0.65)).toBe('35 % below');
});

test('a ranking by response time has its numbers already', () => {
  expect(tradeOffs({ ...scenario, metric: 'p99' }, name)).toBe('');
});
