import { expect, test } from 'vitest';
import { UserError } from '../../errors.ts';
import { hasRate, loadMs, parseLoad, scaleLoad, stepRates } from './load.ts';

const MINUTE = 60_000;

test.each([
  ['line(1, 1000, 10m)', [{ kind: 'line', fromRps: 1, toRps: 1000, ms: 10 * MINUTE }], 10 * MINUTE],
  ['const(100, 2m30s)', [{ kind: 'const', rps: 100, ms: 2.5 * MINUTE }], 2.5 * MINUTE],
  ['step(5,100,5,10s)', [{ kind: 'step', fromRps: 5, toRps: 100, byRps: 5, ms: 10_000 }], 200_000],
  ['vus(10, 1500ms)', [{ kind: 'vus', vus: 10, ms: 1500 }], 1500],
  ['requests(10000, 50)', [{ kind: 'requests', requests: 10_000, vus: 50 }], null],
  [
    'line(1, 100, 60s) const(100, 1h)',
    [
      { kind: 'line', fromRps: 1, toRps: 100, ms: MINUTE },
      { kind: 'const', rps: 100, ms: 60 * MINUTE },
    ],
    61 * MINUTE,
  ],
  ['vus ( 1 ,1s ) , vus(2,1s),\n vus(3,1s)', [1, 2, 3].map((vus) => ({ kind: 'vus', vus, ms: 1000 })), 3000],
])('%s', (source, segments, ms) => {
  const load = parseLoad(source);
  expect(load.segments).toEqual(segments);
  expect(loadMs(load)).toBe(ms);
});

test.each([
  ['line(1, 9, 1s)', true],
  ['const (1, 1s)', true],
  ['step(1, 9, 1, 1s)', true],
  ['vus(1, 1s)', false],
  ['requests(1, 1)', false],
  ['vus(1, 1s), const(1, 1s)', true],
])('%s has a rate: %s', (source, expected) => {
  expect(hasRate(parseLoad(source).source)).toBe(expected);
});

test.each([
  [5, 20, 5, [5, 10, 15, 20]],
  [5, 22, 5, [5, 10, 15, 20, 22]],
  [20, 5, 5, [20, 15, 10, 5]],
  [20, 6, 5, [20, 15, 10, 6]],
  [7, 7, 5, [7]],
])('step from %d to %d by %d', (fromRps, toRps, byRps, rates) => {
  expect(stepRates({ kind: 'step', fromRps, toRps, byRps, ms: 1 })).toEqual(rates);
});

test.each([
  [0.1, 'step(5, 100, 5, 10s) const(100, 2m30s)', 'step(5, 100, 5, 1s) const(100, 15s)'],
  [0.1, 'line(1, 1000, 10m)', 'line(1, 1000, 60s)'],
  [0.25, 'const(10, 30s)', 'const(10, 7500ms)'],
  // k6 needs a second of each, and nothing gets longer.
  [0.1, 'vus(8, 1500ms) vus(9, 3s)', 'vus(8, 1s) vus(9, 1s)'],
  [0.1, 'requests(10000, 50)', 'requests(1000, 50)'],
  [0.1, 'requests(3, 2)', 'requests(1, 2)'],
  [1, 'line(1,2, 60s)', 'line(1,2, 60s)'],
])('%d of the time of %s', (share, source, expected) => {
  const scaled = scaleLoad(parseLoad(source), share);
  expect(scaled).toEqual(parseLoad(expected));
});

test.each([
  ['', 'no load'],
  [' , ', 'no load'],
  ['const', "'(' is missing after 'const'"],
  ['const(1, 1s', "')' is missing after 'const(1, 1s'"],
  ['const(1, 1s))', 'unknown load'],
  ['const((1), 1s)', "')' is missing after 'const('"],
  ['(1, 1s)', 'unknown load'],
  ['100', 'unknown load'],
  ['const()', "'const' takes 2 values, not 0"],
  ['const(1, 1s, )', "'const' takes 2 values, not 3"],
  ['const(0, 1s)', 'rps of const(rps, time): number out of bounds'],
  ['const(-1, 1s)', 'rps of const(rps, time): number out of bounds'],
  ['const(1.5, 1s)', 'rps of const(rps, time): not a whole number'],
  ['const(1000001, 1s)', 'rps of const(rps, time): number out of bounds'],
  ['const(1, 0s)', 'time of const(rps, time): time out of bounds'],
  ['const(1, 1d)', 'time of const(rps, time): not a time'],
  ['const(1, 25h)', 'time of const(rps, time): time out of bounds'],
  ['vus(100001, 1s)', 'n of vus(n, time): number out of bounds'],
  ['step(1, 1000000, 1, 1s)', 'too many steps'],
  ['requests(100, 4) vus(8, 30s)', "nothing can follow 'requests'"],
  ['toString(1, 1s)', 'unknown load'],
  ['vus(1, 1s) '.repeat(101), 'too many segments'],
  [`vus(1, 1s)${' '.repeat(5000)}x`, 'load has too many characters'],
])('refuses %j', (source, message) => {
  try {
    parseLoad(source);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).message).toBe(message);
  }
});
