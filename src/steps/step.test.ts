import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fixtures } from '../../test/fixtures/results/make.ts';
import { Stopped, UserError } from '../errors.ts';
import type { Results } from '../results/results.ts';
import { conclude, fail, makeCaller, salvage, withoutCommands } from './step.ts';

let log: string;
let folder: string;

beforeEach(() => {
  log = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    log += text;
    return true;
  });
  folder = mkdtempSync(join(tmpdir(), 'step-'));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('a run that broke off gives what it had saved, marked as stopped', async () => {
  const results = (fixtures.quick as () => Results)();
  writeFileSync(join(folder, 'results.json'), JSON.stringify(results));
  const began = Date.parse(results.run.started);
  expect((await salvage(folder, began))?.run.stopped).toBe('an error');
  // An earlier step's results are not this one's.
  expect(await salvage(folder, began + 1)).toBeNull();
  expect(await salvage(join(folder, 'missing'), began)).toBeNull();
});

test("a user's mistake points at its place, without a stack trace", () => {
  const where = { name: '.bench.yml', line: 3 };
  expect(fail(new UserError('unknown key', { where }))).toBe(2);
  expect(log).toBe('::error file=.bench.yml,line=3::.bench.yml:3: unknown key\n');
});

test('a place in an input is no file', () => {
  fail(new UserError('unknown key', { where: { name: 'input images', line: 3 } }));
  expect(log).toBe('::error::input images:3: unknown key\n');
});

test('a bug of ours keeps its stack trace', () => {
  expect(fail(new Error('oops'))).toBe(70);
  expect(log).toContain('step.test.ts');
  expect(fail(new Stopped('SIGTERM'))).toBe(143);
});

test('says why the step fails', () => {
  expect(conclude(0)).toBe(0);
  expect(log).toBe('');
  expect(conclude(3)).toBe(3);
  expect(log).toContain('::error::Exit code 3: some variant could not');
});

test('text in between is no command, whatever becomes of the work', async () => {
  await expect(
    withoutCommands(async () => {
      process.stdout.write('::add-mask::e\n');
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  const [stop, , go] = log.trim().split(/\r?\n/);
  expect(go).toBe(`::${stop?.replace('::stop-commands::', '')}::`);
  expect(go?.length).toBeGreaterThan(30);
});

test("the app's environment is not in the recorded command", async () => {
  const { command } = await makeCaller(join(import.meta.dirname, '../..'), { php: '8.4', env: 'SECRET=x' });
  expect(command).toEqual(['php-runtime-bench', 'run', '--php', '8.4']);
});
