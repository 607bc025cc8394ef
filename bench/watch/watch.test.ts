import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COPIES, writeCopy } from './copies.ts';
import { excessOf, groupTurns, trimmedMean } from './summary.ts';
import { cutTurns, drawTurns, type Reading } from './turns.ts';

test('the copies lack what is measured, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-watch-'));
  try {
    const read = (copy: keyof typeof COPIES) => {
      writeCopy(join(folder, copy), COPIES[copy]);
      return ['bench', 'main']
        .map((name) => readFileSync(join(folder, copy, `lib/${name}.js`), 'utf8'))
        .join('');
    };
    const [bare, compared, full] = [read('bare'), read('compared'), read('full')];
    const has = (text: string) =>
      ['countResent(', 'watchResent(http)', 'compare(', 'enter(slice);'].map((part) => text.includes(part));
    expect(has(bare)).toEqual([false, false, false, false]);
    expect(has(compared)).toEqual([false, false, true, true]);
    expect(has(full)).toEqual([true, true, true, true]);
    const lines = (text: string) => text.split('\n').length;
    expect(lines(full) - lines(bare)).toBeLessThan(25);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('each arm comes there and back, equally often', () => {
  const order = drawTurns(5, 20);
  expect(order.slice(5, 10)).toEqual(order.slice(0, 5).toReversed());
  for (let arm = 0; arm < 5; arm++) expect(order.filter((of) => of === arm)).toHaveLength(4);
});

test('CPU time and requests of a turn are read in the pauses', () => {
  // 100 requests of 1 ms in each turn of arm 0, 50 of 1.5 ms in those of arm 1; the last fifth of a turn is a pause.
  const order = [0, 1, 1, 0];
  const readings: Reading[] = [{ atMs: 900, cpuSeconds: 5, served: 0 }];
  let [cpuSeconds, served] = [5, 0];
  order.forEach((arm, turn) => {
    const [requests, each] = arm === 0 ? [100, 0.001] : [50, 0.0015];
    const half = { cpuSeconds: cpuSeconds + (requests * each) / 2, served: served + requests / 2 };
    readings.push({ atMs: 1000 + turn * 100 + 40, ...half });
    [cpuSeconds, served] = [cpuSeconds + requests * each, served + requests];
    for (const ms of [82, 88, 96]) readings.push({ atMs: 1000 + turn * 100 + ms, cpuSeconds, served });
  });
  // The first reading is before the pause that ends the turn before.
  readings.splice(1, 0, { atMs: 992, cpuSeconds: 5, served: 0 });
  const turns = cutTurns(readings, order, { startMs: 1000, turnMs: 100, pauseMs: 20 });
  expect(turns.map(({ requests }) => requests)).toEqual([100, 50, 50, 100]);
  const [group] = groupTurns(turns, 2);
  expect(group?.[0]).toBeCloseTo(1000, 6);
  expect(group?.[1]).toBeCloseTo(1500, 6);
});

test('a neighbour that disturbs some groups does not change the result', () => {
  const groups = Array.from({ length: 100 }, (_, i) => {
    const slow = i % 10 === 0 ? 80 : 0;
    return [100 + (i % 3), 102 + ((i + 1) % 3) + slow];
  });
  const { value, half } = excessOf(groups, 1);
  expect(Math.abs(value - 2)).toBeLessThan(0.5);
  expect(half).toBeLessThan(1);
  expect(trimmedMean(groups.map(([, one]) => one as number)).value).toBeLessThan(104);
});
