import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { fixtures } from '../../test/fixtures/results/make.ts';
import type { Results } from '../results/results.ts';
import { addRuns, openHistory } from './local.ts';

let file: string;
useFolder(() => {
  file = join(folder, 'history.ndjson');
});

const run = (id: string, change: Partial<Results['run']> = {}) => {
  const results = fixtures.quick?.() as Results;
  Object.assign(results.run, { id, ...change });
  return { folder: `results/${id}`, results };
};

test('runs are added to a history that need not be there yet, each once', async () => {
  const { added } = await addRuns(file, [run('one')], 'c0ffee');
  expect(added).toBe(3);
  expect(await addRuns(file, [run('one'), run('two')], null)).toEqual({
    added,
    nothing: [{ folder: 'results/one', why: 'already there' }],
  });
  const { records, corrupt } = await openHistory(file);
  expect(corrupt).toEqual([]);
  expect(records.map((record) => [record.run, record.commit])).toEqual([
    ...Array(3).fill(['one', 'c0ffee']),
    ...Array(3).fill(['two', null]),
  ]);
});

test('a record has the commit that was measured, whatever is checked out now', async () => {
  const head = { commit: 'deadbeef', uncommitted: 0, files: [] };
  await addRuns(file, [run('one', { head }), run('two')], 'c0ffee');
  const { records } = await openHistory(file);
  expect(records.map(({ commit }) => commit)).toEqual([
    ...Array(3).fill('deadbeef'),
    ...Array(3).fill('c0ffee'),
  ]);
});

test('each run that adds nothing is named with its reason', async () => {
  const empty = run('empty');
  empty.results.plan.scenarios = [];
  const stopped = run('cut', { stopped: 'SIGINT' });
  expect(await addRuns(file, [run('one'), stopped, empty, run('one')], null)).toEqual({
    added: 3,
    nothing: [
      { folder: 'results/cut', why: 'stopped by SIGINT before its plan was done' },
      { folder: 'results/empty', why: 'no scenario was measured' },
      { folder: 'results/one', why: 'already there' },
    ],
  });
  expect((await openHistory(file)).records).toHaveLength(3);
});

test('results of a run are no history, as a file, as a folder, and to add to', async () => {
  const results = join(folder, 'results.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(results, JSON.stringify(run('one').results));
  for (const attempt of [
    () => openHistory(results),
    () => openHistory(folder),
    () => addRuns(results, [run('two')], null),
  ]) {
    await expect(attempt()).rejects.toMatchObject({
      message: 'these are the results of one run, not a history',
      detail: { hint: expect.stringContaining('history history.ndjson --add bench-results') },
    });
  }
  expect(readFileSync(results, 'utf8')).toBe(JSON.stringify(run('one').results));
});

test('a history that is not there is named', async () => {
  await expect(openHistory(file)).rejects.toMatchObject({
    message: 'no such file',
    detail: { where: { name: file }, hint: 'add a run, and it is made: --add bench-results' },
  });
});

test('a history in a folder that is not there is named', async () => {
  const at = join(folder, 'sub/h.ndjson');
  await expect(addRuns(at, [run('one')], null)).rejects.toMatchObject({
    message: 'the file cannot be written',
    detail: { where: { name: at }, found: expect.stringContaining('ENOENT') },
  });
});

test('a file without any record is no history, and nothing is added to it', async () => {
  writeFileSync(file, '# Shop\n\nA shop.\n');
  for (const attempt of [() => openHistory(file), () => addRuns(file, [run('one')], null)]) {
    await expect(attempt()).rejects.toMatchObject({
      message: 'not a history',
      detail: { where: { name: file }, found: 'line 1: not JSON' },
    });
  }
  expect(readFileSync(file, 'utf8')).toBe('# Shop\n\nA shop.\n');
});

test('a record beside lines that cannot be read is kept', async () => {
  writeFileSync(file, 'nothing\n');
  await expect(openHistory(file)).rejects.toMatchObject({ message: 'not a history' });
  writeFileSync(file, '');
  await addRuns(file, [run('one')], null);
  writeFileSync(file, `cut short\n${readFileSync(file, 'utf8')}`);
  const { records, corrupt } = await openHistory(file);
  expect([records.length, corrupt.length]).toEqual([3, 1]);
});
