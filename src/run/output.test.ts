import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openOutput } from './output.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'php-runtime-bench-out-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Files, and with a slash at the end folders that hold something. */
function fill(names: readonly string[]): void {
  for (const name of names) {
    if (!name.endsWith('/')) writeFileSync(join(folder, name), 'x');
    else {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'file'), 'x');
    }
  }
}

test.each([
  ['nothing', []],
  ['a whole run', ['measurements.ndjson', 'raw/', 'report.html', 'report.md', 'results.json']],
  ['one that was killed while it wrote for the first time', ['results.json.new']],
  ['one that was killed while it wrote again', ['raw/', 'report.md.new', 'results.json', 'results.json.new']],
])('takes a folder that holds %s, and empties it', async (_, names) => {
  fill(names);
  const output = await openOutput(folder);
  expect(readdirSync(folder)).toEqual([]);
  await output.write('raw/logs/0.log', 'x');
  expect(existsSync(join(folder, 'raw/logs/0.log'))).toBe(true);
});

test.each([
  ['files of others', ['results.json', 'thesis.txt']],
  ['what is only called like ours', ['raw/']],
  ['a report without the results that it is of', ['measurements.ndjson', 'report.md']],
])('refuses a folder with %s, and touches nothing', async (_, names) => {
  fill(names);
  await expect(openOutput(folder)).rejects.toThrow('files that are not ours');
  expect(readdirSync(folder, { recursive: true })).toHaveLength(
    names.join('').includes('/') ? 2 : names.length,
  );
});
