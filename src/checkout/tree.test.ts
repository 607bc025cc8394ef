import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import {
  commit,
  configOf,
  find,
  folder,
  git,
  INDEX,
  repository,
  snapshot,
  useRepository,
  write,
} from '../../test/fixtures/repository.ts';
import type { Other } from '../config/types.ts';
import { planVariants } from '../plan/variants.ts';

useRepository();

describe('what there is in the other commit', () => {
  it('base without the app, or without the own runtime: what is new is not compared, the rest is', async () => {
    commit({ 'shop/index.php': 'one' });
    const runtime = join(root, 'test/fixtures/runtimes/faulty');
    execFileSync('mkdir', ['-p', join(repository, '.bench/runtimes')]);
    execFileSync('cp', ['-r', runtime, join(repository, '.bench/runtimes/mine')]);
    commit({ 'blog/web/index.php': 'new' });
    const found = await find('HEAD~1', { flags: ['--app', 'shop,blog', '--runtimes', 'apache,mine'] });
    expect(found?.other).toMatchObject({
      kind: 'commit',
      apps: {
        shop: { folder: 'shop', root: '.' },
        blog: { missing: expect.stringContaining('no index.php in blog') },
      },
      runtimes: { mine: { missing: expect.stringContaining('has no .bench/runtimes/mine') } },
    });
    expect(found?.notes.map(({ code }) => code)).toEqual(['not-in-base', 'not-in-base', 'same-as-base']);
    const alone = await find('HEAD~1', { flags: ['--app', 'blog'] });
    expect(alone?.other).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining("app 'blog' is not compared"),
    });
  });

  it.each(['mine', 'constructor'])(
    'the document root and the own runtime %s as they were then',
    async (name) => {
      write({ [`.bench/runtimes/${name}/Dockerfile`]: 'FROM scratch\n', 'index.php': '' });
      const yaml = readFileSync(join(root, 'test/fixtures/runtimes/faulty/runtime.yaml'), 'utf8');
      commit({ [`.bench/runtimes/${name}/runtime.yaml`]: yaml, 'web/index.php': 'one' });
      git(repository, 'rm', '--quiet', 'web/index.php', 'index.php');
      commit({ [INDEX]: 'two' });
      expect((await find('HEAD~1', { flags: ['--runtimes', name] }))?.other).toMatchObject({
        apps: { shop: { folder: '', root: 'web' } },
        runtimes: { [name]: { folder: `.bench/runtimes/${name}` } },
      });
    },
  );

  it('a front controller of another name: the note lists where index.php was looked for', async () => {
    commit({ 'public/app.php': 'one' });
    git(repository, 'mv', 'public/app.php', 'public/index.php');
    commit({});
    const [note] = (await find('HEAD~1'))?.notes ?? [];
    expect(note).toMatchObject({
      code: 'not-in-base',
      message: expect.stringMatching(
        /has none of public\/index\.php, web\/index\.php, webroot\/index\.php, pub\/index\.php, public_html\/index\.php, index\.php$/,
      ),
      remedy: expect.stringContaining('another name'),
    });
  });

  it('a document root that is a link to another folder of the commit', async () => {
    symlinkSync('htdocs', join(repository, 'public'));
    commit({ 'htdocs/index.php': 'one' });
    commit({ 'htdocs/index.php': 'two' });
    const { other, notes } = (await find('HEAD~1')) ?? {};
    expect(other).toMatchObject({ kind: 'commit', apps: { shop: { folder: '', root: 'public' } } });
    expect(notes).toEqual([]);
  });

  it('an index.php that Composer makes on both sides', async () => {
    const composer = JSON.stringify({ require: { 'typo3/cms-core': '^13' } });
    commit({ 'composer.json': composer, 'packages/a.php': 'one', '.gitignore': 'public\nvendor\n' });
    commit({ 'packages/a.php': 'two' });
    const made = { apps: { shop: { folder: '', root: 'public', install: true } } };
    expect((await find('HEAD~1'))?.other).toMatchObject(made);
    // As Composer leaves the checkout; with these packages, it would make no index.php in the base.
    write({ [INDEX]: '', 'vendor/autoload.php': '' });
    expect((await find('HEAD~1'))?.other).toMatchObject(made);
  });

  it('an app whose index.php Composer makes is new where the commit has no composer.json', async () => {
    commit({ README: 'one' });
    commit({ 'composer.json': JSON.stringify({ require: { 'typo3/cms-core': '^13' } }) });
    expect((await find('HEAD~1'))?.notes.map(({ code }) => code)).toEqual(['not-in-base']);
  });

  describe('the version of PHP that the base requires', () => {
    const requires = (php: string) => ({ 'composer.json': JSON.stringify({ require: { php } }) });
    const misfit = (php: string, need: string) =>
      expect.objectContaining({
        code: 'no-base',
        message: expect.stringMatching(
          new RegExp(
            `^app 'shop' is not compared on PHP ${php}: HEAD~1 \\([0-9a-f]{10}\\) requires ${need}$`,
          ),
        ),
      });

    it('is not the one that is measured: the base is not built', async () => {
      commit({ [INDEX]: '', ...requires('~8.2.0') });
      commit(requires('^8.4'));
      const found = await find('HEAD~1');
      expect(found?.notes).toEqual([misfit('8.4', "'~8.2.0' \\(require.php in composer.json\\)")]);
      expect(found?.other).toMatchObject({ kind: 'none', reason: found?.notes[0]?.message });
    });

    it('is one of those that are measured: the base is built for that one', async () => {
      commit({ [INDEX]: '', 'composer.json': '{}', 'composer.lock': '{"platform": {"php": "~8.3.0"}}' });
      commit({ 'composer.lock': '{}' });
      const options = { flags: ['--php', '8.3,8.4', '--runtimes', 'apache'] };
      const found = await find('HEAD~1', options);
      expect(found?.notes).toEqual([misfit('8.4', "'~8.3.0' \\(platform.php in composer.lock\\)")]);
      const config = { ...configOf('HEAD~1', options), other: found?.other as Other };
      expect(planVariants(config).variants.map(({ id, base }) => [id, base])).toEqual([
        ['apache@8.3', 'apache@8.3:base'],
        ['apache@8.4', null],
        ['apache@8.3:base', null],
      ]);
    });

    it('is that of packages in git', async () => {
      const check = { 'deps/composer/platform_check.php': 'if (!(PHP_VERSION_ID >= 80500)) {' };
      const composer = { 'composer.json': '{"config": {"vendor-dir": "deps"}}', 'composer.lock': '{}' };
      commit({ [INDEX]: '', ...composer, ...check, 'deps/autoload.php': '' });
      git(repository, 'rm', '-r', '--quiet', 'deps');
      commit({});
      expect((await find('HEAD~1'))?.notes).toEqual([misfit('8.4', "'>=8.5.0' \\(deps/\\S+\\)")]);
    });

    it('does not matter where Composer compares none', async () => {
      commit({ [INDEX]: '', ...requires('~8.2.0') });
      commit({ ...requires('^8.4'), '.bench.yml': "env: { COMPOSER_IGNORE_PLATFORM_REQS: '1' }" });
      expect((await find('HEAD~1'))?.notes).toEqual([]);
    });
  });

  it('a runtime is not compared if its packages are new, and the others are', async () => {
    const requires = (...names: string[]) => ({
      'composer.json': JSON.stringify({ require: Object.fromEntries(names.map((name) => [name, '*'])) }),
    });
    commit({ [INDEX]: '', ...requires('laravel/framework') });
    commit(requires('laravel/framework', 'laravel/octane'));
    const flags = ['--runtimes', 'apache,octane-swoole'];
    const found = await find('HEAD~1', { flags });
    expect(found?.notes).toEqual([
      expect.objectContaining({
        code: 'not-in-base',
        message: expect.stringMatching(
          /^app 'shop' is not compared on octane-swoole: HEAD~1 \([0-9a-f]{10}\) does not require laravel\/octane$/,
        ),
      }),
    ]);
    const config = { ...configOf('HEAD~1', { flags }), other: found?.other as Other };
    expect(planVariants(config).variants.map(({ id, base }) => [id, base])).toEqual([
      ['apache@8.4', 'apache@8.4:base'],
      ['octane-swoole@8.4', null],
      ['apache@8.4:base', null],
    ]);
    const alone = await find('HEAD~1', { flags: ['--runtimes', 'octane-swoole'] });
    expect(alone?.other).toMatchObject({ kind: 'none', reason: found?.notes[0]?.message });
    expect(alone?.notes.map(({ code }) => code)).toEqual(['not-in-base']);
  });

  it('the extensions that the base requires are those of both sides', async () => {
    const requires = (...names: string[]) =>
      JSON.stringify({ require: Object.fromEntries(names.map((name) => [`ext-${name}`, '*'])) });
    const locked = { name: 'acme/a', version: '1.0.0', require: { 'ext-gmp': '*', 'ext-mbstring': '*' } };
    const lock = { 'composer.lock': JSON.stringify({ packages: [locked] }) };
    commit({ [INDEX]: '', 'composer.json': requires('intl', 'imap', 'ftp', 'redis'), ...lock });
    commit({ 'composer.json': requires('gd', 'redis'), 'composer.lock': '{}' });
    const flags = ['--runtimes', 'apache,swoole', '--php', '8.4', '--kind', 'plain'];
    commit({ 'handler.php': '', '.bench.yml': 'extensions: [redis-6.0, ":imap"]' });
    const found = await find('HEAD~2', { flags });
    const both = ['intl', 'gmp', 'gd', 'redis-6.0'];
    expect(found?.other).toMatchObject({ apps: { shop: { extensions: both } } });
    const config = { ...configOf('HEAD~2', { flags }), other: found?.other as Other };
    expect(planVariants(config).images.map(({ args }) => args.EXTENSIONS)).toEqual(
      Array(4).fill('gd gmp intl redis-6.0'),
    );
    expect((await find('HEAD~1', { flags }))?.other).toMatchObject({
      apps: { shop: expect.not.objectContaining({ extensions: expect.anything() }) },
    });
  });

  it('an index.php that a command makes needs no other packages', async () => {
    commit({ 'make.sh': 'one', 'vendor/autoload.php': '', 'composer.json': '{}' });
    commit({ 'make.sh': 'two' });
    const flags = ['--root', 'htdocs', '--prepare', './make.sh'];
    expect((await find('HEAD~1', { flags }))?.other).toMatchObject({
      apps: { shop: { folder: '', root: 'htdocs', install: false } },
    });
  });

  it('uncommitted changes are reported, and our own results do not count', async () => {
    commit({ [INDEX]: 'one' });
    commit({ [INDEX]: 'two' });
    write({ 'bench-results/results.json': '{}' });
    expect((await find('HEAD~1'))?.notes).toEqual([]);
    write({ 'new.php': '' });
    expect((await find('HEAD~1'))?.notes.map(({ message }) => message)).toEqual([
      'the checkout has 1 uncommitted change (new.php), which is measured but not part of HEAD',
    ]);
    write({ [INDEX]: 'three' });
    expect((await find('HEAD~1'))?.notes).toEqual([
      expect.objectContaining({
        code: 'uncommitted',
        message: expect.stringContaining(
          '2 uncommitted changes (new.php, public/index.php), which are measured',
        ),
      }),
    ]);
  });

  it('looking for changes writes nothing, not even what git knows of the files', async () => {
    commit({ [INDEX]: 'one' });
    commit({ [INDEX]: 'two' });
    // As good as changed, until git has read it.
    utimesSync(join(repository, INDEX), 1, 1);
    const before = snapshot(repository);
    expect((await find('HEAD~1'))?.notes).toEqual([]);
    expect(snapshot(repository)).toEqual(before);
  });

  it('the same content is reported', async () => {
    commit({ 'shop/index.php': 'one' });
    commit({ README: 'elsewhere' });
    const codes = async () =>
      (await find('HEAD~1', { flags: ['--app', 'shop'] }))?.notes.map(({ code }) => code);
    expect(await codes()).toEqual(['same-as-base']);
    write({ 'shop/index.php': 'two' });
    expect(await codes()).toEqual(['uncommitted']);
  });

  it.each<[path: string, expected: string[]]>([
    ['.bench.yml', ['same-as-base']],
    ['.bench-redis.yml', ['same-as-base']],
    ['src/.bench.yml', []],
    ['.bench/runtimes/mine/Dockerfile', []],
  ])('our settings are no part of what is compared: %s', async (path, expected) => {
    commit({ [INDEX]: 'one', '.bench.yml': 'php: 8.4' });
    commit({ [path]: 'php: 8.3' });
    expect((await find('HEAD~1'))?.notes.map(({ code }) => code)).toEqual(expected);
  });

  it('files in Git LFS are reported', async () => {
    const attributes = '# *.zip filter=lfs\n*.jpg filter=lfs diff=lfs merge=lfs -text\n';
    commit({ 'shop/index.php': 'one' });
    commit({ 'shop/index.php': 'two', '.gitattributes': attributes.slice(0, 19) });
    commit({ 'shop/index.php': 'three', '.gitattributes': attributes });
    commit({ 'shop/index.php': 'four' });
    const codes = async (ref: string) =>
      (await find(ref, { flags: ['--app', 'shop'] }))?.notes.map(({ code }) => code);
    expect(await codes('HEAD~1')).toEqual(['lfs']);
    expect(await codes('HEAD~2')).toEqual([]);
    expect(await codes('HEAD~3')).toEqual([]);
  });

  it('files in Git LFS are reported by a folder between the app and the top', async () => {
    commit({ 'apps/.gitattributes': '*.bin filter=lfs\n', 'apps/shop/index.php': 'one' });
    commit({ 'apps/shop/index.php': 'two' });
    const found = await find('HEAD~1', { flags: ['--app', 'apps/shop'] });
    expect(found?.notes.map(({ code }) => code)).toEqual(['lfs']);
  });

  it('a submodule is reported', async () => {
    const library = join(folder, 'library');
    git(folder, 'init', '--quiet', library);
    commit({ 'x.php': '' }, library);
    commit({ [INDEX]: 'one' });
    git(repository, 'submodule', '--quiet', 'add', library, 'lib');
    commit({});
    commit({ [INDEX]: 'two' });
    expect((await find('HEAD~1'))?.notes).toEqual([
      expect.objectContaining({ code: 'submodules', message: expect.stringContaining(': lib') }),
    ]);
  });
});
