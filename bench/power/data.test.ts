import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { appendLine, dropTornLine, type Line, readLines } from './data.ts';

const series: Line = {
  ...{ kind: 'series', seed: 1, commit: 'c0ffee', plan: ['--budget', '1m'] },
  ...{ swapped: false, started: '2026-01-01T00:00:00Z' },
};
let file: string;
useFolder(() => {
  file = join(folder, 'series.ndjson');
});

test('what is appended is read again', () => {
  expect(readLines(file)).toEqual([]);
  appendLine(file, series);
  appendLine(file, { ...series, seed: 2 });
  expect(readLines(file)).toEqual([series, { ...series, seed: 2 }]);
  expect(dropTornLine(file)).toBe(0);
});

test.each(['{"kind":"comparison","id":"aa/apache/01"', '{"kind":"compari', '{}'])(
  'a last line that was not finished is dropped: %s',
  (torn) => {
    appendLine(file, series);
    appendFileSync(file, torn);
    expect(readLines(file)).toEqual([series]);
    expect(dropTornLine(file)).toBe(torn.length);
    appendLine(file, { ...series, seed: 2 });
    expect(readLines(file)).toEqual([series, { ...series, seed: 2 }]);
  },
);

test('a file that is nothing but a torn line becomes empty', () => {
  writeFileSync(file, '{"kind":"series"');
  expect(dropTornLine(file)).toBe(16);
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('a line in the middle that is no JSON is an error with its number', () => {
  appendLine(file, series);
  appendFileSync(file, '{"kind"\n');
  appendLine(file, series);
  expect(() => readLines(file)).toThrow(`${file}:2 is no JSON`);
});
