import { expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import { analyse } from '../../analyse/analyse.ts';
import { tellCounts } from './count-words.ts';

const plain = { name: (label: string) => label, text: (text: string) => text };

/** Instructions of `/` on both sides; `cpu`: CPU per request of head ÷ base. */
function tell(head: number[], base: number[], cpu: number | null = null): string {
  const summary = analyse(
    makeResults({
      servers: [{ id: 'apache', rps: 400, base: {} }],
      compareTo: {},
      change: (results) => {
        for (const [variant, perRequest] of Object.entries({ apache: head, 'apache:base': base })) {
          results.counts.push({
            ...({ count: true, variant, scenario: 'quick', instance: 0, by: 'instructions' } as const),
            ...{ endpoint: '/', requests: 5, failures: 0, floorRatio: 0.000095 },
            values: [{ name: 'instructions', perRequest }],
          });
        }
      },
    }),
  );
  const scenarios = summary.scenarios.map((scenario) => ({
    ...scenario,
    comparisons: scenario.comparisons.map((one) =>
      cpu === null || one.metric !== 'cpu'
        ? one
        : {
            ...one,
            ratio: cpu,
            verdict: cpu > 1 ? ('slower' as const) : ('faster' as const),
            interval: null,
          },
    ),
  }));
  return tellCounts({ ...summary, scenarios }, plain);
}

test('a page does more work or less, with its floor; it is never slower', () => {
  expect(tell([15_822_000, 15_824_000], [15_742_000, 15_744_000])).toBe(
    '/ does more work: instructions 15.743 M → 15.823 M per request (+0.51 %, floor 0.0095 %).',
  );
  expect(tell([9e6, 9e6], [10e6, 10e6])).toContain(
    '/ does less work: instructions 10.000 M → 9.0000 M per request (−10.00 %',
  );
});

test('up to 0.1 % is no change, however sure it is', () => {
  expect(tell([10_009_000, 10_009_000], [10e6, 10e6])).toBe('');
  expect(tell([10_011_000, 10_011_000], [10e6, 10e6])).toContain('does more work');
});

test('CPU per request that changed in the other direction is shown, too', () => {
  const opposite = tell([11e6, 11e6], [10e6, 10e6], 0.9);
  expect(opposite).toContain('(+10.00 %, floor 0.0095 %), although CPU per request −10.0 %');
  expect(tell([11e6, 11e6], [10e6, 10e6], 1.1)).not.toContain('although');
});
