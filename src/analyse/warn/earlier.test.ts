import { expect, test } from 'vitest';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import type { Elsewhere, Results } from '../../results/results.ts';
import { analyse } from '../analyse.ts';
import { compare } from '../judge/compare.ts';
import { ANOTHER_RUN, compareEarlier, welch } from './earlier.ts';

const server = { id: 'apache@8.4', rps: 400, cpuMs: 0.4 };
const now = makeResults({ servers: [server, { id: 'new@8.4', rps: 300 }], seed: 1 });
const then = makeResults({
  servers: [
    { ...server, rps: 440, cpuMs: 0.36, base: { rps: 1 } },
    { id: 'gone@8.4', rps: 300 },
  ],
  compareTo: {},
  seed: 2,
  instances: 4,
});

test("Welch's test is SciPy's", () => {
  // scipy 1.17.1: stats.ttest_ind(np.log(a), np.log(b), equal_var=False), its confidence_interval(0.99), exp of all.
  const a = [2310.5, 2295.1, 2330.9, 2301.7];
  const b = [2251.2, 2190.4, 2275.8, 2233.3, 2260.1, 2248.9];
  const { ratio, interval, p, pairs } = welch(a, b);
  expect(ratio).toBeCloseTo(1.0295969358604367, 12);
  expect(interval?.low).toBeCloseTo(1.0076485483499489, 10);
  expect(interval?.high).toBeCloseTo(1.052023398504461, 10);
  expect(interval?.level).toBe(0.99);
  expect(p).toBeCloseTo(0.0019533568012442015, 10);
  expect(pairs).toBe(4);
});

test.each([
  [[], [1, 2], { pairs: 0, ratio: null, values: null, interval: null, p: null }],
  [[2], [1, 1], { pairs: 1, ratio: 2, values: { variant: 2, reference: 1 }, interval: null, p: null }],
  [[2, 2], [1, 1], { pairs: 2, ratio: 2, values: { variant: 2, reference: 1 }, interval: null, p: null }],
])('too little to judge by: %j and %j', (a, b, expected) => {
  expect(welch(a, b)).toEqual(expected);
});

test('each variant that both runs have, with its interval and never a verdict', () => {
  const comparisons = compareEarlier(now, then);
  expect(new Set(comparisons.map(({ variant, reference }) => `${variant} ${reference}`))).toEqual(
    new Set(['apache@8.4 apache@8.4']),
  );
  expect(comparisons.map(({ metric, primary }) => [metric, primary])).toEqual([
    ['rps', true],
    ...['p50', 'p95', 'p99', 'cpu', 'memory'].map((metric) => [metric, false]),
  ]);
  for (const { verdict, reasons, against } of comparisons) {
    expect({ verdict, reasons, against }).toEqual({
      verdict: 'inconclusive',
      reasons: [ANOTHER_RUN],
      against: 'earlier',
    });
  }
  const of = (metric: string) => comparisons.find((one) => one.metric === metric);
  expect(of('rps')?.ratio).toBeCloseTo(400 / 440, 1);
  expect(of('cpu')?.ratio).toBeCloseTo(0.4 / 0.36, 1);
  expect(of('rps')?.interval).toMatchObject({ low: expect.closeTo(0.8, 0), level: 0.99 });
  expect(of('cpu')?.pairs).toBe(3);
});

test('what differs between the runs is among the reasons', () => {
  const other = structuredClone(then) as Results;
  other.host.cpuModel = 'another';
  other.tool.k6 = '1.0.0';
  Object.assign(other.plan.scenarios[0] as object, { load: 'vus(99, 1s)' });
  Object.assign(other.variants[0]?.facts as object, { php: '8.3.1' });
  const [{ reasons } = { reasons: [] }] = compareEarlier(now, other);
  expect(reasons.slice(1).map((reason) => reason.split(':')[0])).toEqual([
    ...['another machine', 'another k6', 'another load in quick', 'another PHP'],
  ]);
  expect(reasons.at(-1)).toBe('another PHP: 8.4.3 now, 8.3.1 then');
});

test('another Host header is among the reasons, and what older versions sent', () => {
  const named = (results: Results, host: string) => ({ ...results, plan: { ...results.plan, host } });
  const reasonsOf = (results: Results, earlier: Results) =>
    compareEarlier(results, earlier)[0]?.reasons.slice(1);
  expect(reasonsOf(named(now, 'app.test'), named(then, 'www.example.com'))).toEqual([
    'another Host header: app.test now, www.example.com then',
  ]);
  expect(reasonsOf(named(now, 'app.test'), then)).toEqual([
    'another Host header: app.test now, 127.0.0.1 and a port then',
  ]);
  expect(reasonsOf(named(now, 'app.test'), named(then, 'app.test'))).toEqual([]);
});

test('other request headers are among the reasons', () => {
  const sending = (results: Results, ...headers: string[]) => ({
    ...results,
    plan: { ...results.plan, ...(headers.length > 0 && { headers }) },
  });
  const reasonsOf = (earlier: Results) =>
    compareEarlier(sending(now, 'Accept', 'X-A'), earlier)[0]?.reasons.slice(1);
  expect(reasonsOf(sending(then, 'Accept'))).toEqual(['other request headers: Accept, X-A now, Accept then']);
  expect(reasonsOf(then)).toEqual(['other request headers: Accept, X-A now, none then']);
  expect(reasonsOf(sending(then, 'Accept', 'X-A'))).toEqual([]);
});

test('another image store of Docker is among the reasons, unless an older version did not note it', () => {
  const storing = (results: Results, imageStore: Results['host']['imageStore']) => ({
    ...results,
    host: { ...results.host, imageStore },
  });
  const reasonsOf = (results: Results, earlier: Results) =>
    compareEarlier(results, earlier)[0]?.reasons.slice(1);
  expect(reasonsOf(storing(now, 'containerd'), storing(then, 'graph driver'))).toEqual([
    'another image store of Docker: containerd now, graph driver then',
  ]);
  expect(reasonsOf(storing(now, 'containerd'), then)).toEqual([]);
  expect(reasonsOf(now, storing(then, 'containerd'))).toEqual([]);
});

test('other settings of the app are among the reasons, unless an older version did not note them', () => {
  const marked = (results: Results, settings: string) => ({
    ...results,
    variants: results.variants.map((variant) => ({ ...variant, settings })),
  });
  const reasonsOf = (results: Results, earlier: Results) =>
    compareEarlier(results, earlier)[0]?.reasons.slice(1);
  expect(reasonsOf(marked(now, '0a1b'), marked(then, 'ffff'))).toEqual([
    expect.stringMatching(/^other settings of the app: environment, /),
  ]);
  expect(reasonsOf(marked(now, '0a1b'), marked(then, '0a1b'))).toEqual([]);
  expect(reasonsOf(marked(now, '0a1b'), then)).toEqual([]);
});

/** The same run, with its load from other machines. */
const loadedFrom = (results: Results, kind: Elsewhere['kind'], names: readonly string[]): Results => {
  const way = { share: '0:1', roundTripMs: 0.2, hops: 1, mtu: 1500, skewMs: 0 };
  const generators = names.map((name) => ({ name, ...way }));
  return { ...results, plan: { ...results.plan, elsewhere: { kind, target: '10.0.0.5', generators } } };
};

test.each([
  [
    'two machines now',
    loadedFrom(now, 'engines', ['b', 'c']),
    then,
    'b, c to 10.0.0.5',
    "the servers' machine",
  ],
  ['one machine then', now, loadedFrom(then, 'engines', ['b']), "the servers' machine", 'b to 10.0.0.5'],
  [
    ...['another machine', loadedFrom(now, 'engines', ['b']), loadedFrom(then, 'engines', ['c'])],
    ...['b to 10.0.0.5', 'c to 10.0.0.5'],
  ],
  [
    ...['machines and pods', loadedFrom(now, 'engines', ['b', 'c']), loadedFrom(then, 'cluster', ['p', 'q'])],
    ...['b, c to 10.0.0.5', '2 pods on 10.0.0.5'],
  ],
] as const)('load from another place is among the reasons: %s', (_, results, earlier, here, there) => {
  const comparisons = compareEarlier(results, earlier);
  expect(comparisons.length).toBeGreaterThan(0);
  for (const { reasons, verdict } of comparisons) {
    expect(reasons.slice(1)).toEqual([`load from another place: ${here} now, ${there} then`]);
    expect(verdict).toBe('inconclusive');
  }
});

test('load from the same other machines is the same place, in any order', () => {
  const [{ reasons } = { reasons: [] }] = compareEarlier(
    loadedFrom(now, 'engines', ['b', 'c']),
    loadedFrom(then, 'engines', ['c', 'b']),
  );
  expect(reasons).toEqual([ANOTHER_RUN]);
});

test('what differs is a warning, once, where anything does', () => {
  const named = (host: string) => ({ ...then, plan: { ...then.plan, host } });
  const warningsOf = (earlier: Results) => {
    const results = { ...now, plan: { ...now.plan, host: 'app.test' } };
    const { warnings } = analyse({ ...results, comparisons: compareEarlier(results, earlier) });
    return warnings.flatMap(({ code, message }) => (code === 'earlier-differs' ? [message] : []));
  };
  expect(warningsOf(named('www.example.com'))).toEqual([
    'the earlier run was measured under other conditions: another Host header: app.test now, www.example.com then. The changes against it are not those of the app alone',
  ]);
  expect(warningsOf(named('app.test'))).toEqual([]);
});

test('scenarios that only one of the runs has are left out', () => {
  expect(compareEarlier(now, { ...then, plan: { ...then.plan, scenarios: [] } })).toEqual([]);
});

test('report keeps them', () => {
  const comparisons = compareEarlier(now, then);
  const kept = compare({ ...now, comparisons }).filter(({ against }) => against === 'earlier');
  expect(kept).toEqual(comparisons);
  expect(compareEarlier((fixtures.quick as () => Results)(), then)[0]?.variant).toBe('apache@8.4');
});

test('no number is given where one of the two runs answered wrongly or was limited by k6', () => {
  const compared = (own: object, earlier: object) => {
    const of = (more: object, seed: number) => makeResults({ servers: [{ ...server, ...more }], seed });
    const found = compareEarlier(of(own, 1), of(earlier, 2));
    return ['rps', 'p50', 'cpu'].map((metric) => found.find((one) => one.metric === metric));
  };
  const wrong = compared({}, { okRatio: 0.9 });
  expect(wrong.map((one) => one?.ratio)).toEqual([null, null, null]);
  expect(wrong[0]?.reasons).toContainEqual(
    expect.stringMatching(/^in the earlier run: .*only 90 % of answers OK/),
  );
  const [rps, , cpu] = compared({}, { bound: 'k6 used 95 % of its CPUs' });
  expect(rps?.ratio).toBeNull();
  expect(cpu?.ratio).toBeGreaterThan(0);
  expect(compared({ okRatio: 0.9 }, {})[0]?.reasons).toContainEqual(expect.stringMatching(/^in this run: /));
});

test('what one run could not measure is no condition of the other', () => {
  const results = makeResults({ servers: [server], seed: 1 });
  const earlier = makeResults({ servers: [{ ...server, okRatio: 0.9 }], seed: 2 });
  results.comparisons = compareEarlier(results, earlier);
  expect(analyse(results).warnings.map(({ code }) => code)).not.toContain('earlier-differs');
});

test('other conditions are named as the configuration names them', () => {
  const earlier = makeResults({
    ...{ servers: [server], scenario: { maxVus: 50, timeoutMs: 5000 } },
    change: ({ tool }) => Object.assign(tool, { version: '0.9.0' }),
  });
  const [{ reasons = [] } = {}] = compareEarlier(makeResults({ servers: [server] }), earlier);
  expect(reasons).toContain('another max-vus in quick: none now, 50 then');
  expect(reasons).toContain('another timeout in quick: 2s now, 5s then');
  expect(reasons).toContainEqual(expect.stringMatching(/^another php-runtime-bench: .* now, 0.9.0 then$/));
});
