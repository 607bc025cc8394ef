import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeFolder } from '../test/fixtures/temporary.ts';
import { realHost } from './host.ts';
import { makeScratch, makeTemporary, sweepTemporary } from './temporary.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temporary-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Runs a line of code in a process of its own, which then kills itself. */
function leave(file: string, code: string, ...before: string[]) {
  const imported = `import * as it from '${resolve(import.meta.dirname, file)}';`;
  const argv = [
    ...[...before, process.execPath, '--input-type=module', '--eval'],
    `${imported} ${code}; process.kill(process.pid, 'SIGKILL');`,
  ];
  const env = { ...process.env, TMPDIR: folder };
  expect(spawnSync(argv[0] as string, argv.slice(1), { env }).signal).toBe('SIGKILL');
}

/** In namespaces of its own, after a line for a shell. */
const apart = (line: string, ...args: string[]) => [
  ...['unshare', '--map-root-user', '--mount', '--uts', 'sh', '-c'],
  ...[`${line} && shift ${args.length} && exec "$@"`, 'sh', ...args],
];
const noNamespaces = spawnSync('unshare', ['--map-root-user', '--mount', '--uts', 'true']).status !== 0;
const NO_NAMESPACES = 'this user can have no namespaces of its own';

test('a run removes what killed commands have left, and nothing else', async () => {
  leave('temporary.ts', "await it.makeScratch('aa'); await it.makeScratch('history')");
  expect(readdirSync(folder)).toHaveLength(2);
  const own = await makeScratch('history');
  mkdirSync(join(folder, 'php-runtime-bench-elsewhere'));
  await sweepTemporary(realHost, () => {});
  expect(readdirSync(folder).sort()).toEqual([basename(own), 'php-runtime-bench-elsewhere'].sort());
});

test('a TMPDIR that is not there is named', async () => {
  vi.stubEnv('TMPDIR', join(folder, 'none'));
  await expect(makeTemporary('20260131-090000-0abc', 'build')).rejects.toMatchObject({
    message: 'cannot make a temporary folder',
    exitCode: 2,
  });
});

test('a test removes what a killed one has left, and nothing else', () => {
  leave('../test/fixtures/temporary.ts', 'it.makeFolder()');
  expect(readdirSync(folder)).toHaveLength(1);
  mkdirSync(join(folder, 'bench-test-elsewhere'));
  const own = makeFolder();
  expect(readdirSync(folder).sort()).toEqual([basename(own), 'bench-test-elsewhere'].sort());
});

test('what is mounted in a folder of a killed test is left alone', (context) => {
  context.skip(noNamespaces, NO_NAMESPACES);
  leave('../test/fixtures/temporary.ts', 'it.makeFolder()');
  const data = join(folder, readdirSync(folder)[0] as string, 'data');
  const disk = mkdtempSync(join(folder, 'disk-'));
  for (const path of [data, join(disk, 'images')]) mkdirSync(path);
  leave('../test/fixtures/temporary.ts', 'it.makeFolder()', ...apart('mount --bind "$1" "$2"', disk, data));
  expect(readdirSync(disk)).toEqual(['images']);
});

test('the folders of tests on another machine are left alone', (context) => {
  context.skip(noNamespaces, NO_NAMESPACES);
  leave('../test/fixtures/temporary.ts', 'it.makeFolder()', ...apart('hostname another'));
  const [other] = readdirSync(folder);
  makeFolder();
  expect(readdirSync(folder)).toContain(other);
});
