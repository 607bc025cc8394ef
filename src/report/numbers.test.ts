import { describe, expect, test } from 'vitest';
import { percent } from '../analyse/words.ts';
import { atLeast, bytes, digits, duration, estimated, points } from './numbers.ts';

describe('no more digits than are known', () => {
  test.each([
    [15_312, 480, '15,300 ± 500'],
    [15_312, 12.3, '15,310 ± 10'],
    [1_234.4, 12.3, '1,234 ± 12'],
    [1_234.4, 300, '1,200 ± 300'],
    [0.51234, 0.0034, '0.512 ± 0.003'],
    [0.51234, 0.00001, '0.5123 ± 0.0001'],
    [12.5, 40, '10 ± 40'],
    [99.96, null, '100'],
    [12_345, null, '12,300'],
    [1.7749, null, '1.77'],
    [0, null, '0.00'],
    [0, 0, '0.00 ± 0'],
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
  expect([3.21, 48, 60, 142, 3720].map(duration)).toEqual([
    '3.2 s',
    '48 s',
    '1 min',
    '2 min 22 s',
    '1 h 2 min',
  ]);
  expect([0.0812, 0.2513, 0.0999].map(points)).toEqual(['8.1 %', '25 %', '10 %']);
});
