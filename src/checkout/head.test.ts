import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import {
  commit,
  find,
  folder,
  git,
  INDEX,
  repository,
  useRepository,
  write,
} from '../../test/fixtures/repository.ts';
import { parseConfig } from '../config/parse.ts';
import { realHost } from '../host.ts';
import { openOutput } from '../store/output.ts';
import { describeHead } from './head.ts';

useRepository();

describe('what is checked out', () => {
  const head = (...apps: string[]) => {
    const flags = apps.length > 0 ? ['--app', apps.join(',')] : [];
    return describeHead(parseConfig({ flags, cwd: repository, packageRoot: root }), realHost);
  };

  it('is a commit, and files of the app that differ from it', async () => {
    const made = commit({ [INDEX]: 'one', 'shop/index.php': 'one' });
    const apps = { shop: '.' };
    expect(await head()).toEqual({ commit: made, uncommitted: 0, files: [], apps });
    write({ [INDEX]: 'two', 'a.php': '', 'b.php': '', 'c.php': '', 'bench-results/results.json': '{}' });
    expect(await head()).toMatchObject({ uncommitted: 4, files: ['a.php', 'b.php', 'c.php'] });
    // Beside the app.
    expect(await head('shop')).toEqual({ commit: made, uncommitted: 0, files: [], apps: { shop: 'shop' } });
  });

  it('has neither our settings nor results, wherever they went', async () => {
    const made = commit({ [INDEX]: 'one', 'shop/index.php': 'one', '.bench.yml': 'php: 8.2' });
    await openOutput(join(repository, 'bench-results'));
    write({
      '.bench.yml': 'php: 8.4',
      'shop/.bench.yaml': '',
      'shop/.bench-redis.yml': '',
      'bench-results/results.json': '{}',
    });
    const flags = ['--app', 'top=.,inner=shop', '--out', '../elsewhere'];
    const config = parseConfig({ flags, cwd: repository, packageRoot: root });
    const apps = { top: '.', inner: 'shop' };
    expect(await describeHead(config, realHost)).toEqual({ commit: made, uncommitted: 0, files: [], apps });
    write({ 'src/.bench.yml': '' });
    expect(await describeHead(config, realHost)).toMatchObject({ files: ['src/'] });
  });

  it('is unknown of an app outside of any repository, and before the first commit', async () => {
    write({ [INDEX]: 'one' });
    expect(await head()).toBeNull();
    write({ [INDEX]: 'one' }, join(folder, 'loose'));
    const config = parseConfig({ flags: [], cwd: join(folder, 'loose'), packageRoot: root });
    expect(await describeHead(config, realHost)).toBeNull();
  });
});

describe('a base', () => {
  it('names the files of the app that differ, committed or not, relative to its folder', async () => {
    commit({ 'shop/index.php': 'one', 'shop/same.php': '', 'shop/gone.php': '', 'other/a.php': 'one' });
    commit({ 'shop/src/Cart.php': 'two', 'other/a.php': 'two' });
    git(repository, 'rm', '--quiet', 'shop/gone.php');
    write({ 'shop/index.php': 'uncommitted', 'shop/src/<b>;\n😀.php': 'untracked' });
    const found = await find('HEAD~1', { flags: ['--app', 'shop'] });
    expect(found?.changed).toEqual({
      shop: ['gone.php', 'index.php', 'src/<b>;\n😀.php', 'src/Cart.php'],
    });
  });

  it('names none where nothing differs', async () => {
    commit({ 'shop/index.php': 'one' });
    commit({ 'README.md': 'two' });
    expect((await find('HEAD~1', { flags: ['--app', 'shop'] }))?.changed).toEqual({ shop: [] });
  });

  it('keeps the files of several apps apart', async () => {
    commit({ 'a/index.php': '', 'a/src/X.php': 'one', 'b/index.php': '', 'b/src/X.php': 'one' });
    commit({ 'a/src/X.php': 'two' });
    const found = await find('HEAD~1', { flags: ['--app', 'a,b'] });
    expect(found?.changed).toEqual({ a: ['src/X.php'], b: [] });
  });
});
