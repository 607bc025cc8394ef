import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { fixtures } from '../../test/fixtures/results/make.ts';
import type { Results } from '../results/results.ts';
import { listWritten, openOutput } from './output.ts';
import { readOutput } from './stored.ts';

useFolder();

const made = () => fixtures['one-start']?.() as Results;
const SIGN = '{"schema":1,"tool":{"name":"php-runtime-bench","version":"0.1.0"}';

/** Makes files, and non-empty folders for names that end with a slash. Files named like results begin as ours do. */
function fill(names: readonly string[], sign = SIGN): void {
  for (const name of names) {
    const path = join(folder, name);
    if (name.endsWith('/')) mkdirSync(path, { recursive: true });
    else mkdirSync(dirname(path), { recursive: true });
    writeFileSync(name.endsWith('/') ? join(path, 'file') : path, /results\.json/.test(name) ? sign : 'x');
  }
}

test('only the files that are there are listed, as after a failed build', async () => {
  fill(['results.json', 'report.md', 'report.html', '.previous/']);
  expect(await listWritten(folder)).toEqual(['report.html', 'report.md', 'results.json']);
  fill(['measurements.ndjson', 'raw/']);
  expect((await listWritten(folder)).slice(3)).toEqual(['measurements.ndjson', 'raw/']);
  expect(await listWritten(join(folder, 'none'))).toEqual([]);
});

const all = () => readdirSync(folder, { recursive: true }).map(String).sort();

test.each([
  ['nothing', [], ['.gitignore']],
  ['a .gitignore alone', ['.gitignore'], ['.gitignore']],
  ['one that was killed while it wrote for the first time', ['results.json.new'], []],
])('takes a folder that holds %s', async (_, names, left) => {
  fill(names);
  const output = await openOutput(folder);
  expect(all()).toEqual(left);
  await output.write('raw/logs/0.log', 'x');
  expect(existsSync(join(folder, 'raw/logs/0.log'))).toBe(true);
  expect(await output.end(true)).toBeNull();
});

test('files that a desktop leaves are no files of others, and stay', async () => {
  fill(['results.json', 'raw/', '.DS_Store']);
  const output = await openOutput(folder);
  await output.write('results.json', SIGN);
  await output.end(true);
  expect(all()).toEqual(['.DS_Store', 'results.json']);
});

test('a folder with results that this user may not write to is an error of the user, not of the tool', ({
  skip,
}) => {
  // Whoever is root may write anywhere, unless it gives that up. It may then read its own files alone.
  const isRoot = process.getuid?.() === 0;
  const before = isRoot ? ['setpriv', '--inh-caps=-all', '--bounding-set=-all'] : [];
  const run = (code: string) => {
    const argv = [...before, process.execPath, '--input-type=module', '--eval', code];
    return spawnSync(argv[0] as string, argv.slice(1), { encoding: 'utf8' });
  };
  fill(['results.json', 'measurements.ndjson']);
  chmodSync(folder, 0o555);
  const file = resolve(import.meta.dirname, 'output.ts');
  if (run(`await import('${file}')`).status !== 0) skip('no setpriv, or files of another user');
  try {
    if (isRoot) chownSync(folder, 4711, 4711);
    const { stdout, stderr } = run(`import { openOutput } from '${file}';
      await openOutput('${folder}').catch((error) => console.log(error.name, error.exitCode, error.message));`);
    expect(stdout, stderr).toBe('UserError 2 cannot use the output folder\n');
  } finally {
    chmodSync(folder, 0o755);
  }
});

test('git ignores a new folder, until its .gitignore is removed or changed', async () => {
  const file = join(folder, '.gitignore');
  const run = async () => {
    const output = await openOutput(folder);
    await output.write('results.json', SIGN);
    await output.end(true);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  expect(await run()).toMatch(/^#.*\n\*\n$/);
  expect(await run()).toMatch(/^#.*\n\*\n$/);
  writeFileSync(file, '!results.json');
  expect(await run()).toBe('!results.json');
  rmSync(file);
  expect(await run()).toBeNull();
});

test('a first write that was cut off before its first byte is taken', async () => {
  fill(['results.json.new'], '');
  await openOutput(folder);
  expect(all()).toEqual([]);
});

test.each([
  ['files of others', ['results.json', 'thesis.txt'], SIGN],
  ['what is only called like ours', ['raw/'], SIGN],
  ['a report without the results that it is of', ['measurements.ndjson', 'report.md'], SIGN],
  ['results of another program', ['results.json', 'raw/'], '{"results":[{"command":"sleep 1"}]}'],
  ['results that only mention us', ['results.json', 'raw/'], '{"command":"php-runtime-bench"}'],
  ['results of another program beside ours', ['results.json', 'results.json.new/'], SIGN],
  ['an empty results.json', ['results.json'], ''],
  ['a hidden folder of others', ['results.json', '.previous/'], SIGN],
])('refuses a folder with %s, and touches nothing', async (_, names, sign) => {
  fill(names, sign);
  const before = all();
  await expect(openOutput(folder)).rejects.toThrow('contains other files');
  expect(all()).toEqual(before);
});

describe('what an earlier run left', () => {
  const WHOLE = ['measurements.ndjson', 'raw/', 'report.html', 'report.md', 'results.json'];
  const slice = () => made().measurements.slice(0, 1);

  test('gives way to a complete run', async () => {
    fill([...WHOLE, 'report.md.new', 'results.json.new']);
    const output = await openOutput(folder);
    await output.write('results.json', 'new');
    expect(await output.end(true)).toBeNull();
    expect(all()).toEqual(['results.json']);
    expect(read('results.json')).toBe('new');
  });

  test('comes back when nothing was measured', async () => {
    fill(WHOLE);
    const before = all();
    const output = await openOutput(folder);
    await output.write('results.json', 'new');
    await output.write('raw/services/db.log', 'new');
    expect(await output.end(false)).toBe(folder);
    expect(all()).toEqual(before);
    expect(read('results.json')).toBe(SIGN);
  });

  test('stays beside what an incomplete run has measured, and the next complete run replaces both', async () => {
    fill(WHOLE);
    const output = await openOutput(folder);
    await output.write('results.json', SIGN);
    await output.append(slice());
    expect(await output.end(false)).toBe(join(folder, '.previous'));
    expect(all()).toContain('.previous/raw/file');
    const next = await openOutput(folder);
    await next.write('results.json', SIGN);
    await next.end(true);
    expect(all()).toEqual(['results.json']);
  });

  test('stays beside what two incomplete runs have measured, the newest last', async () => {
    fill(WHOLE);
    const first = read('report.md');
    const measure = async () => {
      const output = await openOutput(folder);
      await output.write('results.json', SIGN);
      await output.append(slice());
      return output.end(false);
    };
    expect(await measure()).toBe(join(folder, '.previous'));
    expect(await measure()).toBe(join(folder, '.previous-2'));
    expect(read('.previous/report.md')).toBe(first);
    expect(all()).toContain('.previous-2/measurements.ndjson');
    const next = await openOutput(folder);
    expect(await next.end(false)).toBe(folder);
    expect(all()).toEqual(
      expect.arrayContaining(['measurements.ndjson', '.previous/report.md', '.previous-2/results.json']),
    );
    const last = await openOutput(folder);
    await last.write('results.json', SIGN);
    await last.end(true);
    expect(all()).toEqual(['results.json']);
  });

  test('outlives runs that were killed before they measured anything', async () => {
    fill(WHOLE);
    await openOutput(folder).then(({ write }) => write('results.json', SIGN));
    await openOutput(folder).then(({ write }) => write('results.json', SIGN));
    const output = await openOutput(folder);
    expect(await output.end(false)).toBe(folder);
    expect(all()).toContain('raw/file');
  });
});

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('what has ended is read as it was written, without a look at what was appended', async () => {
  const results = made();
  writeFileSync(join(folder, 'results.json'), JSON.stringify(results));
  expect(await readOutput(folder)).toEqual(results);
  writeFileSync(join(folder, 'measurements.ndjson'), 'x\n'.repeat(results.measurements.length));
  expect(await readOutput(folder)).toEqual(results);
});

test('of a run that was killed there is what it has appended, except for a line that was cut off', async () => {
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
    message: 'cannot read these results',
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
