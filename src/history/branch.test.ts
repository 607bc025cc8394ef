import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { realHost } from '../host.ts';
import { HISTORY_FILE, keepHistory } from './branch.ts';
import { readHistory } from './file.ts';
import { type HistoryRecord, recordsOf } from './history-record.ts';

// git is real, and so is the repository that is pushed to.

let remote: string;
const branch = 'history';
const [sample] = recordsOf(makeResults({ servers: [{ id: 'apache@8.4', rps: 400 }] }), null);
const record = (run: string): HistoryRecord => ({ ...(sample as HistoryRecord), run });

const git = (...args: string[]) => execFileSync('git', args, { cwd: remote, stdio: 'pipe' });
const text = () => git('cat-file', 'blob', `${branch}:${HISTORY_FILE}`).toString();
const keep = (...runs: string[]) =>
  keepHistory(runs.map(record), { remote: `file://${remote}`, branch, message: 'Add a run' }, realHost);

useFolder(() => {
  remote = join(folder, 'remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
});

/** As somebody does by hand. */
function commit(name: string, content: string | Buffer) {
  const clone = mkdtempSync(join(folder, 'clone-'));
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: clone,
      stdio: 'pipe',
    });
  run('init', '--quiet', '--initial-branch', branch);
  run('remote', 'add', 'origin', remote);
  if (git('branch', '--list', branch).toString()) run('pull', '--quiet', 'origin', branch);
  writeFileSync(join(clone, name), content);
  run('add', '.');
  run('commit', '--quiet', '--message', 'By hand');
  run('push', '--quiet', 'origin', branch);
}

test('makes the branch, then adds to it', async () => {
  expect(await keep('one')).toEqual({ added: 1, corrupt: [], lost: 0 });
  expect(await keep('one', 'two')).toEqual({ added: 1, corrupt: [], lost: 0 });
  expect(await keep('two')).toEqual({ added: 0, corrupt: [], lost: 0 });
  expect(readHistory(text()).records.map(({ run }) => run)).toEqual(['one', 'two']);
  expect(git('log', '--format=%an %s', branch).toString()).toBe(
    'github-actions[bot] Add a run\ngithub-actions[bot] Add a run\n',
  );
});

test('what cannot be read, and what is not its own, stays as it is', async () => {
  const broken = Buffer.concat([
    Buffer.from('{"v":1\r\n'),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from('last'),
  ]);
  commit(HISTORY_FILE, broken);
  commit('README.md', 'Kept by a workflow.\n');
  commit('.gitattributes', '* text=auto eol=crlf\n');
  const { added, corrupt } = await keep('one');
  expect(added).toBe(1);
  expect(corrupt.map(({ line }) => line)).toEqual([1, 2, 3]);
  const bytes = git('cat-file', 'blob', `${branch}:${HISTORY_FILE}`);
  expect(bytes.subarray(0, broken.length + 1)).toEqual(Buffer.concat([broken, Buffer.from('\n')]));
  expect(readHistory(bytes.toString()).records.map(({ run }) => run)).toEqual(['one']);
  expect(git('show', `${branch}:README.md`).toString()).toBe('Kept by a workflow.\n');
});

test('many writers at once, on a branch that is not there yet: all that they say is kept, once', async () => {
  const runs = Array.from({ length: 6 }, (_, i) => `run ${i}`);
  const kept = await Promise.all(runs.map((run) => keep(run)));
  expect(kept.map(({ added }) => added)).toEqual(runs.map(() => 1));
  expect(
    readHistory(text())
      .records.map(({ run }) => run)
      .sort(),
  ).toEqual(runs);
  expect(git('rev-list', '--count', branch).toString()).toBe('6\n');
});

test('another writer between reading and pushing: nothing of either is lost', async () => {
  await keep('first');
  // The hook of the remote is the other writer, once: it moves the branch while a push is under way.
  const twin = join(folder, 'twin.git');
  execFileSync('git', ['clone', '--quiet', '--bare', remote, twin]);
  await keepHistory([record('other')], { remote: twin, branch, message: 'Other' }, realHost);
  const other = execFileSync('git', ['rev-parse', branch], { cwd: twin, encoding: 'utf8' }).trim();
  git('fetch', '--quiet', twin, `${branch}:other`);
  const hook = join(remote, 'hooks/pre-receive');
  writeFileSync(
    hook,
    `#!/bin/sh\nrm "$0"\nunset GIT_QUARANTINE_PATH\nexec git update-ref refs/heads/${branch} ${other}\n`,
  );
  chmodSync(hook, 0o755);

  const { added, lost } = await keep('mine');

  expect(readdirSync(join(remote, 'hooks'))).not.toContain('pre-receive');
  expect({ added, lost }).toEqual({ added: 1, lost: 1 });
  expect(readHistory(text()).records.map(({ run }) => run)).toEqual(['first', 'other', 'mine']);
});

test('a remote that is not there, a name that is none', async () => {
  const at = (change: object) =>
    keepHistory([record('x')], { remote: `file://${remote}`, branch, message: '', ...change }, realHost);
  await expect(at({ remote: 'file:///nowhere.git' })).rejects.toThrow(/not.*repository|not appear/);
  await expect(at({ branch: '../x' })).rejects.toThrow('not a valid name of a branch');
  await expect(at({ branch: 'a b' })).rejects.toThrow('not a valid name of a branch');
});

test('a refused push shows what the remote says of it', async () => {
  const hook = join(remote, 'hooks/pre-receive');
  const words = 'error: GH013: Repository rule violations found for refs/heads/history.';
  writeFileSync(hook, `#!/bin/sh\necho '${words}' >&2\nexit 1\n`);
  chmodSync(hook, 0o755);
  await expect(keep('one')).rejects.toMatchObject({
    message: "the history could not be pushed to the branch 'history'",
    detail: { found: expect.stringContaining(`${words} · pre-receive hook declined`) },
  });
});

test.each(['text eol=crlf', 'ident'])(
  'an attribute of the branch does not change the lines that are there: %s',
  async (attribute) => {
    await keep('$Id$');
    const before = text();
    commit('.gitattributes', `* ${attribute}\n`);
    await keep('two');
    expect(text().startsWith(before)).toBe(true);
    expect(readHistory(text()).records.map(({ run }) => run)).toEqual(['$Id$', 'two']);
  },
);
