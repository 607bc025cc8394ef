import { expect, test } from 'vitest';
import type { Flame } from '../../flame/flame.ts';
import {
  callSize,
  isGone,
  isNew,
  largestChange,
  layOutCalls,
  readCalls,
  shadeOf,
  sumMatching,
} from './calls.ts';
import { describeCall as tell } from './flame-words.ts';

/** main calls a (which calls b), new, gone. */
const flame: Flame = {
  ...{ isCompared: true, names: ['main', 'a', 'b', 'new', 'gone'], places: [], groups: [], changed: [] },
  calls: [
    [-1, 0, 10, 10],
    [0, 1, 40, 20],
    [1, 2, 20, 25],
    [0, 3, 30, 0],
    [0, 4, 0, 45],
  ],
};

const root = readCalls(flame);
const [main] = root.callees;
const [a, fresh, gone] = main?.callees ?? [];
const [b] = a?.callees ?? [];
if (!main || !a || !b || !fresh || !gone) throw new Error('a call is missing');

test('a call has the time of all that it calls', () => {
  expect(root.total).toEqual({ variant: 100, base: 100 });
  expect(a.total).toEqual({ variant: 60, base: 45 });
  expect([isNew(fresh), isGone(gone), isNew(a), isGone(a)]).toEqual([true, true, false, false]);
});

test('boxes lie side by side below their caller, as wide as their share', () => {
  const boxes = layOutCalls(root, 'variant').map(({ call, x, width }) => [flame.names[call.name], x, width]);
  expect(boxes).toEqual([
    [undefined, 0, 1],
    ['main', 0, 1],
    ['a', 0, 0.6],
    ['b', 0, 0.2],
    ['new', 0.6, 0.3],
  ]);
  expect(layOutCalls(root, 'base').map(({ call }) => flame.names[call.name])).toEqual([
    ...[undefined, 'main', 'a', 'b', 'gone'],
  ]);
});

test('a closer look takes the whole width, below its callers', () => {
  const boxes = layOutCalls(a, 'variant').map(({ call, width }) => [flame.names[call.name], width]);
  expect(boxes).toEqual([
    [undefined, 1],
    ['main', 1],
    ['a', 1],
    ['b', 1 / 3],
  ]);
});

test('what is gone is shown by itself, with its callers', () => {
  expect(layOutCalls(root, 'gone').map(({ call, width }) => [flame.names[call.name], width])).toEqual([
    [undefined, 1],
    ['main', 1],
    ['gone', 1],
  ]);
  expect(callSize(root, 'gone')).toBe(45);
});

test('a shade shows how a call changed by itself', () => {
  const largest = largestChange(root);
  expect(largest).toBe(20);
  expect([main, a, b, fresh, gone].map((call) => shadeOf(call, largest))).toEqual([
    '',
    'up3',
    'down1',
    'new',
    'gone',
  ]);
  expect(shadeOf(main, 0)).toBe('');
});

test('what is found is counted once, however deep', () => {
  expect(sumMatching(root, ({ name }) => name === 1 || name === 2, 'variant')).toBe(60);
  expect(sumMatching(root, () => false, 'variant')).toBe(0);
});

test('a call is described in words', () => {
  expect(tell(a, root, true)).toBe(
    '45 µs → 60 µs (+15 µs), 60 % of the request; by itself 20 µs → 40 µs (+20 µs)',
  );
  expect(tell(gone, root, true)).toMatch(/^gone; 45 µs → 0 µs \(−45 µs\), 45 % of the request/);
  expect(tell(fresh, root, true)).toMatch(/^new; 0 µs → 30 µs/);
  expect(tell(b, root, false)).toBe('20 µs, 20 % of the request; by itself 20 µs');
});
