import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixtures } from '../../test/fixtures/results/make.ts';
import type { Results } from '../results.ts';
import { openOutput, readOutput } from './output.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'php-runtime-bench-output-'));
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

const made = () => fixtures['one-start']?.() as Results;
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('what has ended is read as it was written, without a look at what was appended', async () => {
  const results = made();
  writeFileSync(join(folder, 'results.json'), JSON.stringify(results));
  expect(await readOutput(folder)).toEqual(results);
  writeFileSync(join(folder, 'measurements.ndjson'), 'x\n'.repeat(results.measurements.length));
  expect(await readOutput(folder)).toEqual(results);
});

test('of a run that was killed there is what it has appended, but for a line that was cut off', async () => {
  const results = made();
  const output = await openOutput(folder);
  await output.write('results.json', JSON.stringify({ ...results, measurements: [] }));
  await output.append(results.measurements.slice(0, 3));
  writeFileSync(join(folder, 'measurements.ndjson'), '{"variant":"apa', { flag: 'a' });
  expect((await readOutput(folder)).measurements).toEqual(results.measurements.slice(0, 3));
});

test('a line of it that cannot be read is named', async () => {
  const results = made();
  writeFileSync(join(folder, 'results.json'), JSON.stringify({ ...results, measurements: [] }));
  const [good, ...others] = results.measurements.slice(0, 2).map((slice) => JSON.stringify(slice));
  writeFileSync(join(folder, 'measurements.ndjson'), [good, '{"variant": 1}', ...others, ''].join('\n'));
  await expect(readOutput(folder)).rejects.toMatchObject({
    message: 'these results cannot be read',
    detail: { where: { name: join(folder, 'measurements.ndjson'), line: 2 } },
  });
});

test('a text is written piece by piece, and one that ends in an error takes the place of none', async () => {
  const output = await openOutput(folder);
  await output.write('report.html', ['<p>', 'ü</p>\n']);
  expect(read('report.html')).toBe('<p>ü</p>\n');
  function* broken() {
    yield 'half';
    throw new Error('no more');
  }
  await expect(output.write('report.html', broken())).rejects.toThrow('no more');
  expect(read('report.html')).toBe('<p>ü</p>\n');
});
