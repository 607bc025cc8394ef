import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import type { Count, Gate, Results } from '../../results/results.ts';
import { makeRandom } from '../../stats/random.ts';
import { analyse } from '../analyse.ts';
import { outcomeOf } from '../outcome.ts';
import { judgeCounts } from './counts.ts';

/** The repeats of each start. */
type Starts = readonly (readonly number[])[];

function countsOf(
  variant: string,
  starts: Starts,
  name = 'queries',
  endpoint: string | null = null,
): Count[] {
  return starts.map((perRequest, instance) => ({
    ...{ count: true, variant, scenario: 'quick', instance, by: 'services', endpoint },
    ...{ requests: 20, failures: 0, values: [{ name, perRequest: [...perRequest] }] },
  }));
}

/** Repeats of a start agree, starts do not: six repeats a side are two observations. */
const APART = {
  head: [
    [5, 5, 5.01],
    [9, 9, 9.01],
  ],
  base: [
    [3, 3, 3.01],
    [4, 4, 4.01],
  ],
};
const constant = (value: number): Starts => [Array(3).fill(value), Array(3).fill(value)];

function resultsOf(head: Starts, base: Starts | null, gates: readonly Gate[] = []): Results {
  return makeResults({
    servers: [{ id: 'apache', rps: 400, base: {} }],
    compareTo: {},
    gates,
    change: (results) => {
      results.counts.push(...countsOf('apache', head), ...(base ? countsOf('apache:base', base) : []));
    },
  });
}

const judge = (head: Starts, base: Starts | null) => judgeCounts(resultsOf(head, base)).get('quick')?.[0];

test('without another ref, counts are compared with the first that did not fail', () => {
  const failure = { stage: 'build' as const, reason: 'no network', log: '' };
  const results = makeResults({
    servers: [
      { id: 'a', rps: 1, failure },
      { id: 'b', rps: 400 },
      { id: 'c', rps: 400 },
    ],
    change: ({ counts }) => counts.push(...countsOf('b', constant(3)), ...countsOf('c', constant(14))),
  });
  const rows = judgeCounts(results).get('quick');
  expect(rows?.map(({ variant, change }) => [variant, change?.reference, change?.verdict])).toEqual([
    ['b', undefined, undefined],
    ['c', 'b', 'more'],
  ]);
});

describe('counts of both sides', () => {
  test('constant on both, two numbers are compared as they are', () => {
    expect(judge(constant(14), constant(3))?.change).toMatchObject({
      ...{ against: 'base', difference: 11, interval: null, verdict: 'more', reasons: [] },
      from: { perRequest: 3, constant: true, instances: 2, repeats: 6 },
    });
    expect(judge(constant(3), constant(14))?.change?.verdict).toBe('fewer');
    expect(judge(constant(3), constant(3))?.change?.verdict).toBe('same');
    expect(judge(constant(1), constant(0))?.change).toMatchObject({ verdict: 'more', ratio: null });
  });

  test('quotients that mean one number are the same', () => {
    const third = 0.1 + 0.2;
    expect(judge(constant(third), constant(0.3))?.change?.verdict).toBe('same');
    expect(
      judge(
        [
          [third, 0.3],
          [0.3, third],
        ],
        constant(0.3),
      )?.side.constant,
    ).toBe(true);
  });

  test('where one varies, the difference has an interval over fresh starts', () => {
    const head = [
      [14.1, 14.3, 14.2],
      [14.2, 14.2, 14.4],
    ];
    const found = judge(head, constant(3))?.change;
    expect(found).toMatchObject({ verdict: 'more', interval: { level: 0.99 } });
    expect(found?.interval?.low).toBeGreaterThan(9);
    expect(found?.interval?.high).toBeLessThan(13);
  });

  test('what differs between starts counts in full', () => {
    expect(judge(APART.head, APART.base)?.change?.verdict).toBe('inconclusive');
  });

  test('with one start on a side repeats are what is tested', () => {
    expect(judge([[14.1, 14.2, 14.3]], [[3, 3.1, 3]])?.change?.verdict).toBe('more');
  });

  test('counted once, or with requests that failed, there is no verdict', () => {
    expect(judge([[14]], [[3]])?.change).toMatchObject({
      verdict: 'inconclusive',
      reasons: [/once/].map(() => expect.any(String)),
    });
    const results = resultsOf(constant(14), constant(3));
    for (const count of results.counts) count.failures = 1;
    expect(judgeCounts(results).get('quick')?.[0]?.change).toMatchObject({
      ...{ verdict: 'inconclusive', reasons: ['some requests of the count failed'] },
    });
  });

  test('without a base there is a number, and nothing to compare', () => {
    expect(judge(constant(14), null)).toMatchObject({ side: { perRequest: 14 }, change: null });
  });

  test('without compare-to others are compared with the reference', () => {
    const results = makeResults({
      servers: [
        { id: 'a', rps: 400 },
        { id: 'b', rps: 400 },
      ],
      change: ({ counts }) => {
        counts.push(...countsOf('a', constant(3)), ...countsOf('b', constant(4)));
      },
    });
    const rows = judgeCounts(results).get('quick');
    expect(rows?.map(({ change }) => change?.verdict)).toEqual([undefined, 'more']);
    expect(rows?.[1]?.change).toMatchObject({ against: 'reference', reference: 'a' });
  });

  test('equal sides that vary are called different in at most 1 % of runs', () => {
    const random = makeRandom(7);
    const side = () => {
      // Starts differ, too.
      return Array.from({ length: 2 }, () => {
        const start = 100 + 4 * random();
        return Array.from({ length: 3 }, () => start + random());
      });
    };
    const results = resultsOf(constant(1), null);
    const wrong = Array.from({ length: 2000 }, () => {
      results.counts = [...countsOf('apache', side()), ...countsOf('apache:base', side())];
      return judgeCounts(results).get('quick')?.[0]?.change?.verdict;
    }).filter((verdict) => verdict === 'more' || verdict === 'fewer');
    // 20 are expected.
    expect(wrong.length).toBeLessThan(40);
  });
});

describe('gates', () => {
  const gate = (more: Partial<Gate>): Gate => ({
    ...{ source: 'queries more', metric: null, count: 'queries', above: 0, scenario: null, variant: null },
    ...more,
  });
  const outcome = (head: Starts, base: Starts | null, of: Partial<Gate>) => {
    const summary = analyse(resultsOf(head, base, [gate(of)]));
    const { failed, unjudged } = summary.gates[0] ?? {};
    return { failed, unjudged, code: outcomeOf(summary).code };
  };

  test.each([
    [14, 3, { more: 0 }, true],
    [3, 3, { more: 0 }, false],
    [2, 3, { more: 0 }, false],
    [5, 3, { more: 2 }, false],
    [5.5, 3, { more: 2 }, true],
    [12, 10, { above: 0.2 }, false],
    [12.5, 10, { above: 0.2 }, true],
    [1, 0, { above: 0.2 }, true],
    [14, 3, { more: 0, scenario: 'other' }, false],
    [14, 3, { more: 0, variant: 'apache' }, true],
  ])('%d instead of %d against %j: failed is %s', (head, base, of, failed) => {
    expect(outcome(constant(head), constant(base), of)).toEqual({
      failed,
      unjudged: false,
      code: failed ? 1 : 0,
    });
  });

  test('what cannot be judged ends with 3, but not where its whole interval is allowed', () => {
    expect(outcome(APART.head, APART.base, { more: 0 })).toEqual({ failed: false, unjudged: true, code: 3 });
    expect(outcome(APART.head, APART.base, { more: 100 })).toEqual({
      failed: false,
      unjudged: false,
      code: 0,
    });
    expect(outcome(constant(14), null, { more: 0 })).toEqual({ failed: false, unjudged: true, code: 3 });
  });

  test('a rule on instructions finds the count of its app and PHP version, under whatever server and scenario', () => {
    const judgeRule = (of: Partial<Gate>) => {
      const results = makeResults({
        servers: ['apache', 'nginx-fpm', 'old'].map((id) => ({
          ...{ id, rps: 400, base: {}, php: id === 'old' ? '8.1' : '8.4' },
        })),
        compareTo: {},
        gates: [gate({ count: 'instructions', more: 0, ...of })],
        change: ({ plan, counts }) => {
          const [first] = plan.scenarios as [Results['plan']['scenarios'][0]];
          plan.scenarios.push(
            { ...first, name: 'later', journey: '/first /second' },
            { ...first, name: 'others', journey: '/other' },
          );
          const counted = [
            ...countsOf('apache', [[200, 200]], 'instructions', '/second'),
            ...countsOf('apache:base', [[100, 100]], 'instructions', '/second'),
          ];
          counts.push(...counted.map((one) => ({ ...one, by: 'instructions' as const, floorRatio: 0 })));
        },
      });
      const { failed, unjudged } = analyse(results).gates[0] ?? {};
      return { failed, unjudged };
    };
    const found = { failed: true, unjudged: false };
    const missing = { failed: false, unjudged: true };
    expect(judgeRule({})).toEqual(found);
    expect(judgeRule({ variant: 'nginx-fpm' })).toEqual(found);
    expect(judgeRule({ scenario: 'later' })).toEqual(found);
    expect(judgeRule({ scenario: 'later', variant: 'nginx-fpm' })).toEqual(found);
    expect(judgeRule({ variant: 'old' })).toEqual(missing);
    expect(judgeRule({ scenario: 'others' })).toEqual(missing);
  });
});
