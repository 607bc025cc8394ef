// script/bench beside a bootstrap that installs nothing, and a CLI that only prints how it was called.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../fixtures/folder.ts';

/** A plan that fits into no argument of Linux. */
const CLI = `
const args = process.argv.slice(2);
const passes = args.some((flag) => flag.startsWith('--cold-start')) ? [{ pass: 'cold start', seconds: 22 }] : [];
const plan = { passes, services: 'compose.yml', pulls: ['php:8.4-fpm', 'mirror/own:1'], instances: 'x'.repeat(300_000) };
const isHelp = args.includes('--help') || args.includes('-h');
console.log(isHelp ? 'help of ' + args[0] : args[0] === 'plan' ? JSON.stringify(plan) : args.join(' '));
`;

useFolder(() => {
  cpSync(resolve(import.meta.dirname, '../../script/bench'), join(folder, 'script/bench'));
  write('dist/cli.mjs', CLI);
  write('script/bootstrap', `#!/bin/sh\necho "$*" >>'${folder}/calls'\n`);
  write('test/standins/build', '#!/bin/sh\nprintf "php:8.4-fpm\\nnginx:stable\\n"\n');
  write('cache/php-runtime-bench/standins', '');
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { mode: 0o755 });
}

function bench(...args: string[]) {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const { status, stdout, stderr } = spawnSync(join(folder, 'script/bench'), args, {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, PATH: path, XDG_CACHE_HOME: join(folder, 'cache') },
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
  return { status, stdout, stderr, calls };
}

test('a long plan is read, too, for the images and the services of its run', () => {
  const { status, stdout, stderr, calls } = bench('run', '--app', 'plain');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe(`run --images ${folder}/test/standins/images.yml --app plain\n`);
  expect(calls).toEqual(['--for bench', '--for services', '--for standins php:8.4-fpm']);
});

test('a flag that `plan` does not have is not handed to it', () => {
  write(
    'dist/cli.mjs',
    CLI.replace('const plan', "if (args.includes('--format')) process.exit(2);\nconst plan"),
  );
  for (const format of [['--format', 'md'], ['--format=md']]) bench('run', ...format, '--app', 'plain');
  const prepared = ['--for bench', '--for services', '--for standins php:8.4-fpm'];
  expect(bench('doctor', '--json').calls).toEqual([...prepared, ...prepared, ...prepared]);
});

test.each([['--cold-start'], ['--cold-start=true']])('hyperfine is set up for %s', (flag) => {
  expect(bench('run', flag).calls).toContain('--for cold-start');
});

test('a run that pulls nothing which stands in builds no stand-ins', () => {
  write('test/standins/build', '#!/bin/sh\necho nginx:stable\n');
  expect(bench('--images', 'mirror.yml').calls).toEqual(['--for mirror', '--for services']);
});

test.each([
  ['.bench.yml', []],
  ['.bench.yaml', []],
  ['own.yml', ['--config', 'own.yml']],
  ['own.yml', ['--config=own.yml']],
])('no stand-in overrides images that %s maps, and none of them need be in a registry', (file, flags) => {
  write(file, 'php: 8.4\nimages:\n  php:8.4-fpm: mirror/php:8.4-fpm\n');
  const { stdout, calls } = bench('run', ...flags);
  expect([stdout, calls[0]]).toEqual([`${['run', ...flags].join(' ')}\n`, '--for mirror']);
});

test('stand-ins remain where another configuration is in use, or single images are given', () => {
  write('.bench.yml', 'images: mirror.yml\n');
  write('own.yml', 'php: 8.4\n');
  const found = bench('run', '--config', 'own.yml');
  expect(found.stdout).toMatch(/^run --images /);
  expect(found.calls[0]).toBe('--for bench');
  rmSync(join(folder, '.bench.yml'));
  const { stdout, calls } = bench('run', '--image', 'grafana/k6:2.2.0=mirror/k6');
  expect(stdout).toMatch(/^run --images /);
  expect(calls.at(-3)).toBe('--for mirror');
});

test.each([
  [['--help'], 'run'],
  [['run', '-h'], 'run'],
  [['doctor', '--help'], 'doctor'],
])('%j prints the help alone', (args, command) => {
  const { status, stdout, stderr, calls } = bench(...args);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `help of ${command}\n`, stderr: '' });
  expect(calls).toEqual(['--for bench']);
});

test.each([
  [['plan', '--app', 'plain'], 'plan --images '],
  [['doctor', '--json'], 'doctor --images '],
  [['list'], 'list\n'],
])('%j is the command of that name, with stand-ins where it reads images', (args, begins) => {
  // Unlike CLI above, `plan` only prints how it was called.
  write('dist/cli.mjs', 'console.log(process.argv.slice(2).join(" "));\n');
  const { status, stdout, stderr } = bench(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.startsWith(begins)).toBe(true);
});
