import { describe, expect, test } from 'vitest';
import { readLists } from './lists.ts';

const VALUE = {
  schema: 1,
  'a[{"b': '\\" ] } [ { \u00e9 日本',
  plan: { items: [{ not: 'these' }], deep: [[{}], []] },
  items: [{ text: 'ü] } "\\' }, { list: [[1, 2], { more: [{}] }] }, {}],
  others: [],
  rest: [{ kept: true }],
};

/** @param size of the pieces in which the text comes */
async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = 7) {
  const taken: Record<string, unknown[]> = { items: [], others: [] };
  const take = (name: string) => (item: unknown, index: number) => {
    expect(index).toBe(taken[name]?.length);
    taken[name]?.push(item);
  };
  const around = await readLists(inPieces(text, size), { items: take('items'), others: take('others') });
  return { taken, around };
}

describe('items come one by one, and a 0 is in the place of each', () => {
  test.each([1, 2, 3, 5, 64, 1e6])('in pieces of %d bytes', async (size) => {
    for (const indent of [undefined, 2]) {
      const { taken, around } = await read(JSON.stringify(VALUE, null, indent), size);
      expect(taken).toEqual({ items: VALUE.items, others: [] });
      expect(around).toEqual({ ...VALUE, items: [0, 0, 0] });
    }
  });
});

test.each([
  ['cut off within an item', '{"items":[{"a":[1', 'Unterminated|Unexpected|Expected'],
  ['cut off between items', '{"items":[{"a":1},', 'Unexpected|Expected'],
  ['an item that is no JSON', '{"items":[{"a":1},{"a":NaN}]}', '^items\\.1: not JSON: '],
  ['no JSON around', '{"items":[{"a":1}],,}', 'Expected'],
  ['brackets that do not match', '{"items":[{"a":[1}]]}', 'Expected'],
  ['nothing', '', 'Unexpected end'],
])('refused: %s', async (_, text, message) => {
  for (const size of [1, 1e6]) await expect(read(text, size)).rejects.toThrow(new RegExp(message));
});

test('what is no object stays where it is', async () => {
  const { taken, around } = await read('{"items":[1,"x",null,[2]],"others":{"a":[{}]}}', 1e6);
  expect(taken).toEqual({ items: [], others: [] });
  expect(around).toEqual({ items: [1, 'x', null, [2]], others: { a: [{}] } });
});
