import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { HISTORY_FILE } from '../history/branch.ts';
import { readHistory } from '../history/file.ts';
import { type Host, realHost } from '../host.ts';
import { addToHistory, readRemote } from './add-history.ts';

let remote: string;
const runUrl = 'https://github.com/octo/shop/actions/runs/42';

useFolder(() => {
  remote = join(folder, 'remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
});
afterEach(() => vi.restoreAllMocks());

/** An artifact of the reusable workflow. */
function leave(php: string, of: number) {
  for (let index = 1; index <= of; index++) {
    const results = makeResults({
      servers: ['apache', `fpm-${index}`].map((name) => ({ id: `${name}@${php}`, rps: 400 })),
    });
    Object.assign(results.run, { id: `${php}-${index}` });
    Object.assign(results.plan, { shard: { index, of }, reference: `apache@${php}` });
    mkdirSync(join(folder, 'versions', php, `${index}`), { recursive: true });
    writeFileSync(join(folder, 'versions', php, `${index}`, 'results.json'), JSON.stringify(results));
  }
  const wanted = Array.from({ length: of }, (_, i) => ({ index: i + 1, of, variants: ['x'] }));
  writeFileSync(join(folder, 'versions', php, 'shards.json'), JSON.stringify(wanted));
}

const add = (host: Host = realHost) => {
  const settings = readRemote({ GITHUB_REPOSITORY: 'octo/shop' }, 'the-token').settings;
  const keep = { remote, branch: 'history', settings };
  return addToHistory({ folder: join(folder, 'versions'), keep, commit: 'c0ffee', runUrl }, host);
};
const git = (...args: string[]) => execFileSync('git', args, { cwd: remote, encoding: 'utf8' });

test('a record of each variant on each machine and version, whatever else is broken', async () => {
  leave('8.2', 2);
  leave('8.4', 1);
  leave('8.5', 1);
  writeFileSync(join(folder, 'versions/8.5/1/results.json'), '<html>');
  mkdirSync(join(folder, 'versions/8.3'));
  expect(await add()).toBe(0);
  const { records } = readHistory(git('cat-file', 'blob', `history:${HISTORY_FILE}`));
  expect(records.map(({ variant, shard, commit }) => [variant, shard, commit]).sort()).toEqual([
    ['apache@8.2', '1/2', 'c0ffee'],
    ['apache@8.2', '2/2', 'c0ffee'],
    ['apache@8.4', '1/1', 'c0ffee'],
    ['fpm-1@8.2', '1/2', 'c0ffee'],
    ['fpm-1@8.4', '1/1', 'c0ffee'],
    ['fpm-2@8.2', '2/2', 'c0ffee'],
  ]);
  expect(git('log', '-1', '--format=%B', 'history').trim()).toBe(`Add 6 results\n\n${runUrl}`);
  // Run again by hand: nothing twice.
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await add()).toBe(0);
  expect(written.mock.calls.join()).toContain(
    '::warning title=Nothing was added to the history::All 6 records were on history already.',
  );
  expect(git('rev-list', '--count', 'history').trim()).toBe('1');
});

test('the one version that there is, without a folder of its own', async () => {
  leave('.', 2);
  expect(await add()).toBe(0);
  expect(readHistory(git('cat-file', 'blob', `history:${HISTORY_FILE}`)).records).toHaveLength(4);
});

test('nothing at all is a failure, and makes no branch', async () => {
  expect(await add()).toBe(3);
  expect(git('branch', '--list')).toBe('');
});

test('the token is on no command line', async () => {
  leave('8.4', 1);
  const { secret } = readRemote({ GITHUB_REPOSITORY: 'octo/shop' }, 'the-token');
  const seen: string[] = [];
  const given: string[] = [];
  await add({
    ...realHost,
    exec(program, args, options) {
      seen.push(...args);
      given.push(JSON.stringify(options?.env));
      return realHost.exec(program, args, options);
    },
  });
  expect(seen.join(' ')).not.toMatch(new RegExp(`the-token|${secret}|uthorization`));
  expect(given.join(' ')).toContain(secret);
});
