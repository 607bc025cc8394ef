import { expect, test } from 'vitest';
import { keyOf, pathOf } from './frame-groups.ts';

test.each([
  ['eval', "src/Rule.php(41) : eval()'d code", "src/Rule.php(48) : eval()'d code"],
  [
    'eval in eval',
    "src/Rule.php(41) : eval()'d code(3) : eval()'d code",
    "src/Rule.php(48) : eval()'d code(9) : eval()'d code",
  ],
  [
    'create_function',
    'src/Rule.php(41) : runtime-created function',
    'src/Rule.php(8) : runtime-created function',
  ],
])('code of %s is the same in both versions, in whatever line it is called', (_, one, other) => {
  expect(keyOf({ name: one, file: one })).toBe(keyOf({ name: other, file: other }));
  expect(keyOf({ name: 'rule', file: one })).toBe(keyOf({ name: 'rule', file: other }));
  expect(keyOf({ name: 'rule', file: one })).not.toBe(keyOf({ name: 'rule', file: 'src/Rule.php' }));
  expect(pathOf(one)).toBe('src/Rule.php');
});

test('numbers in brackets belong to the names of other files', () => {
  expect(pathOf('src/copy (2).php')).toBe('src/copy (2).php');
  expect(keyOf({ name: 'f', file: 'src/a(2).php' })).not.toBe(keyOf({ name: 'f', file: 'src/a(3).php' }));
});
