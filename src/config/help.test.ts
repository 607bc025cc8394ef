import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { helpText } from './help.ts';

test('the help lists every exit code that docs/cli.md lists', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)), 'utf8');
  const rows = [...page.matchAll(/^\|\s*(\d+(?:,? (?:and|or)? ?\d+)*)\s*\|/gm)].flatMap(([, codes = '']) =>
    codes.match(/\d+/g),
  );
  expect(rows).toEqual(expect.arrayContaining(['0', '1', '2', '3', '70']));
  const [, listed = ''] = /Exit codes:([\s\S]*)$/.exec(helpText()) ?? [];
  expect(rows.filter((code) => !new RegExp(`\\b${code}\\b`).test(listed))).toEqual([]);
});
