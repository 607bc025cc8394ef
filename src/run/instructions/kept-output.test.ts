import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { MOST_PLAIN, nameFiles, packText } from './kept-output.ts';

test('each page has a file of its own, whatever characters its path has', () => {
  const names = nameFiles([
    '/',
    '/a/b',
    '/a_b',
    '/a?b',
    '/a/b',
    `/${'x'.repeat(200)}1`,
    `/${'x'.repeat(200)}2`,
  ]);
  expect([...names.values()].slice(0, 4)).toEqual([
    'callgrind.out._',
    'callgrind.out._a_b',
    'callgrind.out._a_b-2',
    'callgrind.out._a_b-3',
  ]);
  expect(new Set(names.values()).size).toBe(6);
  for (const name of nameFiles(['/../../x', '/<b>$(id)', '/\u202e']).values())
    expect(name).toMatch(/^callgrind\.out\.[\w@.=-]+$/);
});

test('what is large is compressed, and nothing is lost', () => {
  expect(packText('out', 'fn=(1)')).toEqual(['out', 'fn=(1)']);
  const text = '0 123\n'.repeat(MOST_PLAIN / 6 + 1);
  const [name, content] = packText('out', text);
  expect(name).toBe('out.gz');
  expect(content.length).toBeLessThan(text.length / 10);
  expect(gunzipSync(content as Uint8Array).toString()).toBe(text);
});
