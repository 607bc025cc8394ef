import { beforeAll, describe, expect, test } from 'vitest';
import {
  deviation,
  find,
  leadOf,
  make,
  pair,
  quiet,
  setExactly,
} from '../../../test/fixtures/results/compared.ts';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import { makeProfile } from '../../../test/fixtures/results/profile.ts';
import { type Comparison, type Gate, type Results, Results as Schema } from '../../results/results.ts';
import { analyse } from '../analyse.ts';
import { compare } from './compare.ts';
import { leadsOf } from './gates.ts';

test('a change that is there is seen, of the size that it has, with all that it rests on', () => {
  const results = pair({ cpuMs: 0.4 }, { cpuMs: 0.42 });
  const comparison = find(results, 'cpu');
  expect(comparison).toMatchObject({
    ...{ variant: 'a', reference: 'a:base', against: 'base', scenario: 'quick', metric: 'cpu' },
    ...{ verdict: 'slower', pairs: 8, slices: 24, dropped: 0, margin: null, reasons: [] },
  });
  expect(comparison.ratio).toBeGreaterThan(1.03);
  expect(comparison.interval?.low).toBeLessThan(1.05);
  expect(comparison.interval?.high).toBeGreaterThan(1.05);
  expect(comparison.interval?.level).toBe(0.99);
  expect(comparison.detectable).toBeLessThan(0.05);
  expect(Schema.shape.comparisons.safeParse(compare(results)).error).toBeUndefined();
});

test('what is stored is compared anew; what an earlier run was compared with is kept', () => {
  const results = pair({});
  const [first] = compare(results) as [Comparison];
  const stored = { ...first, ratio: 9, verdict: 'slower' as const };
  const earlier = { ...stored, against: 'earlier' as const, reference: 'old' };
  const again = compare({ ...results, comparisons: [stored, earlier] });
  expect(again.filter(({ ratio }) => ratio === 9)).toEqual([earlier]);
  expect(again.filter(({ against }) => against !== 'earlier')).toEqual(compare(results));
});

test('both numbers stand beside the ratio, each side as it is alone', () => {
  const results = pair({ cpuMs: 0.4 }, { cpuMs: 0.42 });
  for (const { metric, ratio, values } of compare(results)) {
    expect({ metric, ratio: (values?.variant ?? 0) / (values?.reference ?? 1) }).toEqual({
      metric,
      ratio: expect.closeTo(ratio ?? 0, 9),
    });
  }
  expect(find(results, 'cpu').values).toEqual({
    variant: expect.closeTo(420, -1),
    reference: expect.closeTo(400, -1),
  });
  expect(find(results, 'rps').values?.reference).toBeCloseTo(60, 0);
});

describe('who is compared with whom', () => {
  const names = (results: Results) =>
    [...leadsOf(compare(results))].map((c) => [c.against, c.variant, c.reference].join(' '));
  const servers = ['a', 'b', 'c'].map((id) => ({ id, ...quiet }));

  test('all with the first', () => {
    expect(names(make(servers))).toEqual(['reference b a', 'reference c a']);
  });
  test('all with the reference that was asked for', () => {
    const results = make(servers, { change: ({ plan }) => Object.assign(plan, { reference: 'b' }) });
    expect(names(results)).toEqual(['reference a b', 'reference c b']);
  });
  test('the first that did not build is no reference, one that was asked for is', () => {
    const failure = { stage: 'build' as const, reason: 'no network', log: '' };
    const broken = [{ id: 'a', rps: 1, failure }, ...servers.slice(1)];
    expect(names(make(broken))).toEqual(['reference a b', 'reference c b']);
    const asked = make(broken, { change: ({ plan }) => Object.assign(plan, { reference: 'a' }) });
    expect(names(asked)).toEqual(['reference b a', 'reference c a']);
    expect(find(asked, 'rps', 'b')).toMatchObject({
      ...{ ratio: null, interval: null, p: null, adjustedP: null, verdict: 'inconclusive' },
      reasons: ['a failed: no network', 'not measured side by side'],
    });
  });
  test('the first that failed under load alone is no reference, unless all did', () => {
    const broken = servers.map((server, i) => ({ ...server, okRatio: i === 0 ? 0.1 : 1 }));
    expect(names(make(broken))).toEqual(['reference a b', 'reference c b']);
    const all = servers.map((server) => ({ ...server, okRatio: 0.1 }));
    expect(names(make(all))).toEqual(['reference b a', 'reference c a']);
  });
  test('each with its other ref, which is compared with nothing else', () => {
    const both = servers.slice(0, 2).map((server) => ({ ...server, base: {} }));
    expect(names(make(both, { compareTo: {} }))).toEqual(['base a a:base', 'base b b:base', 'reference b a']);
    const [scenario] = analyse(make(both, { compareTo: {} })).scenarios;
    expect(scenario?.rows.map(({ variant }) => variant).sort()).toEqual(['a', 'b']);
    expect(scenario?.bases.map(({ variant, state }) => [variant, state.kind])).toEqual([
      ['a:base', 'base'],
      ['b:base', 'base'],
    ]);
  });
});

describe('the metric that fits', () => {
  const busy = (share: number) =>
    pair({}, {}, { change: (results) => setExactly(results, () => ({ busy: share })) });
  test('closed, base: CPU where the servers are at their limit, else RPS', () => {
    expect(leadOf(busy(0.91)).metric).toBe('cpu');
    expect(leadOf(busy(0.89)).metric).toBe('rps');
  });
  test('both of them must be', () => {
    const results = busy(0.99);
    setExactly(results, ({ variant }) => (variant === 'a' ? { busy: 0.5 } : {}));
    expect(leadOf(results).metric).toBe('rps');
  });
  test('closed, runtimes: RPS', () => {
    const results = make([
      { id: 'a', ...quiet },
      { id: 'b', ...quiet },
    ]);
    setExactly(results, () => ({ busy: 0.99 }));
    expect(leadOf(results).metric).toBe('rps');
  });
  test('open: p50 with the other ref, what the ranking is by with other runtimes', () => {
    expect(leadOf(pair({}, { p50Ms: 4 }, { offeredRps: 60 })).metric).toBe('p50');
    const runtimes = [
      { id: 'a', ...quiet, p50Ms: 4 },
      { id: 'b', ...quiet, p50Ms: 4 },
    ];
    expect(leadOf(make(runtimes, { offeredRps: 60 })).metric).toBe('p99');
    expect(leadOf(make(runtimes, { offeredRps: 20 })).metric).toBe('p95');
  });
  test('a script at rates of its own: as open, though what it offers is not known', () => {
    const twice = pair({ p50Ms: 4 }, { p50Ms: 8 });
    expect(leadOf(twice).metric).toBe('rps');
    const scenarios = twice.plan.scenarios.map((facts) => ({ ...facts, openScript: true as const }));
    const atRates = { ...twice, plan: { ...twice.plan, scenarios } };
    expect(leadOf(atRates)).toMatchObject({ metric: 'p50', verdict: 'slower' });
  });
  test('it comes first, and all six are there', () => {
    const metrics = compare(busy(0.95)).map(({ metric }) => metric);
    expect(metrics).toEqual(['cpu', 'rps', 'p50', 'p95', 'p99', 'memory']);
  });
  test('only it is primary, except for what a gate names', () => {
    const gate: Gate = { source: 'p99', metric: 'p99', above: 0.1, scenario: null, variant: 'a' };
    const primary = (gates: Gate[]) =>
      compare(pair({}, {}, { gates })).flatMap((c) => (c.primary ? [c.metric] : []));
    expect(primary([])).toEqual(['rps']);
    expect(primary([gate])).toEqual(['rps', 'p99']);
    expect(primary([{ ...gate, variant: 'b' }])).toEqual(['rps']);
    expect(primary([{ ...gate, scenario: 'other' }])).toEqual(['rps']);
    expect(primary([{ ...gate, scenario: 'quick', variant: null }])).toEqual(['rps', 'p99']);
  });
});

describe('CPU of services per request', () => {
  /** A database needs `more` times as much for the head. */
  const withServices = (more: number, gates: Gate[] = []) => {
    const results = pair({}, {}, { gates });
    for (const slice of results.measurements) {
      const perRequestUs = 90 * (slice.variant === 'a' ? more * (1 + deviation(slice)) : 1);
      slice.services = { usedUs: perRequestUs * slice.requests, perRequestUs, busyRatio: 0.1 };
    }
    return results;
  };
  const gate: Gate = {
    ...{ source: 'services slower > 20%', metric: 'services', above: 0.2, scenario: null, variant: null },
  };

  test('has an interval and a verdict, and is there with services alone', () => {
    expect(find(withServices(1.3), 'services')).toMatchObject({
      ...{ verdict: 'slower', pairs: 8, slices: 24, how: 'turns', primary: false },
      ...{ ratio: expect.closeTo(1.3, 2), interval: { level: 0.99 } },
    });
    expect(find(withServices(1), 'services').verdict).toBe('no-difference');
    expect(find(pair({}), 'services')).toBeUndefined();
  });
  test('is what a gate names', () => {
    const failed = (more: number) => analyse(withServices(more, [gate])).gates.map((found) => found.failed);
    expect(find(withServices(1.3, [gate]), 'services').primary).toBe(true);
    expect([failed(1.3), failed(1.1), failed(0.7)]).toEqual([[true], [false], [false]]);
  });
});

describe('many tests', () => {
  // Seven of eight are the same as the first except for chance; one differs so little that it is sure only by itself.
  const crowd = (count: number) => {
    const ids = Array.from({ length: count }, (_, i) => `v${i}`);
    const results = make(ids.map((id) => ({ id, ...quiet })));
    setExactly(results, (slice) => {
      const shift = slice.variant === 'v1' ? 0.0132 : 0;
      return { rps: 100 * (1 - shift) * (1 + (slice.variant === 'v0' ? 0 : 4 * deviation(slice))) };
    });
    return results;
  };
  test('sure by itself, but not among many', () => {
    const alone = find(crowd(2), 'rps', 'v1');
    expect(alone).toMatchObject({ verdict: 'slower', primary: true });
    expect(alone.adjustedP).toBe(alone.p);
    const among = find(crowd(8), 'rps', 'v1');
    expect(among.p).toBeCloseTo(alone.p as number, 12);
    expect(among.adjustedP).toBeCloseTo(7 * (among.p as number), 12);
    expect(among).toMatchObject({
      verdict: 'no-difference',
      reasons: ['significant alone, but not as one of 7 tests'],
    });
    expect(among.detectable).toBeGreaterThan(alone.detectable as number);
  });
  const onMachines = (count: number, of: number) => {
    const results = crowd(count);
    results.plan.shard = { index: 1, of };
    return find(results, 'rps', 'v1');
  };
  test('sure on its machine, but not in a run on seven', () => {
    expect(onMachines(2, 1)).toEqual(find(crowd(2), 'rps', 'v1'));
    const alone = onMachines(2, 1);
    const among = onMachines(2, 7);
    expect(alone.verdict).toBe('slower');
    expect(among.adjustedP).toBeCloseTo(7 * (among.p as number), 12);
    expect(among).toMatchObject({
      verdict: 'no-difference',
      reasons: ['significant alone, but not as one of 1 test on each of 7 machines'],
    });
    // As much as with all tests on one machine.
    expect(among.detectable).toBeCloseTo(find(crowd(8), 'rps', 'v1').detectable as number, 12);
    // No machine can make anything surer.
    expect(onMachines(2, 0)).toEqual(alone);
  });
  test('what cannot come to a verdict is not counted', () => {
    const results = crowd(8);
    for (const slice of results.measurements) {
      if (Number(slice.variant.slice(1)) > 1) slice.outcome = 'void';
    }
    expect(find(results, 'rps', 'v1').verdict).toBe('slower');
  });
  test('each question has a family of its own', () => {
    const ids = ['v0', 'v1', 'v2', 'v3'];
    const results = make(
      ids.map((id) => ({ id, ...quiet, base: {} })),
      { compareTo: {} },
    );
    const families = compare(results).filter(({ primary, against }) => primary && against === 'base');
    expect(families).toHaveLength(4);
    const lowest = families.reduce((a, b) => ((a.p as number) < (b.p as number) ? a : b));
    expect(lowest.adjustedP).toBeCloseTo(Math.min(1, 4 * (lowest.p as number)), 12);
  });
});

test('a ramp that both sides did not sustain: the rates of both are in the reasons', () => {
  const servers = [
    { id: 'a', rps: 1, capacity: 520 },
    { id: 'b', rps: 1, capacity: 720 },
  ];
  const found = compare(makeProfile({ servers, instances: 4 })).find(({ metric }) => metric === 'p50');
  const told = (rate: string) =>
    expect.stringMatching(new RegExp(`^. did not sustain the whole ramp, only ${rate} ± [\\d.]+ rps$`));
  expect(found?.reasons).toHaveLength(2);
  expect(found?.reasons).toEqual(expect.arrayContaining([told('(4[89]|5\\d)\\d'), told('(6[5-9]|7\\d)\\d')]));
});

describe('the fixture for reports', () => {
  let comparisons: Comparison[];
  beforeAll(() => {
    comparisons = compare(fixtures.base?.() as Results);
  });
  test('one is slower, one as before, one starts too differently to say', () => {
    const leads = [...leadsOf(comparisons)].filter(({ against }) => against === 'base');
    expect(leads.map(({ verdict }) => verdict)).toEqual(['slower', 'no-difference', 'inconclusive']);
  });
});
