import { expect, test } from 'vitest';
import { findLabels } from './labels.ts';

test('names and groups that stand in a script, groups in each other', () => {
  const text = `group('cart', () => { group("pay", f); }); http.get(u, { tags: { name: 'list' } }); params.tags.name = "one";`;
  expect(findLabels([text])).toEqual([
    { name: 'list', tag: 'name:list' },
    { name: 'one', tag: 'name:one' },
    { name: 'group cart', tag: 'group:::cart' },
    { name: 'group pay', tag: 'group:::pay' },
    ...['cart › cart', 'cart › pay', 'pay › cart', 'pay › pay'].map((name) => ({
      name: `group ${name}`,
      tag: `group:::${name.replace(' › ', '::')}`,
    })),
  ]);
});

test('what k6 cannot select by is left out, and so is what would be too much', () => {
  expect(findLabels(["name: 'a,b' name: 'c}' name: ' d' name: 'e7'"])).toEqual([]);
  const many = Array.from({ length: 90 }, (_, i) => `group('g${i}', f); name: 'n${i}';`).join('\n');
  expect(findLabels([many])).toHaveLength(50);
});
