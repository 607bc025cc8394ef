import { describe, expect, test } from 'vitest';
import type { Comparison } from '../results/results.ts';
import { bothNumbers, describeVerdict, markOf, type Named, tell } from './changes.ts';

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
const amid = '+2.0 %, 99 % interval −2.0…+6.0 %';

const medium = { name: (label: string) => label, text: (text: string) => text.replaceAll('*', '\\*') };
const say = (...items: readonly (readonly [string, Comparison])[]) =>
  tell(
    items.map(([subject, comparison]): Named => ({ subject, comparison, against: 'main' })),
    medium,
  ).map(({ text }) => text);

describe('one variant', () => {
  test.each([
    [compared(), 'a is slower than main: CPU per request +4.8 % (99 % interval +3.9…+5.7 %).'],
    [faster, 'a is faster than main: CPU per request −6.0 % (99 % interval −6.8…−5.2 %).'],
    [same, 'a: no difference above 0.9 % from main in CPU per request.'],
    [unsure, `Inconclusive for a in CPU per request against main: ${amid}; could have seen ≥ 2.4 %.`],
    [
      { ...unsure, reasons: ['only 2 pairs of *starts*', '40 % of the slices dropped'] },
      `Inconclusive for a in CPU per request against main: ${amid}; could have seen ≥ 2.4 %; only 2 pairs of \\*starts\\*.`,
    ],
    [
      { ...unsure, detectable: null, ratio: null, interval: null, reasons: ['a failed'] },
      'Inconclusive for a in CPU per request against main: a failed.',
    ],
    [
      compared({ metric: 'rps', ratio: 0.9542, interval: { low: 0.946, high: 0.963, level: 0.99 } }),
      'a is slower than main: RPS −4.6 % (99 % interval −5.4…−3.7 %).',
    ],
    [
      compared({
        metric: 'rps',
        verdict: 'faster',
        ratio: 9.876,
        interval: { low: 9.1, high: 10.6, level: 0.99 },
      }),
      'a is faster than main: RPS ×9.88 (99 % interval ×9.10…×10.6).',
    ],
  ])('%#', (comparison, expected) => {
    expect(say(['a', comparison])).toEqual([expected]);
  });
});

describe('several variants', () => {
  test('sure differences first, the bad ones before the good ones; what was said is not said again', () => {
    expect(say(['a', same], ['b', unsure], ['c', faster], ['d', compared()])).toEqual([
      'd is slower than main: CPU per request +4.8 % (99 % interval +3.9…+5.7 %).',
      'c is faster than main: CPU per request −6.0 % (99 % interval −6.8…−5.2 %).',
      `Inconclusive for b: ${amid}; could have seen ≥ 2.4 %.`,
      'a: no difference above 0.9 %.',
    ]);
  });
  test('another metric is named', () => {
    expect(say(['a', compared()], ['b', { ...same, metric: 'p99' }])[1]).toBe(
      'b: no difference above 0.9 % from main in p99.',
    );
  });
  test('the worst first, and no more than three with their numbers', () => {
    const by = (ratio: number) =>
      compared({ ratio, interval: { low: ratio - 0.01, high: ratio + 0.01, level: 0.99 } });
    expect(say(['a', by(1.02)], ['b', by(1.05)], ['c', by(1.03)], ['d', by(1.04)], ['e', by(1.015)])).toEqual(
      [
        'Slower than main: b (CPU per request +5.0 %, 99 % interval +4.0…+6.0 %), d (+4.0 %, 99 % interval +3.0…+5.0 %), c (+3.0 %, 99 % interval +2.0…+4.0 %) and 2 others.',
      ],
    );
  });
  test('200 of each kind stay four sentences of readable length', () => {
    const many = [compared(), faster, same, unsure].flatMap((comparison) =>
      Array.from({ length: 200 }, (_, i): [string, Comparison] => [`variant-${i}`, comparison]),
    );
    const told = say(...many);
    expect(told).toHaveLength(4);
    for (const sentence of told) expect(sentence.length).toBeLessThan(250);
  });
  test('a bound holds for all that it is said of', () => {
    expect(say(['a', same], ['b', { ...same, margin: 0.0152 }])).toEqual([
      'a and b: no difference above 1.6 % from main in CPU per request.',
    ]);
    expect(say(['a', unsure], ['b', { ...unsure, detectable: 0.31 }])[0]).toMatch(/could have seen ≥ 31 %/);
    expect(say(['a', unsure], ['b', { ...unsure, detectable: null }])[0]).not.toMatch(/≥/);
  });
  test('a reason of all is given once, else each its own', () => {
    const because = (reason: string) => ({ ...unsure, reasons: [reason] });
    expect(say(['a', because('x')], ['b', because('x')])[0]).toBe(
      `Inconclusive for a (${amid}) and b (${amid}) in CPU per request against main: could have seen ≥ 2.4 %; x.`,
    );
    expect(say(['a', because('x')], ['b', because('y')], ['c', unsure])[0]).toBe(
      `Inconclusive for a (${amid}; x), b (${amid}; y) and c (${amid}) in CPU per request against main: could have seen ≥ 2.4 %.`,
    );
  });
});

test('every metric in words of its own', () => {
  const metrics = ['rps', 'p50', 'p99', 'cpu', 'memory', 'services'] as const;
  const words = (verdict: Comparison['verdict']) =>
    metrics.map((metric) => describeVerdict(compared({ metric, verdict })));
  expect(words('slower')).toEqual([
    'slower',
    'p50 slower',
    'p99 slower',
    'more CPU per request',
    'more memory',
    'more CPU of services per request',
  ]);
  expect(words('faster')).toEqual([
    'faster',
    'p50 faster',
    'p99 faster',
    'less CPU per request',
    'less memory',
    'less CPU of services per request',
  ]);
  expect(describeVerdict(same)).toBe('no difference above 0.9 %');
  expect(describeVerdict(unsure)).toBe('inconclusive: could have seen ≥ 2.4 %');
});

test('marks tell verdicts apart without colour', () => {
  expect([compared(), faster, same, unsure].map(markOf)).toEqual([
    'slower',
    'faster',
    '= within 0.9 %',
    '? inconclusive',
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
] as const)('both numbers, the other side first: %j', (comparison, expected) => {
  expect(bothNumbers(comparison)).toBe(expected);
});
