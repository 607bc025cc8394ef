import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commit, find, INDEX, repository, useRepository, write } from '../../test/fixtures/repository.ts';

useRepository();

test('the base is without the files that git ignores, which is a note; what no request needs is none', async () => {
  const made = ['.env', 'public/build/app.js', 'made.sqlite', 'out/results.json', 'kept.txt'];
  const ignored = [
    '.env',
    'build',
    '*.sqlite',
    'out',
    'kept.txt',
    'node_modules',
    'vendor',
    'auth.json',
    'var',
    'bootstrap/cache/*',
  ].join('\n');
  commit({ 'bootstrap/app.php': '', [INDEX]: 'one', '.gitignore': ignored, '.dockerignore': '/kept.txt\n' });
  commit({ [INDEX]: 'two' });
  const unserved = [
    'node_modules/a.js',
    'vendor/a.php',
    'auth.json',
    'var/cache/prod/a.php',
    'bootstrap/cache/packages.php',
  ];
  const notes = async (prepare: string) =>
    (await find('HEAD~1', { flags: ['--out', join(repository, 'out'), '--prepare', prepare] }))?.notes;
  expect(await notes('touch made.sqlite')).toEqual([]);
  write(Object.fromEntries([...made, ...unserved].map((name) => [name, ''])));
  // Results of an earlier run, with another `out`.
  write({ 'bench-results/.gitignore': '# Made by php-runtime-bench. …\n*\n', 'bench-results/a.txt': '' });
  expect(await notes('touch made.sqlite; cp .env.example x')).toMatchObject([
    {
      code: 'not-in-git',
      message: expect.stringMatching(/^git ignores \.env and public\/build\/: .* built with them/),
    },
  ]);
  expect((await notes('cp .env.example .env && touch made.sqlite'))?.[0]?.message).toMatch(
    /^git ignores public\/build\/: the checkout is built with it, HEAD~1 \([0-9a-f]{10}\) without$/,
  );
});

test('there is no base where Composer would have to install packages from beside the app', async () => {
  const lock = (version: string) =>
    JSON.stringify({
      packages: [{ name: 'acme/core', version, dist: { type: 'path', url: '../../packages/core' } }],
    });
  const files = {
    'apps/api/public/index.php': '',
    'apps/api/composer.json': '{}',
    '.gitignore': 'vendor\n',
  };
  commit({ ...files, 'apps/api/composer.lock': lock('1.0.0') });
  commit({ 'apps/api/composer.lock': lock('1.1.0') });
  write({ 'apps/api/vendor/autoload.php': '' });
  expect((await find('HEAD~1', { flags: ['--app', 'apps/api'] }))?.other).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining("the build cannot install 'acme/core' from '../../packages/core'"),
  });
});
