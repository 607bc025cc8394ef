import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  commit,
  find,
  git,
  INDEX,
  repository,
  useRepository,
  write,
} from '../../test/fixtures/repository.ts';
import { realHost } from '../host.ts';
import { checkOut } from './checkout.ts';

useRepository();

const RUN = '20260131-090000-0abc';

describe("Composer's folder, which git does not have", () => {
  const LOCK = {
    'composer.json': '{"config": {"vendor-dir": "deps"}}',
    'composer.lock': '{}',
    '.gitignore': 'deps\n',
  };
  beforeEach(() => {
    commit({ ...LOCK, [INDEX]: 'one' });
    write({ 'deps/autoload.php': '<?php', 'deps/acme/x.php': '<?php' });
  });

  it('is taken from the checkout where both ask for the same', async () => {
    commit({ [INDEX]: 'two' });
    const source = (await find('HEAD~1'))?.source;
    expect(source?.bring).toEqual([{ from: join(repository, 'deps'), to: 'deps' }]);
    const checkout = await checkOut(realHost, source as NonNullable<typeof source>, RUN, {});
    expect(readdirSync(checkout.folder).sort()).toEqual([
      '.gitignore',
      'composer.json',
      'composer.lock',
      'deps',
      'public',
    ]);
    expect(readFileSync(join(checkout.folder, 'deps/acme/x.php'), 'utf8')).toBe('<?php');
    await checkout.remove();
  });

  it.each(['.', './', 'deps/..'])('is not the app itself: vendor-dir %s', async (vendor) => {
    commit({ 'composer.json': JSON.stringify({ config: { 'vendor-dir': vendor } }), [INDEX]: 'one' });
    commit({ [INDEX]: 'two' });
    write({ 'autoload.php': '<?php' });
    expect((await find('HEAD~1'))?.source?.bring).toEqual([]);
  });

  describe('with packages of the repository itself', () => {
    const own = (url: string, path = '../acme/lib') => {
      const lib = { name: 'acme/lib', dist: { type: 'path', url }, 'install-path': path };
      write({ 'shop/deps/composer/installed.json': JSON.stringify({ packages: [lib] }) });
    };
    beforeEach(() => {
      commit({ ...prefixed(LOCK), 'shop/index.php': 'one', 'packages/lib/a.php': 'one' });
      commit({ 'shop/acme/lib/a.php': 'one' });
      commit({ 'packages/lib/a.php': 'two', 'packages/lib/new.php': '' });
      write({ 'shop/deps/autoload.php': '', 'shop/deps/acme/x.php': '' });
      own('../packages/lib');
    });
    const prefixed = (files: object) =>
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`shop/${name}`, text]));
    const findShop = () => find('HEAD~1', { flags: ['--app', 'shop'] });

    it('gets the copies that Composer would make of those of the commit', async () => {
      write({ 'shop/deps/acme/lib/a.php': 'two', 'shop/deps/acme/lib/new.php': '' });
      const { source, notes } = (await findShop()) ?? {};
      expect(notes).toEqual([]);
      const checkout = await checkOut(realHost, source as NonNullable<typeof source>, RUN, {});
      const lib = join(checkout.folder, 'shop/deps/acme/lib');
      expect(readdirSync(lib)).toEqual(['a.php']);
      expect(readFileSync(join(lib, 'a.php'), 'utf8')).toBe('one');
      await checkout.remove();
    });

    it.each([
      ['a link', '../packages/lib', '../acme/lib'],
      ['a link on the way', '../packages/lib', '../linked/lib'],
      ['outside of the folder', '../packages/lib', '../../acme/lib'],
      ['around the folder', '..', '../acme/own'],
      ['around the folder, by its whole path', '/', '../acme/own'],
      ['outside of the repository', '../../elsewhere', '../acme/own'],
    ])('leaves what is %s', async (_, url, path) => {
      own(url === '/' ? repository : url, path);
      write({ 'shop/deps/acme/own/a.php': '', 'shop/acme/lib/a.php': '' });
      symlinkSync('../../../packages/lib', join(repository, 'shop/deps/acme/lib'));
      symlinkSync('../../packages', join(repository, 'shop/deps/linked'));
      const vendor = { from: join(repository, 'shop/deps'), to: 'shop/deps' };
      expect((await findShop())?.source?.bring).toEqual([vendor]);
    });
  });

  it.each([
    ['no longer has a class, and the list is all that counts', 'src/Old.php', true, true],
    ['no longer has a class that PSR-4 finds', 'src/Old.php', false, false],
    ['no longer has a class of a listed folder', 'legacy/Old.php', false, true],
    ['no longer has another file', 'src/old.txt', true, false],
  ])('is made anew if its list of classes is of an app that %s', async (_, file, isWhole, install) => {
    const lists = { config: { 'vendor-dir': 'deps' }, autoload: { classmap: ['legacy/'] } };
    commit({ 'composer.json': JSON.stringify(lists), 'src/A.php': 'one', [file]: '' });
    git(repository, 'rm', '--quiet', file);
    commit({ 'src/A.php': 'two' });
    expect((await find('HEAD~1'))?.other).toMatchObject({ apps: { shop: { install: false } } });
    const map = String.raw`return array('App\A' => $baseDir . '/src/A.php');`;
    write({
      'deps/composer/autoload_classmap.php': map,
      'deps/composer/autoload_real.php': isWhole ? '$loader->setClassMapAuthoritative(true);' : '',
    });
    expect((await find('HEAD~1'))?.other).toMatchObject({ apps: { shop: { install } } });
  });

  it('is made anew if a class of its list was elsewhere', async () => {
    commit({ 'src/User.php': '<?php class User {}' });
    git(repository, 'rm', '--quiet', 'src/User.php');
    commit({ 'domain/User.php': '<?php class User {}' });
    const map = String.raw`return array('App\User' => $baseDir . '/domain/User.php');`;
    write({ 'deps/composer/autoload_classmap.php': map });
    expect((await find('HEAD~1'))?.other).toMatchObject({ apps: { shop: { install: true } } });
  });

  it('is made anew for both where they do not', async () => {
    commit({ 'composer.lock': '{"packages": []}' });
    expect(await find('HEAD~1')).toMatchObject({
      other: { kind: 'commit', apps: { shop: { install: true } } },
      source: { bring: [] },
      notes: [],
    });
  });

  it.each([
    ['if git ignores it, no', 'deps\ncomposer.lock\n', false],
    ['if it is new, yes', 'deps\n', true],
  ])('is made anew for a composer.lock that the commit lacks: %s', async (_, ignored, install) => {
    git(repository, 'rm', '--quiet', 'composer.lock');
    commit({ '.gitignore': ignored });
    commit({ [INDEX]: 'two', 'composer.lock': '{}' });
    const { other, notes } = (await find('HEAD~1')) ?? {};
    expect(other).toMatchObject({ apps: { shop: { install } } });
    // Nothing reads it where vendor/ serves both.
    expect(notes?.map(({ code }) => code)).toEqual([]);
  });

  it('is made anew by each side with another composer.json: a note names the composer.lock that git ignores', async () => {
    git(repository, 'rm', '--quiet', 'composer.lock');
    commit({ '.gitignore': 'deps\ncomposer.lock\n' });
    commit({ 'composer.json': '{"config": {"vendor-dir": "deps"}, "require": {}}', 'composer.lock': '{}' });
    const { other, notes } = (await find('HEAD~1')) ?? {};
    expect(other).toMatchObject({ apps: { shop: { install: true } } });
    expect(notes?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^git ignores (shop\/)?composer\.lock: /),
    ]);
  });

  it.each([
    ['by neither', '', '', false, ['deps']],
    ['by both', 'deps\n', 'tests\n/deps\n', false, []],
    ['by the checkout', '', 'deps\n', true, []],
    ['by the commit', 'deps\n', '', true, []],
  ])('is left out of the build %s', async (_, before, after, install, bring) => {
    commit({ '.dockerignore': `${before}x\n` });
    commit({ '.dockerignore': `${after}x\n`, [INDEX]: 'two' });
    const { other, source } = (await find('HEAD~1')) ?? {};
    expect(other).toMatchObject({ apps: { shop: { install } } });
    expect(source?.bring.map(({ to }) => to)).toEqual(bring);
  });

  it('is taken although git has a file to keep the folder', async () => {
    write({ 'deps/.gitkeep': '' });
    git(repository, 'add', '--force', 'deps/.gitkeep');
    commit({});
    commit({ [INDEX]: 'two' });
    const { source, notes } = (await find('HEAD~1')) ?? {};
    expect(notes).toEqual([]);
    const checkout = await checkOut(realHost, source as NonNullable<typeof source>, RUN, {});
    expect(readdirSync(join(checkout.folder, 'deps')).sort()).toEqual(['.gitkeep', 'acme', 'autoload.php']);
    await checkout.remove();
  });

  it('is not taken where it has code of its own, which git has in another version', async () => {
    write({ 'deps/own/a.php': 'one' });
    git(repository, 'add', '--force', 'deps/own');
    commit({});
    commit({ 'deps/own/a.php': 'two' });
    const { source, notes } = (await find('HEAD~1')) ?? {};
    expect(source?.bring).toEqual([]);
    expect(notes?.map(({ code }) => code)).toEqual(['not-in-git']);
  });

  it('is not made anew where it has code of its own, which an install would remove', async () => {
    write({ 'deps/own/a.php': 'one' });
    git(repository, 'add', '--force', 'deps/own');
    commit({ 'composer.lock': '{"packages": []}' });
    commit({ 'composer.lock': '{ "packages": [] }' });
    expect((await find('HEAD~1'))?.other).toMatchObject({ apps: { shop: { install: false } } });
  });

  it('does not hide what is beside packages', async () => {
    commit({ '.gitignore': 'deps\n/web/\n' });
    commit({ [INDEX]: 'two' });
    const packages = [{ name: 'acme/x', 'install-path': '../../web/plugins/x' }];
    write({
      'deps/composer/installed.json': JSON.stringify({ packages }),
      ...{ 'web/plugins/x/a.php': '', 'web/plugins/own/a.php': '' },
    });
    const { notes } = (await find('HEAD~1')) ?? {};
    expect(notes?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^git ignores (shop\/)?web\/plugins\/own: /),
    ]);
  });

  it.each([
    ['beside it, as composer/installers puts them', '../../web/wp', true],
    ['within it', '../acme/x', false],
    ['outside of the app', '../../../core', false],
    ['beside it, and in git', '../../lib/x', false],
  ])('is made anew if packages are %s', async (_, path, install) => {
    commit({ '.gitignore': 'deps\n/web/wp/\n', 'lib/x/a.php': '' });
    commit({ [INDEX]: 'two' });
    const packages = [
      { name: 'meta/package', 'install-path': null },
      { name: 'acme/x', 'install-path': path },
    ];
    write({ 'deps/composer/installed.json': JSON.stringify({ packages }), 'web/wp/index.php': '' });
    const { other, notes } = (await find('HEAD~1')) ?? {};
    expect(other).toMatchObject({ apps: { shop: { install } } });
    // Composer makes it on both sides.
    expect(notes?.map(({ code }) => code)).toEqual(install ? [] : ['not-in-git']);
  });
});
