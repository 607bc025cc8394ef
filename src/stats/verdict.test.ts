import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { statistics } from '../../test/fixtures/statistics/statistics.ts';
import {
  benjaminiHochberg,
  holm,
  isSure,
  judge,
  type PairedTest,
  predictDetectable,
  testPairs,
} from './verdict.ts';

describe('the paired test', () => {
  test.each(statistics.pairedTests)("of $values.length pairs is SciPy's, p $p", ({ values, ...expected }) => {
    const found = testPairs(values) as PairedTest & { interval: object };
    expect(found).toMatchObject({ pairs: values.length });
    const numbers = { ...found, ...found.interval } as unknown as Record<string, number>;
    for (const [name, value] of Object.entries(expected)) {
      expect(Math.abs((numbers[name] as number) - value)).toBeLessThan(1e-9 * Math.abs(value));
    }
  });
  test('one pair says how large, not how sure; none says nothing', () => {
    expect(testPairs([0.02])).toEqual({ pairs: 1, mean: 0.02, spread: null, interval: null, p: null });
    expect(testPairs([])).toBeNull();
  });
  test('pairs that agree to the last bit are sure, or surely the same', () => {
    expect(testPairs([0, 0, 0, 0])).toMatchObject({ p: 1, interval: { low: 1, high: 1 } });
    expect(testPairs([0.5, 0.5, 0.5, 0.5])).toMatchObject({ p: 0, spread: 0 });
  });
});

describe('corrections for many tests', () => {
  test.each(statistics.corrections)(
    'Holm and Benjamini–Hochberg of $p.length, as statsmodels and SciPy',
    (c) => {
      holm(c.p).forEach((p, i) => {
        expect(p).toBeCloseTo(c.holm[i] as number, 12);
      });
      benjaminiHochberg(c.p).forEach((p, i) => {
        expect(p).toBeCloseTo(c.bh[i] as number, 12);
      });
    },
  );
  test('of nothing is nothing', () => {
    expect([holm([]), benjaminiHochberg([])]).toEqual([[], []]);
  });
});

describe('the verdict', () => {
  const of = (mean: number, low: number, high: number, more: Partial<PairedTest> = {}): PairedTest => ({
    ...{ pairs: 12, mean: Math.log(mean), spread: 0.01, p: 0.001, interval: { low, high } },
    ...more,
  });

  test.each<[string, PairedTest, number, boolean, object]>([
    ['more of a cost', of(1.05, 1.03, 1.07), 0.001, false, { verdict: 'slower', margin: null }],
    ['less of a cost', of(0.95, 0.93, 0.97), 0.001, false, { verdict: 'faster', margin: null }],
    ['more RPS', of(1.05, 1.03, 1.07), 0.001, true, { verdict: 'faster', margin: null }],
    ['less RPS', of(0.95, 0.93, 0.97), 0.001, true, { verdict: 'slower', margin: null }],
    ['p at ALPHA is not below', of(1.05, 1.03, 1.07), 0.01, false, { verdict: 'inconclusive' }],
    [
      'sure, but too small to matter',
      of(1.009, 1.008, 1.0105),
      0,
      false,
      { verdict: 'no-difference', margin: 0.011 },
    ],
    ['within ± 3 %', of(1, 0.9712, 1.02), 0.9, false, { verdict: 'no-difference', margin: 0.029 }],
    ['exactly 3 %', of(1, 0.97, 1.03), 0.9, false, { verdict: 'no-difference', margin: 0.03 }],
    ['beyond 3 % below', of(1, 0.9695, 1.02), 0.9, false, { verdict: 'inconclusive', margin: null }],
    ['beyond 3 % above', of(1, 0.98, 1.0305), 0.9, false, { verdict: 'inconclusive', margin: null }],
    ['no margin of 0 %', of(1, 1, 1), 1, false, { verdict: 'no-difference', margin: 0.001 }],
    ['three pairs', of(1.5, 1.49, 1.51, { pairs: 3 }), 0, false, { verdict: 'inconclusive' }],
    ['three pairs that agree', of(1, 1, 1, { pairs: 3 }), 1, false, { verdict: 'inconclusive' }],
  ])('%s', (_, found, adjustedP, moreIsFaster, expected) => {
    expect(judge(found, adjustedP, moreIsFaster)).toMatchObject(expected);
  });

  test('1 % is enough, anything below is not', () => {
    expect(isSure(of(1.0101, 1, 1), 0)).toBe(true);
    expect(isSure(of(1.0099, 1, 1), 0)).toBe(false);
    expect(isSure(of(0.9899, 1, 1), 0)).toBe(true);
    expect(isSure(of(0.9901, 1, 1), 0)).toBe(false);
  });
});

describe('what can be detected', () => {
  const at = (pairs: number, more = {}) => predictDetectable({ pairs, spread: 0.01, ...more }) as number;
  test("is SciPy's", () => {
    for (const { floored, ...prospect } of statistics.effects) {
      expect(predictDetectable(prospect)).toBeCloseTo(Math.expm1(floored), 5);
    }
  });
  test('more pairs find less, more tests and an uncertain spread need more', () => {
    expect(at(12)).toBeLessThan(at(6));
    expect(at(12, { tests: 5 })).toBeGreaterThan(at(12));
    expect(at(12, { spreadPairs: 6 })).toBeGreaterThan(at(12, { spreadPairs: 20 }));
    expect(at(12, { spreadPairs: 20 })).toBeGreaterThan(at(12));
  });
  test('never less than what counts as a difference, and nothing with too few pairs', () => {
    expect(predictDetectable({ pairs: 30, spread: 0 })).toBeCloseTo(1 / 0.99 - 1, 12);
    expect(predictDetectable({ pairs: 3, spread: 0.001 })).toBeNull();
  });
  test('stands in docs/method.md as it is, rounded up', () => {
    const page = readFileSync(new URL('../../docs/method.md', import.meta.url), 'utf8');
    const row = (name: string) =>
      page
        .split('\n')
        .find((line) => line.startsWith(`| ${name} `))
        ?.match(/\| +[\d.]+ %/g)
        ?.map((cell) => Number.parseFloat(cell.slice(1)));
    const expected = (more: object) =>
      [4, 6, 8, 12, 16, 24, 30].map((pairs) => Math.ceil(1000 * at(pairs, more)) / 10);
    expect(row('found, of one test, spread 0.5 %')).toEqual(expected({ spread: 0.005 }));
    expect(row('spread 1 %')).toEqual(expected({}));
    expect(row('spread 1 %, one of 5 tests')).toEqual(expected({ tests: 5 }));
  });
});
