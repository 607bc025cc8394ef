import { expect, test } from 'vitest';
import type { CallgrindPart } from './callgrind.ts';
import { findDifferences, findExtremes, findPageDifference, floorOf, meanOf } from './repeats.ts';

const part = (instructions: number, functions: Record<string, [number, number]> = {}): CallgrindPart => ({
  instructions,
  functions: new Map(Object.entries(functions).map(([name, [self, calls]]) => [name, { self, calls }])),
});
const repeat = (...all: number[]) => all.map((one) => part(one));

test('the floor is what equal counts differ by: repeats, requests, on either side', () => {
  expect(floorOf([[repeat(1000, 1000), repeat(1000, 1000)]])).toBe(0);
  expect(floorOf([[repeat(1000), repeat(1001)]])).toBeCloseTo(0.001, 5);
  // The mean of requests that differ is the surer the more there are.
  expect(floorOf([[repeat(1000, 1000, 1000, 1100), repeat(1000, 1000, 1000, 1100)]])).toBeCloseTo(0.0488, 3);
  // Random work of one side alone is found, too.
  expect(
    floorOf([
      [repeat(1000), repeat(1000)],
      [repeat(500), repeat(1500)],
    ]),
  ).toBe(1);
  expect(meanOf(repeat(1, 2, 3))).toBe(2);
});

test('functions that differ, the most first; those that are new or gone among them', () => {
  const base = part(0, { same: [5, 1], gone: [40, 4], less: [30, 1] });
  const head = part(0, { same: [5, 1], less: [20, 1], new: [15, 3] });
  expect(findDifferences(base, head, 2)).toEqual([
    { name: 'gone', self: [40, 0], calls: [4, 0] },
    { name: 'new', self: [0, 15], calls: [0, 3] },
  ]);
  expect(findDifferences(base, base, 9)).toEqual([]);
  expect(findExtremes([repeat(3, 9), repeat(1, 4)]).map(({ instructions }) => instructions)).toEqual([1, 9]);
});

test('only what was checked is counted: its status, and its length as far as it may vary', () => {
  const page = {
    ...{ endpoint: '/', journey: null, variants: ['a'], type: 'text/html', location: '', title: null },
    ...{ status: 200, bytes: [1000, 1010] as [number, number] },
  };
  const answer = (status: number, bytes: number, location = '') => ({ status, bytes, location });
  expect(findPageDifference(page, answer(200, 1000))).toBeNull();
  expect(findPageDifference(page, answer(200, 1061))).toBeNull();
  expect(findPageDifference(page, answer(200, 1062))).toBe(
    'php-cgi answers 1062 bytes instead of 1000 to 1010',
  );
  expect(findPageDifference(page, answer(200, 20))).toContain('20 bytes');
  expect(findPageDifference(page, answer(500, 1000))).toBe('php-cgi answers HTTP 500 instead of HTTP 200');
  expect(findPageDifference(page, answer(302, 1000, '/login'))).toBe(
    'php-cgi answers HTTP 302 to /login instead of HTTP 200',
  );
  expect(findPageDifference({ ...page, status: 302 }, answer(302, 1000))).toBeNull();
  expect(findPageDifference(undefined, answer(404, 10))).toBe('php-cgi answers HTTP 404');
  expect(findPageDifference(page, answer(0, 0))).toBe('php-cgi answered nothing');
});
