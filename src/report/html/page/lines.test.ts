import uPlot from 'uplot';
import { expect, test } from 'vitest';
import { nearestKnown } from './lines.ts';

/** Values of lines under the cursor, each line with an x and a y of its own. */
function read(lines: [x: number[], y: (number | null)[]][], x: number): (number | null)[] {
  const data = uPlot.join(lines as uPlot.AlignedData[]);
  const closest = (data[0] as number[]).indexOf(x);
  return lines.map((_, i) => {
    const at = nearestKnown({ data }, i + 1, closest, x);
    return data[i + 1]?.[at] ?? null;
  });
}

test('a line that ended before has no value there, rather than its last', () => {
  const xs = [0, 1, 2, 3];
  const lines: [number[], (number | null)[]][] = [
    [xs, [5, 9, null, null]],
    [xs, [4, 6, 8, 20]],
  ];
  expect(read(lines, 1)).toEqual([9, 6]);
  expect(read(lines, 3)).toEqual([null, 20]);
});

test('between its own points the nearest of them is read, also if it has no value', () => {
  const lines: [number[], (number | null)[]][] = [
    [
      [0, 10, 20],
      [1, 2, null],
    ],
    [
      [4, 14, 16],
      [3, 4, 5],
    ],
  ];
  expect(read(lines, 4)).toEqual([1, 3]);
  expect(read(lines, 14)).toEqual([2, 4]);
  expect(read(lines, 16)).toEqual([null, 5]);
  expect(read(lines, 0)).toEqual([1, 3]);
});

test('far behind its last point, or before its first, a line has no value', () => {
  const lines: [number[], (number | null)[]][] = [
    [
      [0, 10, 20, 30],
      [1, 2, 3, 4],
    ],
    [
      [12, 16],
      [5, 6],
    ],
    [[16], [7]],
  ];
  expect(read(lines, 0)).toEqual([1, null, null]);
  expect(read(lines, 10)).toEqual([2, 5, null]);
  expect(read(lines, 16)).toEqual([3, 6, 7]);
  expect(read(lines, 20)).toEqual([3, 6, null]);
  expect(read(lines, 30)).toEqual([4, null, null]);
});
