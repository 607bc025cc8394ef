import { expect, it } from 'vitest';
import { commit, find, git, repository, useRepository, write } from '../../test/fixtures/repository.ts';

useRepository();

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
