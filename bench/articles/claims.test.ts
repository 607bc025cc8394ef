import { describe, expect, test } from 'vitest';
import type { Name } from './articles.ts';
import { judgeClaims, judgeFactor, ratioOf, type Verdict } from './claims.ts';
import type { Against, Data, Row } from './data.ts';

const row = (variant: string, found: Partial<Row> = {}): Row => ({
  ...{ kind: 'row', scenario: 'test', variant, flaw: null, requests: 1000, okCount: 1000, okRatio: 1 },
  ...{ sentRatio: null, times: null, rps: null, p50: null, cpu: null, holds: null },
  ...{ cpuPercent: null, memoryMib: null, bytes: null, errors: [], ...found },
});
const holding = (value: number, half: number | null, p50 = 1): Partial<Row> => ({
  holds: {
    ...{ value, half, kind: half === null ? 'beyond' : 'found', okRatio: 1, times: null },
    p50: { value: p50, half: p50 / 20 },
  },
  p50: { value: p50, half: p50 / 20 },
});
const costing = (value: number, half: number | null = value / 20): Partial<Row> => ({ cpu: { value, half } });
const doing = (value: number, half: number | null = value / 20): Partial<Row> => ({ rps: { value, half } });
const beside = (
  variant: string,
  clients: number,
  verdict: Against['verdict'],
  low: number,
  high: number,
) => ({
  ...{
    kind: 'against' as const,
    scenario: `ab-${clients}`,
    variant,
    reference: 'fpm-unix',
    verdict,
    low,
    high,
  },
  ...{ ratio: Math.sqrt(low * high), reasons: ['too few'] },
});
const data = (rows: readonly Row[], against: readonly Against[] = [], disturbed = 0): Data => ({
  run: {
    ...{
      kind: 'run',
      date: '',
      tool: '',
      command: '',
      machine: '',
      cpus: '',
      seed: 1,
      instances: 2,
      loads: {},
    },
    ...{ servers: {}, php: '', loadSeconds: 1, wallSeconds: 2, warnings: [] },
    guards: { slices: 20, foreignCpu: disturbed, steal: 0, stall: 20 },
  },
  ...{ rows, against },
});

/** The verdict on the claim that begins so. */
function verdictOn(name: Name, claim: string, found: Data): Verdict | undefined {
  return judgeClaims(name, found).find((one) => one.claim.startsWith(claim))?.verdict;
}

test('a ratio is as wide as both intervals allow', () => {
  expect(ratioOf({ value: 10, half: 2 }, { value: 4, half: 1 })).toEqual({ value: 2.5, low: 1.6, high: 4 });
  expect(ratioOf({ value: 10, half: 12 }, { value: 4, half: 5 })).toEqual({
    value: 2.5,
    low: 0,
    high: Infinity,
  });
  expect(ratioOf({ value: 10, half: null }, { value: 4, half: 1 })).toBeNull();
  expect(ratioOf(undefined, { value: 4, half: 1 })).toBeNull();
});

test.each<[string, [number, number, number] | null, Verdict]>([
  ['about so much', [2, 1.8, 2.2], 'confirmed'],
  ['about so much, with a wide interval that is surely more', [2.2, 1.1, 4], 'confirmed'],
  ['less, surely', [1.2, 1.1, 1.4], 'refuted'],
  ['more, surely', [4, 3, 5], 'refuted'],
  ['perhaps nothing', [2, 0.8, 5], 'not checked'],
  ['too little, but perhaps enough', [1.4, 1.2, 1.8], 'not checked'],
  ['not known', null, 'not checked'],
])('twice: %s', (_, ratio, verdict) => {
  const found = ratio && { value: ratio[0], low: ratio[1], high: ratio[2] };
  expect(judgeFactor(found, 2, '').verdict).toBe(verdict);
});

const tenfold = [
  row('laravel/fpm', holding(120, 10, 40)),
  row('laravel/Unit', holding(140, 10, 4)),
  row('lumen/fpm', holding(400, 30, 14)),
  row('lumen/Unit', holding(1000, null, 1.4)),
  row('laravel/Octane', holding(500, 40)),
];
const loop = (low: Against['verdict'], high: Against['verdict']) => [
  beside('Apache', 10, 'faster', 1.2, 1.3),
  beside('Apache', 200, 'no-difference', 0.99, 1.02),
  beside('fpm-TCP', 10, low, 0.95, 0.99),
  beside('fpm-TCP', 200, high, 0.98, 1.01),
];

describe('claims', () => {
  test.each<[Name, string, Verdict, Data]>([
    ['octane', 'Unit is about ten', 'confirmed', data(tenfold)],
    [
      'octane',
      'Unit is about ten',
      'refuted',
      data(
        ['laravel', 'lumen'].flatMap((app) => [
          row(`${app}/fpm`, holding(9, 1, 5)),
          row(`${app}/Unit`, holding(9, 1, 4)),
        ]),
      ),
    ],
    ['octane', 'Unit is about ten', 'not checked', data(tenfold.slice(0, 3))],
    ['octane', 'Unit alone', 'refuted', data(tenfold)],
    [
      'octane',
      'Unit alone',
      'confirmed',
      data(
        tenfold.map((one) => (one.variant.endsWith('Unit') ? row(one.variant, holding(1000, null)) : one)),
      ),
    ],
    ['octane', 'Octane with Laravel', 'refuted', data(tenfold)],
    ['octane', 'Octane with Laravel', 'not checked', data([...tenfold.slice(3, 4), row('laravel/Octane')])],
    ['octane', 'One answer', 'not checked', data(tenfold)],
    [
      'symfony',
      'Unit is the best',
      'confirmed',
      data([row('Unit', holding(600, 50)), row('php-fpm', holding(400, 50))]),
    ],
    [
      'symfony',
      'Unit is the best',
      'refuted',
      data([row('Unit', holding(300, 9)), row('php-fpm', holding(400, 50))]),
    ],
    [
      'symfony',
      'Unit is the best',
      'not checked',
      data([row('Unit', holding(450, 9)), row('php-fpm', holding(400, 50))]),
    ],
    [
      'symfony',
      'Keeping the kernel',
      'confirmed',
      data(
        ['RoadRunner', 'ReactPHP'].flatMap((name) => [
          row(name, costing(1)),
          row(`${name}-reboot`, costing(2.1)),
        ]),
      ),
    ],
    [
      'symfony',
      'Keeping the kernel',
      'not checked',
      data([
        ...[row('RoadRunner', costing(1)), row('RoadRunner-reboot', costing(2.1))],
        ...[row('ReactPHP', costing(1)), row('ReactPHP-reboot', costing(5))],
      ]),
    ],
    ['symfony', 'One run each', 'not checked', data([])],
    ['apache', 'One hop fewer', 'confirmed', data([], loop('slower', 'slower'))],
    ['apache', 'A unix socket', 'confirmed', data([], loop('slower', 'inconclusive'))],
    ['apache', 'A unix socket', 'refuted', data([], loop('slower', 'faster'))],
    ['apache', 'A unix socket', 'refuted', data([], loop('no-difference', 'no-difference'))],
    ['apache', 'A unix socket', 'not checked', data([], loop('no-difference', 'inconclusive'))],
    ['apache', 'Differences shrink', 'confirmed', data([], loop('slower', 'slower'))],
    [
      'apache',
      'Differences shrink',
      'refuted',
      data([], [beside('Apache', 10, 'faster', 1.01, 1.03), beside('Apache', 200, 'slower', 0.8, 0.9)]),
    ],
    [
      'apache',
      'Differences shrink',
      'not checked',
      data([], [beside('Apache', 10, 'faster', 1.01, 1.03), beside('Apache', 200, 'slower', 0.9, 0.98)]),
    ],
    [
      'apache',
      'FastCGI',
      'confirmed',
      data([row('Apache', { bytes: 18_200 }), row('fpm-unix', { bytes: 18_000 })]),
    ],
    [
      'apache',
      'FastCGI',
      'refuted',
      data([row('Apache', { bytes: 18_000 }), row('fpm-unix', { bytes: 18_000 })]),
    ],
    [
      'shop',
      'Servers that keep',
      'confirmed',
      data([
        ...['Unit', 'Apache', 'php-fpm'].map((name) => row(name, costing(8))),
        ...['Swoole', 'FrankenPHP', 'RoadRunner'].map((name, i) => row(name, costing(1.5 + i / 2))),
      ]),
    ],
    ['shop', 'Servers that keep', 'not checked', data([row('Unit', costing(8)), row('Swoole', costing(2))])],
    [
      'shop',
      'On a real app',
      'confirmed',
      data([row('php-fpm', costing(8, 0.1)), row('Apache', costing(8.2, 0.1))]),
    ],
    [
      'shop',
      'On a real app',
      'refuted',
      data([row('php-fpm', costing(6, 0.1)), row('Apache', costing(8, 0.1))]),
    ],
    [
      'shop',
      'On a real app',
      'not checked',
      data([row('php-fpm', costing(8, 2)), row('Apache', costing(8, 2))]),
    ],
    [
      'auth',
      'RoadRunner does twice',
      'refuted',
      data([row('RoadRunner', doing(110)), row('Apache', doing(100))]),
    ],
    [
      'unit',
      'Unit does not',
      'refuted',
      data([row('Unit', doing(60)), row('Unit-1', doing(30)), row('Apache', doing(60))]),
    ],
    [
      'unit',
      'Unit does not',
      'confirmed',
      data([row('Unit', doing(30)), row('Unit-1', doing(30)), row('Apache', doing(60))]),
    ],
    [
      'unit',
      'Unit does not',
      'not checked',
      data([row('Unit', doing(60)), row('Unit-1', doing(59)), row('Apache', doing(60))]),
    ],
  ])('%s: %s … %s', (name, claim, verdict, found) => {
    expect(verdictOn(name, claim, found)).toBe(verdict);
  });

  test('stalls are reported, other work that takes the CPUs leaves nothing to judge', () => {
    const rows = [row('RoadRunner', doing(200)), row('Apache', doing(100))];
    expect(verdictOn('auth', 'RoadRunner does twice', data(rows, [], 5))).toBe('confirmed');
    expect(verdictOn('auth', 'RoadRunner does twice', data(rows, [], 6))).toBe('not checked');
    const sizes = [row('Apache', { bytes: 18_200 }), row('fpm-unix', { bytes: 18_000 })];
    expect(verdictOn('apache', 'FastCGI', data(sizes, [], 20))).toBe('confirmed');
  });

  test('a row with a flaw is not there, and what was not run is not checked', () => {
    const rows = [row('RoadRunner', { ...doing(200), flaw: 'failed' }), row('Apache', doing(100))];
    expect(verdictOn('auth', 'RoadRunner does twice', data(rows))).toBe('not checked');
    expect(judgeClaims('auth', null).map(({ verdict }) => verdict)).toEqual(Array(2).fill('not checked'));
  });
});
