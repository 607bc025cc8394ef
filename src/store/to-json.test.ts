import { expect, test } from 'vitest';
import { toJson } from './to-json.ts';

test.each([
  ['nothing', {}],
  [
    'values of all kinds',
    { text: 'a "b"', none: null, left: undefined, no: false, deep: { list: [1, undefined] } },
  ],
  ['lists', { empty: [], one: [1], many: Array.from({ length: 2001 }, (_, i) => ({ i })), after: 'x' }],
])('pieces make the text that JSON.stringify makes: %s', (_, record) => {
  expect([...toJson(record)].join('')).toBe(`${JSON.stringify(record)}\n`);
});

test('no piece grows with the list', () => {
  const longest = (length: number) =>
    Math.max(...[...toJson({ list: Array.from({ length }, () => 'item') })].map((piece) => piece.length));
  expect(longest(100_000)).toBe(longest(5000));
});
