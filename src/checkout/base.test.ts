import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import {
  commit,
  configOf,
  find,
  folder,
  git,
  INDEX,
  PLANNING,
  refusal,
  repository,
  snapshot,
  useRepository,
} from '../../test/fixtures/repository.ts';
import { realHost } from '../host.ts';
import type { PullEnds } from './base.ts';
import { findOtherSide } from './other.ts';

useRepository();

describe('a shallow clone', () => {
  let clone: string;
  let ends: PullEnds;
  let base: string;
  /** As actions/checkout leaves a pull request: the trial merge, without history. */
  function cloneMerge() {
    commit({ [INDEX]: 'zero' });
    const fork = commit({ [INDEX]: 'one' });
    git(repository, 'checkout', '--quiet', '-b', 'feature');
    const head = commit({ [INDEX]: 'two' });
    git(repository, 'checkout', '--quiet', 'main');
    base = commit({ README: 'moved on' });
    git(repository, 'merge', '--quiet', '--no-ff', '--message', 'Merge', 'feature');
    git(repository, 'update-ref', 'refs/pull/7/merge', 'HEAD');
    git(repository, 'reset', '--quiet', '--hard', base);
    clone = join(folder, 'clone');
    git(folder, 'init', '--quiet', clone);
    git(clone, 'remote', 'add', 'origin', `file://${repository}`);
    git(
      clone,
      'fetch',
      '--quiet',
      '--no-tags',
      '--depth=1',
      'origin',
      '+refs/pull/7/merge:refs/remotes/pull/7/merge',
    );
    git(clone, 'checkout', '--quiet', '--detach', 'refs/remotes/pull/7/merge');
    ends = { base: { commit: fork, name: 'main' }, head: { commit: head } };
  }
  beforeEach(cloneMerge);

  it("base is the first parent of GitHub's trial merge, which is fetched alone", async () => {
    const refs = git(clone, 'for-each-ref');
    expect((await find('base', { cwd: clone, pull: ends }))?.other).toMatchObject({
      ref: 'main',
      commit: base,
    });
    expect(git(clone, 'for-each-ref')).toBe(refs);
    expect(git(clone, 'rev-list', '--all', '--count')).toBe('1');
    expect(readFileSync(join(clone, '.git/FETCH_HEAD'), 'utf8')).not.toContain(base);
  });

  it('base in a merge queue is the commit that the group is built on, though it is not in the clone', async () => {
    const head = git(clone, 'rev-parse', 'HEAD');
    const group: PullEnds = { base: { commit: base, name: 'main', isBelow: true }, head: { commit: head } };
    expect((await find('base', { cwd: clone, pull: group }))?.other).toMatchObject({
      kind: 'commit',
      ...{ ref: 'main', commit: base },
    });
  });

  it('a checkout of the base is not compared with itself', async () => {
    git(clone, 'fetch', '--quiet', 'origin', 'main');
    git(clone, 'checkout', '--quiet', '--detach', base);
    const tip: PullEnds = { ...ends, base: { commit: base, name: 'main' } };
    const found = await find('base', { cwd: clone, pull: tip });
    expect(found?.other).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('the checkout has no commit of the pull request'),
    });
    expect(found?.notes[0]?.remedy).toContain('pull_request_target');
  });

  it('a checkout of a branch that has moved on since, or of another one, has nothing of the pull request', async () => {
    git(clone, 'fetch', '--quiet', '--unshallow', 'origin', 'main', 'feature');
    git(clone, 'checkout', '--quiet', '--detach', base);
    const found = await find('base', { cwd: clone, pull: { ...ends, without: base } });
    expect(found?.other).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('the checkout has no commit of the pull request'),
    });
  });

  it.each(['HEAD~1', 'HEAD^', 'HEAD~2', 'main', 'origin/main'])('%s is fetched', async (ref) => {
    const commit = ref === 'HEAD~2' ? git(repository, 'rev-parse', `${base}~1`) : base;
    expect((await find(ref, { cwd: clone }))?.other).toMatchObject({ kind: 'commit', ref, commit });
  });

  it('a commit by its id is fetched', async () => {
    expect((await find(base, { cwd: clone }))?.other).toMatchObject({ kind: 'commit', commit: base });
  });

  it('of which nothing can be fetched: a reason, and no error', async () => {
    git(clone, 'remote', 'set-url', 'origin', 'file:///nowhere');
    for (const [ref, pull] of [
      ['base', ends],
      ['HEAD~1', undefined],
    ] as const) {
      const found = await find(ref, { cwd: clone, ...(pull && { pull }) });
      expect(found?.other).toMatchObject({
        kind: 'none',
        reason: expect.stringContaining('origin did not provide it'),
      });
      expect(found?.notes).toEqual([
        expect.objectContaining({ code: 'no-base', remedy: expect.stringContaining('fetch-depth: 0') }),
      ]);
    }
  });

  it('whose remote does not answer: a ref is not called missing there, and an image is found', async () => {
    git(clone, 'remote', 'set-url', 'origin', 'file:///nowhere');
    for (const ref of ['main', 'main~1']) {
      const said = await refusal(find(ref, { cwd: clone }));
      expect(said).toMatch(/git: no such commit, branch or tag in \S+\/clone, and origin did not answer: \S/);
    }
    expect((await find('shop', { cwd: clone, images: ['shop'] }))?.other.kind).toBe('image');
  });

  it('whose remote does not answer, but which has its branches: the branch is as it was fetched', async () => {
    git(clone, 'fetch', '--quiet', '--unshallow', 'origin', '+refs/heads/*:refs/remotes/origin/*');
    git(clone, 'remote', 'set-url', 'origin', 'file:///nowhere');
    const found = await find('main', { cwd: clone });
    expect(found?.other).toMatchObject({ kind: 'commit', commit: base });
    expect(found?.notes.map(({ code }) => code)).toContain('as-fetched');
    const parent = git(repository, 'rev-parse', `${base}~1`);
    expect((await find('main~1', { cwd: clone }))?.other).toMatchObject({ kind: 'commit', commit: parent });
  });

  it('of two commits needs to fetch nothing', async () => {
    git(clone, 'fetch', '--quiet', '--deepen=1', 'origin', 'refs/pull/7/merge');
    git(clone, 'remote', 'set-url', 'origin', 'file:///nowhere');
    const found = await find('base', { cwd: clone, pull: ends });
    expect(found?.other).toMatchObject({ kind: 'commit', commit: base });
  });

  it("whose HEAD is the pull request's own: what it parted from is not known", async () => {
    git(clone, 'fetch', '--quiet', '--depth=1', 'origin', ends.head.commit);
    git(clone, 'checkout', '--quiet', '--detach', ends.head.commit);
    const found = await find('base', { cwd: clone, pull: ends });
    expect(found?.other).toMatchObject({
      ...{
        kind: 'none',
        reason: expect.stringContaining('this clone is shallow, and the commit where HEAD left main'),
      },
    });
  });

  it('with all of the history, base is where the two parted', async () => {
    git(clone, 'fetch', '--quiet', '--unshallow', 'origin');
    git(clone, 'checkout', '--quiet', '--detach', ends.head.commit);
    const fork = ends.base.commit;
    expect((await find('base', { cwd: clone, pull: ends }))?.other).toMatchObject({
      ref: 'main',
      commit: fork,
    });
  });

  it('a plan fetches nothing', async () => {
    const before = snapshot(clone);
    const found = await findOtherSide(configOf('HEAD~1', { cwd: clone }), {
      host: realHost,
      packageRoot: root,
      ...PLANNING,
    });
    expect(found?.other).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('plan fetches nothing, and run fetches it from origin'),
    });
    expect(snapshot(clone)).toEqual(before);
  });
});
