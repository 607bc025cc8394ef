/** The lock files of what servers bring themselves: without one, an advisory against a pinned package ends all builds. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Locked {
  name: string;
  version: string;
  source: { reference: string };
  dist: { type: string; url: string; reference: string };
}
interface Manifest {
  require: Record<string, string>;
  config?: { platform?: Record<string, string> };
}

/** As Composer's Locker::getContentHash(): of what decides on versions, as PHP writes JSON. */
function hashOf({ require, config }: Manifest): string {
  // Names in the order of the alphabet.
  const relevant = { ...(config?.platform ? { config: { platform: config.platform } } : {}), require };
  return createHash('md5').update(JSON.stringify(relevant).replaceAll('/', '\\/')).digest('hex');
}

/** Some of their packages could not be read when the others were locked. */
const OPEN = ['php-pm', 'reactphp', 'roadrunner'];

const folders = globSync('runtimes/*/composer.json', { cwd: root }).map((file) => dirname(file));
const nameOf = (folder: string) => folder.split('/').at(-1) ?? '';

test('each runtime has a lock file, except for those whose packages were not all there', () => {
  const without = folders.filter((folder) => !existsSync(join(root, folder, 'composer.lock')));
  expect(without.map(nameOf).sort()).toEqual(OPEN);
});

describe.each(folders.filter((folder) => !OPEN.includes(nameOf(folder))))('%s', (folder) => {
  const manifest: Manifest = JSON.parse(read(`${folder}/composer.json`));
  const lock = JSON.parse(read(`${folder}/composer.lock`));
  const packages: Locked[] = lock.packages;

  test('is locked as its composer.json has it now', () => {
    expect(lock['content-hash']).toBe(hashOf(manifest));
    const versions = Object.fromEntries(
      packages.map(({ name, version }) => [name, version.replace(/^v/, '')]),
    );
    expect(versions).toMatchObject(manifest.require);
  });

  test('comes from archives of one commit', () => {
    for (const { dist, source } of packages) {
      expect(dist).toMatchObject({ type: 'zip', reference: source.reference });
      expect(dist.url).toMatch(
        new RegExp(`^https://api\\.github\\.com/repos/[\\w-]+/[\\w-]+/zipball/${source.reference}$`),
      );
      expect(source.reference).toMatch(/^[0-9a-f]{40}$/);
    }
  });

  test('is copied before the packages are installed', () => {
    expect(read(`${folder}/Dockerfile`)).toContain('\nCOPY composer.json composer.lock ./\n');
  });
});
