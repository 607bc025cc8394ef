import { expect, test } from 'vitest';
import type { Comparison } from '../../results/results.ts';
import { bothNumbers, describeVerdict, markOf, tellAmount } from './changes.ts';

function compared(change: Partial<Comparison> = {}): Comparison {
  return {
    variant: 'apache',
    reference: 'main:apache',
    against: 'base',
    scenario: 'quick',
    metric: 'cpu',
    primary: true,
    how: 'turns',
    ratio: 1.0478,
    values: { variant: 431.3, reference: 411.6 },
    interval: { low: 1.0391, high: 1.0566, level: 0.99 },
    pairs: 12,
    slices: 72,
    dropped: 0,
    disturbed: 0,
    spread: 0.01,
    p: 1e-6,
    adjustedP: 2e-6,
    detectable: 0.0121,
    verdict: 'slower',
    margin: null,
    reasons: [],
    ...change,
  };
}

const faster = compared({
  verdict: 'faster',
  ratio: 0.94,
  interval: { low: 0.932, high: 0.948, level: 0.99 },
});
const same = compared({
  verdict: 'no-difference',
  ratio: 1.001,
  interval: { low: 0.995, high: 1.007, level: 0.99 },
  margin: 0.00861,
});
const unsure = compared({
  ...{ verdict: 'inconclusive', ratio: 1.02, detectable: 0.0231 },
  interval: { low: 0.98, high: 1.06, level: 0.99 },
});
test('every metric has the same words', () => {
  for (const metric of ['rps', 'p50', 'p99', 'cpu', 'memory', 'services'] as const) {
    expect(describeVerdict(compared({ metric }))).toBe('worse');
    expect(describeVerdict(compared({ metric, verdict: 'faster' }))).toBe('better');
  }
  expect(describeVerdict(same)).toBe('no change above 0.9 %');
  expect(describeVerdict({ ...same, margin: null })).toBe('no change');
  expect(describeVerdict(unsure)).toBe('too noisy to tell');
  expect(describeVerdict({ ...unsure, detectable: null, reasons: ['2 pairs, 4 needed'] })).toBe(
    'cannot tell',
  );
});

test('an amount names its metric and its interval', () => {
  expect(tellAmount(compared())).toBe('CPU per request +4.8 % (99 % interval +3.9…+5.7 %)');
  expect(tellAmount(compared({ ratio: null, interval: null }))).toBe('by an unknown amount');
});

test('marks differ between verdicts without colour', () => {
  expect([compared(), faster, same, unsure].map(markOf)).toEqual([
    'slower',
    'faster',
    '= within 0.9 %',
    '? cannot tell',
  ]);
});

test.each([
  [{ metric: 'cpu', values: { reference: 411.6, variant: 431.3 } }, '0.412 → 0.431 ms'],
  [{ metric: 'services', values: { reference: 12_300, variant: 12_900 } }, '12.3 → 12.9 ms'],
  [{ metric: 'rps', values: { reference: 12_345, variant: 9_876 } }, '12,300 → 9,880 rps'],
  [{ metric: 'p99', values: { reference: 9.96, variant: 10.04 } }, '9.96 → 10.0 ms'],
  [{ metric: 'memory', values: { reference: 900 * 1024, variant: 2 * 1024 ** 2 } }, '0.879 → 2.00 MiB'],
  [{ metric: 'memory', values: { reference: 10, variant: 20 } }, '10 → 20 bytes'],
  [{ metric: 'rps', values: null }, ''],
] as const)('both numbers, the base first: %j', (comparison, expected) => {
  expect(bothNumbers(comparison)).toBe(expected);
});
