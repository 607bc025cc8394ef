import { describe, expect, test } from 'vitest';
import { type Item, makeSchedule, PHASES, TARGET_NAMES } from './series.ts';

const schedule = makeSchedule(1);
const countOf = (items: readonly Item[], of: Partial<Item>) =>
  items.filter((item) => Object.entries(of).every(([key, value]) => item[key as keyof Item] === value))
    .length;

describe('the order of a series', () => {
  test('begins with 60 A/A and 30 A/B at 2 %, a third on each target', () => {
    const first = schedule.slice(0, 90);
    for (const target of TARGET_NAMES) {
      expect(countOf(first, { target, treatment: 'aa' })).toBe(20);
      expect(countOf(first, { target, treatment: 'cpu-2' })).toBe(10);
    }
  });

  test('is balanced wherever it is stopped', () => {
    for (let n = 1; n <= 90; n++) {
      const made = schedule.slice(0, n);
      const rounds = Math.floor(n / 9);
      for (const target of TARGET_NAMES) {
        const aa = countOf(made, { target, treatment: 'aa' });
        expect(aa).toBeGreaterThanOrEqual(2 * rounds);
        expect(aa).toBeLessThanOrEqual(2 * rounds + 2);
        const ab = countOf(made, { target, treatment: 'cpu-2' });
        expect(ab).toBeGreaterThanOrEqual(rounds);
        expect(ab).toBeLessThanOrEqual(rounds + 1);
      }
    }
  });

  test('differs from round to round', () => {
    const rounds = Array.from({ length: 10 }, (_, i) =>
      schedule
        .slice(9 * i, 9 * i + 9)
        .map(({ treatment, target }) => treatment + target)
        .join(),
    );
    expect(new Set(rounds).size).toBeGreaterThan(8);
  });

  test('is the same for the same seed, and another for another', () => {
    expect(makeSchedule(1)).toEqual(schedule);
    expect(makeSchedule(2)).not.toEqual(schedule);
  });

  test('gives every comparison a name and a seed of its own', () => {
    expect(schedule).toHaveLength(PHASES.reduce((sum, { rounds, of }) => sum + 3 * rounds * of.length, 0));
    expect(new Set(schedule.map(({ id }) => id)).size).toBe(schedule.length);
    expect(new Set(schedule.map(({ seed }) => seed)).size).toBe(schedule.length);
  });
});
