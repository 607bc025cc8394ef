// A checkout that only its owner may read, as a strict umask makes it. Servers and k6 have users of their own.
import { chmodSync, chownSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leftovers, makeProject, type Project, root, slicesOf } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject({ own: true });
});
afterAll(async () => {
  project.remove();
  expect(await leftovers()).toEqual([]);
});

/** Any owner but root; whoever is not root is one. */
function restrict(folder: string) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, entry.isDirectory() ? 0o700 : 0o600);
    if (process.getuid?.() === 0) chownSync(path, 4711, 4711);
  }
  chmodSync(folder, 0o700);
  if (process.getuid?.() === 0) chownSync(folder, 4711, 4711);
}

test('an app is measured on Apache and on nginx', async () => {
  for (const name of ['runtimes', 'scenarios', 'apps']) {
    const copy = join(project.folder, '../package', name);
    rmSync(copy);
    cpSync(join(root, name), copy, { recursive: true });
    restrict(copy);
  }
  const { code, stdout, stderr } = await project.bench(
    'out',
    '--runtimes',
    'apache,nginx-fpm',
    '--count',
    'php',
  ).done;
  expect(code, stdout + stderr).toBe(0);
  const { measurements, counts } = project.results('out');
  // The servers' user can read the files that the pass copies into containers.
  expect(counts.map(({ by, failures }) => [by, failures])).toEqual([
    ['php', 0],
    ['php', 0],
  ]);
  for (const id of ['apache@8.4', 'nginx-fpm@8.4']) {
    expect(slicesOf({ measurements }, id).map(({ outcome }) => outcome)).toEqual(['ok']);
  }
});
