import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../fixtures/folder.ts';

useFolder();

const root = resolve(import.meta.dirname, '../..');
const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

test('the package has what git has in its folders, down to those that are empty except for a list of what git ignores', () => {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [pack] = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts'));
  const packed = pack.files.map(({ path }: { path: string }) => path);
  // As it is on the disk, committed or not.
  const known = run('git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...files)
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)));
  // npm never packs these, so a folder that has nothing else would not be there.
  const lists = known.filter((path) => path.endsWith('/.gitignore'));
  expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/cli.mjs', 'package.json']));
  // Pages that messages and recipes name.
  const places = ['src', 'runtimes', 'scenarios', 'apps', ':!*.test.ts'];
  const named = run('git', 'grep', '-ohE', 'docs/[a-z-]+\\.md', '--', ...places);
  expect(packed).toEqual(expect.arrayContaining(['docs/apps.md', ...named.trim().split('\n')]));
  expect(known.length).toBeGreaterThan(200);
  expect(known.filter((path) => !lists.includes(path) && !packed.includes(path))).toEqual([]);
  const folders = lists.map((path) => path.slice(0, -'.gitignore'.length));
  expect(folders.filter((folder) => !packed.some((path: string) => path.startsWith(folder)))).toEqual([]);
});

test('what we develop with is no part of what we ship', () => {
  execFileSync(process.execPath, [join(root, 'script/lib/bundle.ts'), folder], { cwd: root });
  const names = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });
  const texts = names
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => readFileSync(join(folder, 'dist', name), 'utf8'));
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(texts.filter((text) => text.includes(repository.url))).not.toEqual([]);
  expect(texts.filter((text) => text.includes('@biomejs/biome'))).toEqual([]);
}, 60_000);

test('no symbolic link in git leads nowhere: GitHub could not unpack the action for anybody', () => {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const isLink = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink();
  const links = listed.split('\0').filter((path) => path !== '' && isLink(path));
  expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
