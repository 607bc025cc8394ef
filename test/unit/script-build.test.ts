// script/build with a bundle of a given size, and with a du as macOS has it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../fixtures/folder.ts';

const script = resolve(import.meta.dirname, '../../script/build');
const limit = Number(/^limit_kib=(\d+)$/m.exec(readFileSync(script, 'utf8'))?.[1]);

useFolder();

/** @param kib size of the code and of the notices of the licences; without code the bundler fails */
function build(kib: { code: number; licenses: number }) {
  mkdirSync(join(folder, 'script/lib'), { recursive: true });
  cpSync(script, join(folder, 'script/build'));
  writeFileSync(
    join(folder, 'script/lib/bundle.ts'),
    `const { mkdirSync, writeFileSync } = require('node:fs');
process.chdir(process.argv[2]);
mkdirSync('dist/steps', { recursive: true });
writeFileSync('dist/cli.mjs', 'x'.repeat(1024));
writeFileSync('dist/steps/plan.mjs', 'x'.repeat(${1024 * (kib.code - 1)}));
writeFileSync('dist/licenses.txt', 'x'.repeat(${1024 * kib.licenses}));`,
  );
  writeFileSync(join(folder, 'du'), '#!/bin/sh\necho "du: unrecognized option" >&2\nexit 64\n', {
    mode: 0o755,
  });
  const path = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
  const { status, stderr } = spawnSync(join(folder, 'script/build'), [], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  return { status, stderr };
}

test('accepts code within the limit, whatever the notices of the licences take', () => {
  expect(build({ code: limit, licenses: 900 })).toEqual({ status: 0, stderr: '' });
});

test('refuses more code', () => {
  expect(build({ code: limit + 1, licenses: 1 })).toEqual({
    status: 1,
    stderr: `build: dist/ is ${limit + 1} KiB, more than ${limit} KiB\n`,
  });
});

test('replaces dist/ and schema/ as a whole, and neither while a build fails', () => {
  const read = () => readFileSync(join(folder, 'dist/cli.mjs'), 'utf8');
  mkdirSync(join(folder, 'dist'));
  mkdirSync(join(folder, 'schema'));
  writeFileSync(join(folder, 'dist/cli.mjs'), 'old');
  writeFileSync(join(folder, 'dist/old.mjs'), 'old');
  expect(build({ code: 0, licenses: 1 }).status).toBe(1);
  expect(read()).toBe('old');
  expect(build({ code: 2, licenses: 1 })).toEqual({ status: 0, stderr: '' });
  expect(read()).toMatch(/^x+$/);
  expect(existsSync(join(folder, 'dist/old.mjs'))).toBe(false);
});
