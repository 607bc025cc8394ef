import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import { commit, folder, INDEX, repository, useRepository, write } from '../../test/fixtures/repository.ts';
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
    write({ '.bench.yml': 'php: 8.4', 'shop/.bench.yaml': '', 'bench-results/results.json': '{}' });
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
