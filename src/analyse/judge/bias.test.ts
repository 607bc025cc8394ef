import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PERCENTS, readCells } from '../../../bench/latency/rows.ts';
import { groupCells } from '../../../bench/latency/table.ts';
import { expectedBias, isDoubtful, MAX_BIAS } from './bias.ts';

const folder = resolve(import.meta.dirname, '../../../bench/latency/data');
/** As a run sets k6: `gogc=off` when that was not yet so. */
const OURS = ['ours', 'gogc=off'];
const groups = groupCells(readCells(readdirSync(folder).map((name) => join(folder, name))));
const measured = groups.filter(({ setting }) => OURS.includes(setting));

describe('the milliseconds that k6 adds', () => {
  test('are those that bench/latency measured at a constant rate, as committed', () => {
    const rates = measured.filter(({ load }) => /^const-\d+$/.test(load));
    expect(rates.length).toBeGreaterThanOrEqual(4);
    for (const { busyRatio, addedMs } of rates) {
      PERCENTS.forEach((p, i) => {
        // The busy ratio is kept with two digits, the milliseconds too.
        const bias = expectedBias(Math.round(busyRatio * 100) / 100, p) ?? Number.NaN;
        expect(Math.abs(bias - (addedMs[i] as number)), `p${p} at ${busyRatio}`).toBeLessThanOrEqual(0.0051);
      });
    }
  });

  test('are no less than those of a closed load that keeps k6 as busy, except for a tenth of a millisecond', () => {
    const closed = measured.filter(({ load }) => load.startsWith('closed'));
    expect(closed.length).toBeGreaterThanOrEqual(3);
    for (const { busyRatio, addedMs } of closed) {
      PERCENTS.forEach((p, i) => {
        expect(expectedBias(busyRatio, p) ?? Number.NaN, `p${p}`).toBeGreaterThan(
          (addedMs[i] as number) - 0.1,
        );
      });
    }
  });

  test('lie on a line between two measurements, start at the least busy one, and end at the busiest', () => {
    const middle = ((expectedBias(0.2, 99) as number) + (expectedBias(0.3, 99) as number)) / 2;
    expect(expectedBias(0.25, 99)).toBeCloseTo(middle, 10);
    expect(expectedBias(0, 50)).toBe(expectedBias(0.1, 50));
    expect(expectedBias(0.99, 50)).toBeNull();
  });

  test('grow with what k6 has to do', () => {
    for (const p of PERCENTS) {
      const curve = [0.3, 0.5, 0.7, 0.8].map((busy) => expectedBias(busy, p) ?? Number.NaN);
      expect([...curve].sort((a, b) => a - b)).toEqual(curve);
    }
  });
});

test('a figure is doubtful when more than a tenth of the truth comes on top, or nothing is known', () => {
  const bias = expectedBias(0.5, 90) as number;
  expect(isDoubtful(bias + (bias / MAX_BIAS) * 1.01, 0.5, 90)).toBe(false);
  expect(isDoubtful(bias + (bias / MAX_BIAS) * 0.99, 0.5, 90)).toBe(true);
  expect(isDoubtful(1e6, 0.99, 90)).toBe(true);
});
