import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
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
  write,
} from '../../test/fixtures/repository.ts';
import { type Host, realHost } from '../host.ts';
import { findOtherSide } from './other.ts';

useRepository();

describe('what compare-to means', () => {
  it.each(['HEAD~1', 'v1', 'v1-signed', 'other', 'refs/heads/other'])('a ref: %s', async (ref) => {
    const first = commit({ [INDEX]: 'one' });
    git(repository, 'tag', 'v1');
    git(repository, 'tag', '--annotate', '--message', 'x', 'v1-signed');
    git(repository, 'branch', 'other');
    commit({ [INDEX]: 'two' });
    expect(await find(ref)).toMatchObject({
      other: {
        ...{ kind: 'commit', given: ref, ref, commit: first },
        apps: { shop: { folder: '', root: 'public' } },
      },
      notes: [],
    });
  });

  it('base is where the branch left the default branch', async () => {
    const base = commit({ [INDEX]: 'one' });
    git(repository, 'checkout', '--quiet', '-b', 'feature');
    commit({ [INDEX]: 'two' });
    commit({ [INDEX]: 'three' });
    git(repository, 'checkout', '--quiet', 'main');
    commit({ README: 'moved on' });
    git(repository, 'checkout', '--quiet', 'feature');
    expect((await find('base'))?.other).toMatchObject({ given: 'base', ref: 'main', commit: base });
    // In a clone the remote's default branch counts, whatever it is called.
    git(repository, 'branch', '--move', 'main', 'trunk');
    git(repository, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
    const clone = join(folder, 'clone');
    git(folder, 'clone', '--quiet', repository, clone);
    git(clone, 'checkout', '--quiet', 'feature');
    expect((await find('base', { cwd: clone }))?.other).toMatchObject({ ref: 'origin/trunk', commit: base });
    // A remote of another name has branches, too.
    const renamed = join(folder, 'renamed');
    git(folder, 'clone', '--quiet', '--origin', 'upstream', repository, renamed);
    git(renamed, 'checkout', '--quiet', 'feature');
    expect((await find('base', { cwd: renamed }))?.other).toMatchObject({
      ref: 'upstream/trunk',
      commit: base,
    });
    // The branch that a pull request goes into, as a workflow hands it on, wins over both.
    git(repository, 'branch', 'release/1.x', 'feature~1');
    git(clone, 'fetch', '--quiet', 'origin');
    const from = { cwd: clone, branch: 'release/1.x' };
    expect((await find('base', from))?.other).toMatchObject({ ref: 'origin/release/1.x' });
    const gone = await find('base', { cwd: clone, branch: 'no\nsuch' });
    expect(JSON.stringify(gone)).toContain("lacks the branch 'no\\\\nsuch'");
  });

  it('base on the default branch itself: measured alone, and gates pass, unless something is uncommitted', async () => {
    const tip = commit({ [INDEX]: 'one' });
    const found = await find('base', { flags: ['--fail-on', 'slower > 3%'] });
    expect(found?.other).toMatchObject({
      ...{ kind: 'none', reason: 'HEAD is part of main, and no compared file has changed since' },
    });
    // `no-base` would fail the gate.
    expect(found).toMatchObject({ source: null, notes: [{ code: 'same-as-base' }] });
    // A commit that is named is compared whatever it is, to see the noise.
    expect((await find('HEAD'))?.other).toMatchObject({ kind: 'commit', commit: tip });
    write({ [INDEX]: 'two' });
    expect((await find('base'))?.other).toMatchObject({ kind: 'commit', ref: 'main', commit: tip });
  });

  it('an image that the engine has, and results of an earlier run, before a branch of that name', async () => {
    commit({ [INDEX]: 'one' });
    const image = (await find('shop:1', { images: ['shop:1'], flags: ['--runtimes', 'apache'] }))?.other;
    expect(image).toEqual({ kind: 'image', given: 'shop:1', ref: 'shop:1', image: 'shop:1' });
    const { fixtures } = await import('../../test/fixtures/results/make.ts');
    const earlier = fixtures.quick?.();
    write({ 'old/results.json': JSON.stringify(earlier) });
    git(repository, 'branch', 'old');
    for (const path of ['old', 'old/results.json']) {
      const found = await find(path);
      expect(found?.other).toEqual({
        ...{ kind: 'none', given: path, ref: `run ${earlier?.run.id}`, commit: null, reason: null },
      });
      expect(found?.earlier?.measurements).toEqual(earlier?.measurements);
    }
    expect(await refusal(find('old', { flags: ['--fail-on', 'slower > 3%'] }))).toBe(
      "--compare-to: `fail-on` does not work when `compare-to` is a results file\n  found:   'old'\n" +
        "  allowed: 'base', a git ref or an image, which are measured in the same run",
    );
  });

  it('nothing: one message says what was tried', async () => {
    commit({ [INDEX]: 'one' });
    expect(await refusal(find('mian'))).toBe(
      `--compare-to: nothing to compare with\n  found:   'mian' (results: none at ${join(process.cwd(), 'mian').replace(process.cwd(), repository)}; git: no such commit, branch or tag in ${repository}; image: there is none)\n` +
        "  allowed: 'base', a git ref such as main or HEAD~1, an image such as shop:1.2, or an older results.json",
    );
    expect(await refusal(find('HEAD~7'))).toContain('git: no such commit');
    expect(await refusal(find('$(touch owned)'))).toContain('image: not the name of one');
    expect(readdirSync(repository)).not.toContain('owned');
  });

  it('an app outside of any repository, or apps in two', async () => {
    write({ [INDEX]: '' }, join(folder, 'loose'));
    commit({ [INDEX]: 'one' });
    const loose = { cwd: join(folder, 'loose') };
    expect(await refusal(find('base', loose))).toMatch(
      /^--compare-to: the app 'loose' is not in a git repository\n {2}found: {3}.*\/loose: not a git repository.*\n {2}hint: .*$/,
    );
    expect(await refusal(find('main', loose))).toContain("git: the app 'loose' is not in a git repository");
    const other = join(folder, 'blog');
    git(folder, 'init', '--quiet', other);
    commit({ [INDEX]: 'one' }, other);
    const both = { flags: ['--app', '.,../blog'] };
    expect(await refusal(find('base', both))).toContain(`found:   ${repository} and ${other}`);
  });

  it('a repository of another user: the command that makes git trust it', async () => {
    const tip = commit({ [INDEX]: 'one' });
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
    vi.stubEnv('GITHUB_WORKSPACE', undefined);
    expect(await refusal(find('base'))).toBe(
      "--compare-to: the app 'shop' is in a git repository of another user\n" +
        `  found:   ${repository}: detected dubious ownership in repository at '${repository}'\n` +
        `  hint:    git config --global --add safe.directory ${repository}`,
    );
    // Except in the workspace of a job, whose container runs as another user than the runner.
    vi.stubEnv('GITHUB_WORKSPACE', `${folder}/work`);
    expect(await refusal(find('base'))).toContain('of another user');
    vi.stubEnv('GITHUB_WORKSPACE', folder);
    expect((await find('HEAD'))?.other).toMatchObject({ kind: 'commit', commit: tip });
  });
});

describe('a plan', () => {
  const planned = (given: string, cwd = repository) =>
    findOtherSide(configOf(given, { cwd }), { host: realHost, packageRoot: root, ...PLANNING });

  it('refuses what does not exist, in the words of a run', async () => {
    commit({ [INDEX]: 'one' });
    const said = await refusal(planned('mian'));
    expect(said).toMatch(/^--compare-to: nothing to compare with\n {2}found: {3}'mian' /);
    expect(said).toBe(await refusal(find('mian')));
  });

  it('takes a branch that only the remote has for a branch', async () => {
    commit({ [INDEX]: 'one' });
    const clone = join(folder, 'clone');
    git(folder, 'clone', '--quiet', `file://${repository}`, clone);
    git(repository, 'checkout', '--quiet', '-b', 'late');
    commit({ [INDEX]: 'two' });
    const before = snapshot(clone);
    expect((await planned('late', clone))?.other).toMatchObject({
      ...{ kind: 'none', given: 'late', reason: expect.stringContaining('run fetches it from origin') },
    });
    expect(snapshot(clone)).toEqual(before);
    expect(await refusal(planned('mian', clone))).toBe(await refusal(find('mian', { cwd: clone })));
  });

  it('leaves an image that could be pulled to the run', async () => {
    commit({ [INDEX]: 'one' });
    const around = { ...PLANNING, findImage: async () => 'unknown' as const };
    const found = await findOtherSide(configOf('shop:1.2'), { host: realHost, packageRoot: root, ...around });
    expect(found?.other.kind).toBe('image');
    expect(found?.notes.map(({ code }) => code)).toEqual(['not-checked']);
  });
});

it.each([
  ['2.25.1', 'git is too old\n  found:   git version 2.25.1\n  allowed: 2.30 or newer'],
  ['1.8.3.1', expect.stringContaining('git is too old')],
  ['2.9.5', expect.stringContaining('git is too old')],
  ['2.30.2', 'nothing was refused'],
  ['2.39.5 (Apple Git-154)', 'nothing was refused'],
  ['3.0.0', 'nothing was refused'],
])('git %s', async (version, message) => {
  commit({ [INDEX]: 'one' });
  const stdout = `git version ${version}\n`;
  const host: Host = {
    ...realHost,
    exec: async (program, args, options) =>
      args.at(-1) === 'version' ? { code: 0, stdout, stderr: '' } : realHost.exec(program, args, options),
  };
  const found = findOtherSide(configOf('base'), { host, packageRoot: root, ...PLANNING });
  expect(await refusal(found)).toEqual(message);
});

it('a partial clone finds the app in its base, although its remote is out of reach', async () => {
  const base = commit({ [INDEX]: 'one' });
  git(repository, 'checkout', '--quiet', '-b', 'feature');
  commit({ [INDEX]: 'two' });
  git(repository, 'checkout', '--quiet', 'main');
  git(repository, 'config', 'uploadpack.allowFilter', 'true');
  const clone = join(folder, 'clone');
  const flags = ['--quiet', '--filter=blob:none', '--branch=feature'];
  git(folder, 'clone', ...flags, `file://${repository}`, clone);
  git(clone, 'remote', 'set-url', 'origin', `file://${folder}/gone`);
  const found = await find('base', { cwd: clone });
  expect(found?.other).toMatchObject({ kind: 'commit', commit: base, apps: { clone: { root: 'public' } } });
  expect(found?.notes).toEqual([]);
});

it('a whole clone stays whole when a commit is fetched into it', async () => {
  commit({ [INDEX]: 'one' });
  const clone = join(folder, 'clone');
  git(folder, 'clone', '--quiet', `file://${repository}`, clone);
  git(repository, 'checkout', '--quiet', '-b', 'late');
  const late = commit({ [INDEX]: 'two' });
  expect((await find('late', { cwd: clone }))?.other).toMatchObject({ kind: 'commit', commit: late });
  expect(git(clone, 'rev-parse', '--is-shallow-repository')).toBe('false');
  expect(git(clone, 'for-each-ref')).not.toContain('late');
});
