import { beforeAll, describe, expect, test } from 'vitest';
import { fixtures, makeResults, type Server, type Setup } from '../../../test/fixtures/results/make.ts';
import type { CompareMetric, Comparison, Gate, Measurement, Results } from '../../results/results.ts';
import { Results as Schema } from '../../results/results.ts';
import { analyse } from '../analyse.ts';
import { compare } from './compare.ts';
import { checkGates, leadsOf } from './gates.ts';

const quiet = { rps: 60, instanceSd: 0.003, sliceSd: 0.004 };
const make = (servers: readonly Server[], more: Partial<Setup> = {}) =>
  makeResults({ servers, instances: 8, scenario: { blocks: 3 }, ...more });
const pair = (base: Partial<Server>, more: Partial<Server> = {}, setup: Partial<Setup> = {}) =>
  make([{ id: 'a', ...quiet, ...more, base }], { compareTo: {}, ...setup });
const find = (results: Results, metric: CompareMetric, variant = 'a') =>
  compare(results).find(
    (comparison) => comparison.metric === metric && comparison.variant === variant,
  ) as Comparison;
const leadOf = (results: Results) => [...leadsOf(compare(results))][0] as Comparison;

/** Every request's CPU and RPS, exactly: only starts scatter. */
function setExactly(
  results: Results,
  of: (slice: Measurement) => { rps?: number; cpuUs?: number; busy?: number },
) {
  for (const slice of results.measurements) {
    const { rps, cpuUs, busy } = of(slice);
    if (rps) slice.achievedRps = rps;
    if (slice.cpu && cpuUs) slice.cpu.perRequestUs = cpuUs;
    if (slice.cpu && busy) slice.cpu.busyRatio = busy;
  }
}
/** Start n of 8 deviates by this share; the mean is 0. */
const deviation = ({ instance }: Measurement) => 0.001 * (instance - 3.5);

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

describe('what keeps a comparison from a verdict', () => {
  /** 10 % more CPU and fewer RPS, surely. */
  const sure = (setup: Partial<Setup> = {}, more: Partial<Server> = {}) =>
    pair({}, { cpuMs: 0.44, rps: 54, ...more }, setup);
  const reasons = (results: Results, metric: CompareMetric) => {
    const { verdict, reasons } = find(results, metric);
    return [verdict, ...reasons];
  };
  test('nothing here', () => {
    const results = pair({ cpuMs: 0.4, rps: 60 }, { cpuMs: 0.44, rps: 54 });
    expect([find(results, 'cpu').verdict, find(results, 'rps').verdict]).toEqual(['slower', 'slower']);
  });
  test('three starts: the numbers are there, the verdict is not', () => {
    const results = pair({ cpuMs: 0.4 }, { cpuMs: 0.8 }, { instances: 3 });
    expect(find(results, 'cpu')).toMatchObject({
      ...{ verdict: 'inconclusive', reasons: ['3 pairs of fresh starts, 4 needed'] },
      ...{ ratio: expect.closeTo(2, 1), interval: { level: 0.99 }, adjustedP: null, detectable: null },
    });
  });
  test('more than a quarter of the slices failed', () => {
    const spoil = (count: number) =>
      sure({
        change({ measurements }) {
          const own = measurements.filter(({ variant }) => variant === 'a');
          for (const slice of own.slice(0, count)) slice.outcome = 'void';
        },
      });
    expect(find(spoil(6), 'cpu')).toMatchObject({ reasons: [], slices: 18, dropped: 6 });
    expect(reasons(spoil(7), 'cpu')).toEqual([
      'inconclusive',
      '29.1 % of the pairs of slices failed or were void and were left out',
    ]);
  });
  test('the load generator was the limit: RPS and latency say nothing, CPU does', () => {
    const results = pair({ cpuMs: 0.4 }, { cpuMs: 0.44, bound: 'k6 used 97 % of its CPU' });
    for (const metric of ['rps', 'p50', 'p99'] as const) {
      expect(reasons(results, metric)).toEqual([
        'inconclusive',
        'the load generator was the limit for a: k6 used 97 % of its CPU',
        // The base has a reason of its own, not that of its head.
        'the load generator was the limit for a (base): k6 used 97 % of its CPU',
      ]);
    }
    expect(find(results, 'cpu').verdict).toBe('slower');
  });
  test('k6 was half busy: latency says nothing, RPS does', () => {
    const results = pair({ rps: 60 }, { rps: 50, busyRatio: 0.6 });
    expect(reasons(results, 'p50')[1]).toBe('k6 was 60 % busy with a: part of the latency may be its own');
    expect(find(results, 'rps').verdict).toBe('slower');
  });
  test('wrong answers', () => {
    const results = pair({ okRatio: 1 }, { okRatio: 0.5, rps: 100 });
    expect(reasons(results, 'rps')).toEqual([
      'inconclusive',
      expect.stringMatching(/^a: only 50.* % of answers OK, 99 % needed; mostly http 500$/),
    ]);
  });
  test('a rate that was missed: latency says nothing, CPU does', () => {
    const results = pair({ cpuMs: 0.4 }, { cpuMs: 0.44, p50Ms: 4, dropped: 0.3 }, { offeredRps: 60 });
    expect(reasons(results, 'p50')[1]).toContain('did not sustain the rate');
    expect(find(results, 'cpu').verdict).toBe('slower');
  });
  test('the other ref did not build', () => {
    const results = pair({ failure: { stage: 'build', reason: 'composer failed', log: '' } });
    expect(reasons(results, 'cpu')[1]).toBe('a (base) failed: composer failed');
  });
  test('more CPU per request and yet more RPS, with the CPUs full', () => {
    const contradict = (rps: number) => {
      const results = pair({});
      setExactly(results, (slice) => {
        const head = slice.variant === 'a' ? 1 : 0;
        const noise = 1 + head * deviation(slice);
        return { busy: 0.99, cpuUs: 400 * (1 + 0.05 * head) * noise, rps: 100 * (1 + rps * head) * noise };
      });
      return results;
    };
    expect(find(contradict(-0.05), 'cpu').verdict).toBe('slower');
    expect(find(contradict(0), 'cpu').verdict).toBe('slower');
    expect(reasons(contradict(0.05), 'cpu')).toEqual([
      'inconclusive',
      'more CPU per request, but also more RPS',
    ]);
  });
});

describe('slices that were disturbed', () => {
  const disturb = (which: (slice: Measurement) => boolean) =>
    pair(
      { cpuMs: 0.4 },
      { cpuMs: 0.44 },
      {
        change({ measurements }) {
          for (const slice of measurements) if (which(slice)) slice.guards.stallMs = 99;
        },
      },
    );
  const nth = (slice: Measurement) => 3 * slice.instance + slice.block;

  test('are left out where they are few', () => {
    const few = disturb((slice) => nth(slice) < 6);
    expect(find(few, 'cpu')).toMatchObject({ slices: 18, dropped: 6, disturbed: 0, reasons: [] });
  });
  test('all count where too little would be left, and the verdict says so', () => {
    expect(
      find(
        disturb((slice) => nth(slice) < 7),
        'cpu',
      ),
    ).toMatchObject({
      ...{ slices: 24, dropped: 0, disturbed: 7, verdict: 'slower', pairs: 8 },
      reasons: ['29.1 % of the pairs of slices were disturbed; all count, so the interval is wider'],
    });
    expect(
      find(
        disturb(() => true),
        'cpu',
      ),
    ).toMatchObject({
      ...{ slices: 24, disturbed: 24, verdict: 'slower' },
      reasons: [expect.stringMatching(/^100 % of/)],
    });
  });
  test('all count where fewer starts would be left than a verdict needs', () => {
    const { measurements, ...rest } = disturb(({ instance }) => instance === 0);
    const four = { ...rest, measurements: measurements.filter(({ instance }) => instance < 4) };
    expect(find(four, 'cpu')).toMatchObject({ pairs: 4, slices: 12, disturbed: 3, verdict: 'slower' });
    const five = { ...rest, measurements: measurements.filter(({ instance }) => instance < 5) };
    expect(find(five, 'cpu')).toMatchObject({ pairs: 4, slices: 12, disturbed: 0, dropped: 3 });
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

describe('gates', () => {
  const gate: Gate = { source: 'slower > 3%', metric: null, above: 0.03, scenario: null, variant: null };
  /** Head needs 1 + `more` times the CPU, to within ± 0.3 %. */
  const withCpu = (more: number, gates: Gate[]) => {
    const results = pair({}, {}, { gates });
    setExactly(results, (slice) => ({
      busy: 0.99,
      rps: 100,
      cpuUs: slice.variant === 'a' ? 400 * (1 + more) * (1 + deviation(slice)) : 400,
    }));
    return results;
  };
  const failed = (results: Results) => analyse(results).gates.map((result) => result.failed);

  test('fail only on what is surely slower by more', () => {
    expect(failed(withCpu(0.05, [gate]))).toEqual([true]);
    // Slower, surely, and likely by more than 3 %, but not surely.
    expect(find(withCpu(0.031, [gate]), 'cpu').verdict).toBe('slower');
    expect(failed(withCpu(0.031, [gate]))).toEqual([false]);
    expect(failed(withCpu(-0.05, [gate]))).toEqual([false]);
    expect(failed(withCpu(0, [gate]))).toEqual([false]);
  });
  test('look at the metric, scenario and variant that they name', () => {
    const gates: Gate[] = [
      { ...gate, metric: 'cpu' },
      { ...gate, metric: 'rps' },
      { ...gate, scenario: 'other' },
      { ...gate, variant: 'other' },
      { ...gate, scenario: 'quick', variant: 'a' },
    ];
    expect(failed(withCpu(0.05, gates))).toEqual([true, false, false, false, true]);
    const checks = analyse(withCpu(0.05, gates)).gates.map((result) => result.checks.length);
    expect(checks).toEqual([1, 1, 0, 0, 1]);
  });
  test('less RPS is slower', () => {
    const results = pair({}, {}, { gates: [{ ...gate, metric: 'rps' }] });
    setExactly(results, (slice) => ({
      rps: slice.variant === 'a' ? 94 * (1 + deviation(slice)) : 100,
    }));
    expect(failed(results)).toEqual([true]);
    // Slower, surely, but perhaps by less than 3 %.
    setExactly(results, (slice) => ({ rps: slice.variant === 'a' ? 96.9 * (1 + deviation(slice)) : 100 }));
    expect(find(results, 'rps').verdict).toBe('slower');
    expect(failed(results)).toEqual([false]);
    setExactly(results, (slice) => ({ rps: slice.variant === 'a' ? 106 * (1 + deviation(slice)) : 100 }));
    expect(failed(results)).toEqual([false]);
  });
  test('are judged by an interval within what is allowed, too, and not at all without one', () => {
    const comparison = {
      ...(compare(pair({}, {}, { gates: [gate] })) as [Comparison])[0],
      metric: 'cpu' as const,
      verdict: 'inconclusive' as const,
    };
    const results = pair({}, {}, { gates: [{ ...gate, metric: 'cpu' }] });
    const unjudged = (high: number, detectable: number | null = 0.02) =>
      checkGates(results, [{ ...comparison, detectable, interval: { low: 0.97, high, level: 0.99 } }]).map(
        (result) => result.unjudged,
      );
    expect(unjudged(1.029)).toEqual([false]);
    expect(unjudged(1.031)).toEqual([true]);
    expect(unjudged(1.029, null)).toEqual([true]);
    expect(checkGates(results, [{ ...comparison, interval: null }])[0]?.unjudged).toBe(true);
  });
  test('count against the reference only where no other ref was asked for', () => {
    const two = [
      { id: 'a', ...quiet, rps: 80 },
      { id: 'b', ...quiet, rps: 60 },
    ];
    expect(failed(make(two, { gates: [gate] }))).toEqual([true]);
    const missing = make(two, { gates: [gate], compareTo: { reason: 'no such commit' } });
    expect(analyse(missing).gates).toEqual([
      { gate, checks: [], counts: [], failed: false, unjudged: false },
    ]);
  });
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
