import { describe, expect, test } from 'vitest';
import { statistics } from '../../test/fixtures/statistics/statistics.ts';
import { effectFor, normalCdf, power, powerFromPilot, satterthwaite, tCritical, tPValue } from './student.ts';

/** All fixtures are SciPy's: test/fixtures/statistics/make.py. */
const off = (found: number, expected: number) => Math.abs(found / expected - 1);

describe("Student's t", () => {
  test.each(statistics.pValues)('p of t $t with $df degrees of freedom', ({ t, df, p }) => {
    if (p < 1e-300) expect(tPValue(t, df)).toBeLessThan(1e-290);
    else expect(off(tPValue(t, df), p)).toBeLessThan(1e-9);
  });
  test.each(statistics.criticals)('critical t at $p with $df degrees of freedom', ({ p, df, t }) => {
    expect(off(tCritical(p, df), t)).toBeLessThan(1e-9);
  });
  test('no t is too large or too small', () => {
    expect(tPValue(0, 5)).toBe(1);
    expect(tPValue(1e200, 5)).toBe(0);
    expect(tPValue(-3, 5)).toBe(tPValue(3, 5));
  });
});

test('degrees of freedom of a sum of variances', () => {
  // Miles per gallon of 249 American and 79 Japanese cars: NIST/SEMATECH e-Handbook 1.3.5.3.
  const cars = [
    { variance: 6.4147 ** 2 / 249, df: 248 },
    { variance: 6.10771 ** 2 / 79, df: 78 },
  ];
  expect(satterthwaite(cars)).toBeCloseTo(136.875, 3);
  const equal = Array.from({ length: 3 }, () => ({ variance: 2, df: 4 }));
  expect(satterthwaite(equal)).toBeCloseTo(12, 9);
  expect(
    satterthwaite([
      { variance: 2, df: 4 },
      { variance: 0, df: 9 },
    ]),
  ).toBeCloseTo(4, 9);
});

test('the normal distribution', () => {
  expect(normalCdf(0)).toBeCloseTo(0.5, 6);
  expect(normalCdf(-2.5758293)).toBeCloseTo(0.005, 6);
  expect(normalCdf(1.6448536)).toBeCloseTo(0.95, 6);
});

describe('power', () => {
  test.each(statistics.powers)(
    '$pairs pairs, effect $effect, spread $spread, α $alpha, floor $floor',
    ({ effect, power: expected, ...design }) => {
      expect(Math.abs(power(effect, design) - expected)).toBeLessThan(2e-5);
    },
  );
  test.each(statistics.effects)(
    'what is found by $pairs pairs, spread $spread, one of $tests tests',
    ({ pairs, spread, tests, plain, floored }) => {
      const design = { pairs, spread, alpha: 0.01 / tests };
      expect(off(effectFor(0.95, { ...design, floor: 0 }), plain)).toBeLessThan(1e-4);
      expect(off(effectFor(0.95, { ...design, floor: -Math.log(0.99) }), floored)).toBeLessThan(1e-4);
    },
  );
  test.each(statistics.pilots)(
    '$pairs pairs, spread $spread known from $spreadPairs only',
    ({ pairs, effect, spread, spreadPairs, power: expected }) => {
      const design = { pairs, spread, alpha: 0.01, floor: 0 };
      expect(Math.abs(powerFromPilot(effect, design, spreadPairs) - expected)).toBeLessThan(1e-3);
      // Close to 1 the effect hardly moves the power.
      if (expected < 0.99) expect(off(effectFor(expected, design, spreadPairs), effect)).toBeLessThan(0.01);
    },
  );
  test('without any spread only the floor counts', () => {
    const design = { pairs: 4, spread: 0, alpha: 0.01, floor: 0.01 };
    expect(effectFor(0.95, design)).toBe(0.01);
    expect([power(0.009, design), power(0.01, design)]).toEqual([0, 1]);
  });
});
