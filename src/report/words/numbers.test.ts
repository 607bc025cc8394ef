import { describe, expect, test } from 'vitest';
import { givenPercent, percent } from '../../text/percent.ts';
import {
  atLeast,
  atMost,
  bytes,
  bytesOfBoth,
  change,
  digits,
  digitsOfBoth,
  duration,
  estimated,
  points,
} from './numbers.ts';

describe('no more digits than are known', () => {
  test.each([
    [15_312, 480, '15,300 ± 500'],
    [15_312, 12.3, '15,310 ± 10'],
    [1_234.4, 12.3, '1,234 ± 12'],
    [1_234.4, 300, '1,200 ± 300'],
    [0.51234, 0.0034, '0.512 ± 0.003'],
    [0.51234, 0.00001, '0.5123 ± 0.0001'],
    [12.5, 40, '13 ± 40'],
    [99.96, null, '100'],
    [12_345, null, '12,300'],
    [1.7749, null, '1.77'],
    [0, null, '0'],
    [0, 0, '0 ± 0'],
    [300, 0, '300 ± 0'],
  ])('%d ± %d', (value, half, expected) => {
    expect(estimated({ value, half, over: 'instances', n: 3 })).toBe(expected);
  });
  test.each([
    [9.996, '10.0'],
    [999.6, '1,000'],
    [0.0123456, '0.0123'],
    [123_456, '123,000'],
  ])('%d', (value, expected) => expect(digits(value)).toBe(expected));
});

test('a lower bound is never rounded up', () => {
  expect(atLeast(12_399)).toBe('≥ 12,300');
  expect(atLeast(0)).toBe('≥ 0.00');
});

test('what is not all right never reads as 100 %, what is not nothing never as 0 %', () => {
  expect([0.9875, 0.99995, 0.1, 1].map(givenPercent)).toEqual(['98.75 %', '99.995 %', '10 %', '100 %']);
  expect(percent(1)).toBe('100 %');
  expect(percent(300_298 / 300_299)).toBe('99.99 %');
  expect(percent(0.9876)).toBe('98.7 %');
  expect(percent(0.828)).toBe('82.8 %');
  expect(percent(1e-6)).toBe('< 0.1 %');
  expect(percent(0)).toBe('0 %');
});

test('units', () => {
  expect([0, 512, 2048, 61 * 1048576, 5e9].map(bytes)).toEqual([
    '0 bytes',
    '512 bytes',
    '2.00 KiB',
    '61.0 MiB',
    '4.66 GiB',
  ]);
  expect([3.21, 48, 59.4, 59.7, 60, 142, 3720].map(duration)).toEqual([
    '3.2 s',
    '48 s',
    '59 s',
    '1 min',
    '1 min',
    '2 min 22 s',
    '1 h 2 min',
  ]);
  expect([0.0812, 0.2513, 0.0999].map(points)).toEqual(['8.1 %', '25 %', '10 %']);
  expect([0.99, 0.9949, 0.996, 0.99999, 1].map(points)).toEqual([
    '99 %',
    '99 %',
    '99.6 %',
    '99.99 %',
    '100 %',
  ]);
});

test.each([
  [8_596, 8_595.2, '8,596.0 → 8,595.2'],
  [1_236.4, 1_239.4, '1,236 → 1,239'],
  [1_236.4, 1_238, '1,236.4 → 1,238.0'],
  [1_236.4, 1_500.2, '1,236 → 1,500'],
  [3, 14.25, '3.0 → 14.3'],
  [2.0912, 2.0945, '2.0912 → 2.0945'],
  [0, 0.05, '0.0000 → 0.0500'],
  [12.5, 12.5, '12.5 → 12.5'],
  [0.1 + 0.2, 0.3, '0.300 → 0.300'],
  [1 / 3, 0.333333, '0.3333333 → 0.3333330'],
  [0, 0, '0.00 → 0.00'],
])('two numbers show by how much they differ: %d and %d', (from, to, expected) => {
  expect(digitsOfBoth(from, to)).toBe(expected);
});

test('bytes that were counted are shown exactly enough, those that were measured in three digits', () => {
  expect(bytesOfBoth(2_097_152, 2_099_000, digitsOfBoth)).toBe('2.0000 → 2.0018 MiB');
  expect(bytesOfBoth(512.25, 512.5, digitsOfBoth)).toBe('512.25 → 512.50 bytes');
  expect(bytesOfBoth(0, 64, digitsOfBoth)).toBe('0 → 64 bytes');
  expect(bytesOfBoth(61 * 1048576, 87 * 1048576, digitsOfBoth)).toBe('61.0 → 87.0 MiB');
  expect(bytesOfBoth(2_097_152, 2_099_000)).toBe('2.00 → 2.00 MiB');
});

describe('a change never claims more than its interval does', () => {
  test.each([
    [1.0478, { low: 1.0391, high: 1.0566 }, '+4.8 %', '+3.9…+5.7'],
    [0.954, { low: 0.9451, high: 0.9629 }, '−4.6 %', '−5.5…−3.7'],
    [1.0002, { low: 0.9996, high: 1.0008 }, '0.0 %', '−0.1…+0.1'],
    [1.02, { low: 1.02, high: 1.02 }, '+2.0 %', '+2.0…+2.0'],
    [1.31, { low: 1.2, high: 1.42 }, '+31 %', '+20…+42'],
    [2.4, { low: 2.38, high: 2.43 }, '+140 %', '+138…+143'],
    [0.4, { low: 0.39, high: 0.41 }, '−60.0 %', '−61.0…−59.0'],
    // Something is left.
    [0.004, { low: 0.001, high: 0.3 }, '−99.6 %', '−100…−70'],
    [0.0004, null, '−99.9 %', ''],
    [0, null, '−100 %', ''],
    [12.34, { low: 11.9, high: 12.8 }, '×12.3', '×11.9…×12.8'],
    [12.34, { low: 9.996, high: 12.81 }, '×12.3', '×9.99…×12.9'],
    [4, null, '×4.00', ''],
    [1.5, { low: 0.4, high: 5 }, '×1.50', '×0.40…×5.00'],
    // Two fresh starts on a busy machine.
    [0.55, { low: 0.0001, high: 4.41e9 }, '×0.55', '×0.00…>×1,000'],
    [1500, { low: 1400, high: 1600 }, '×1,500', '×1,400…×1,600'],
    [1.049, null, '+4.9 %', ''],
    // Beyond no change, which is what the verdict is about.
    [1.015, { low: 1.0003, high: 1.0299 }, '+1.5 %', '+0.03…+3.0'],
    [0.9, { low: 0.75, high: 0.996 }, '−10 %', '−25…−0.4'],
    [1.01, { low: 1, high: 1.02 }, '+1.0 %', '0.0…+2.0'],
  ])('%d in %o', (ratio, interval, value, range) => {
    expect(change(ratio, interval)).toEqual({ value, interval: range });
  });
  test('bounds are rounded up', () => {
    expect([0, 0.012, 0.0121, 0.0861, 0.0994, 0.311, 0.3].map(atMost)).toEqual([
      '0.1 %',
      '1.2 %',
      '1.3 %',
      '8.7 %',
      '10.0 %',
      '32 %',
      '30 %',
    ]);
  });
});
