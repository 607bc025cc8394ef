// What compare-to stands for, and the files of it: on real repositories, without the engine.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PullEnds } from '../../src/checkout/base.ts';
import { checkOut } from '../../src/checkout/checkout.ts';
import { describeHead } from '../../src/checkout/head.ts';
import { findOther } from '../../src/checkout/other.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { UserError } from '../../src/errors.ts';
import { realHost } from '../../src/host.ts';
import { removeTemporary, sweepTemporary } from '../../src/temporary.ts';
import { root } from './bench.ts';

let folder: string;
let repository: string;
beforeEach(() => {
  // As tests of git should be: nobody's settings but ours.
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'php-runtime-bench-git-')));
  mkdirSync(join(folder, 'tmp'));
  vi.stubEnv('TMPDIR', join(folder, 'tmp'));
  repository = join(folder, 'shop');
  git(folder, 'init', '--quiet', '--initial-branch=main', repository);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function git(cwd: string, ...args: string[]): string {
  const who = [
    '-c',
    'user.name=octo',
    '-c',
    'user.email=octo@example.com',
    '-c',
    'protocol.file.allow=always',
  ];
  return execFileSync('git', [...who, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** Writes files and commits them; gives the commit. */
function commit(files: Readonly<Record<string, string>>, cwd = repository): string {
  write(files, cwd);
  git(cwd, 'add', '--all');
  git(cwd, 'commit', '--quiet', '--allow-empty', '--message', 'Change');
  return git(cwd, 'rev-parse', 'HEAD');
}

function write(files: Readonly<Record<string, string>>, cwd = repository) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
}

const INDEX = 'public/index.php';

interface Options {
  cwd?: string;
  flags?: string[];
  pull?: PullEnds;
  branch?: string;
  /** Left out: the engine has no image. */
  images?: string[];
}

const configOf = (given: string, { cwd = repository, flags = [] }: Options = {}) =>
  parseConfig({ flags: ['--compare-to', given, ...flags], cwd, packageRoot: root });

function find(given: string, options: Options = {}) {
  return findOther(configOf(given, options), {
    ...{ host: realHost, packageRoot: root, pull: options.pull ?? null, branch: options.branch ?? null },
    findImage: async (name) => (options.images?.includes(name) ? 'here' : { reason: 'there is none' }),
    fetches: true,
  });
}

/** As a plan asks, of an engine without images. */
const PLANNING = {
  pull: null,
  fetches: false,
  findImage: async () => ({ reason: 'there is none' }),
};

async function refusal(found: Promise<unknown>): Promise<string> {
  try {
    await found;
  } catch (error) {
    if (error instanceof UserError) return error.format();
    throw error;
  }
  return 'nothing was refused';
}

/** Everything in a folder, with what tells whether it was touched. */
function snapshot(top: string) {
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { ino, mtimeMs, mode, size } = lstatSync(join(top, name));
      return { name, ino, mtimeMs, mode, size };
    });
}

describe('what compare-to stands for', () => {
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
    // The branch that a pull request goes into, as a workflow hands it on, wins over both.
    git(repository, 'branch', 'release/1.x', 'feature~1');
    git(clone, 'fetch', '--quiet', 'origin');
    const from = { cwd: clone, branch: 'release/1.x' };
    expect((await find('base', from))?.other).toMatchObject({ ref: 'origin/release/1.x' });
    const gone = await find('base', { cwd: clone, branch: 'no\nsuch' });
    expect(JSON.stringify(gone)).toContain("does not have the branch 'no\\\\nsuch'");
  });

  it('an image that the engine has, and results of an earlier run, before a branch of that name', async () => {
    commit({ [INDEX]: 'one' });
    const image = (await find('shop:1', { images: ['shop:1'], flags: ['--runtimes', 'apache'] }))?.other;
    expect(image).toEqual({ kind: 'image', given: 'shop:1', ref: 'shop:1', image: 'shop:1' });
    const { fixtures } = await import('../fixtures/results/make.ts');
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
});

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
    const found = await findOther(configOf('HEAD~1', { cwd: clone }), {
      host: realHost,
      packageRoot: root,
      ...PLANNING,
    });
    expect(found?.other).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('fetching is off'),
    });
    expect(snapshot(clone)).toEqual(before);
  });
});

describe('a plan', () => {
  const planned = (given: string, cwd = repository) =>
    findOther(configOf(given, { cwd }), { host: realHost, packageRoot: root, ...PLANNING });

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
      ...{ kind: 'none', given: 'late', reason: expect.stringContaining('fetching is off') },
    });
    expect(snapshot(clone)).toEqual(before);
    expect(await refusal(planned('mian', clone))).toBe(await refusal(find('mian', { cwd: clone })));
  });

  it('leaves an image that could be pulled to the run', async () => {
    commit({ [INDEX]: 'one' });
    const around = { ...PLANNING, findImage: async () => 'unknown' as const };
    const found = await findOther(configOf('shop:1.2'), { host: realHost, packageRoot: root, ...around });
    expect(found?.other.kind).toBe('image');
    expect(found?.notes.map(({ code }) => code)).toEqual(['not-checked']);
  });
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

  it('uncommitted changes are told, our own results are none', async () => {
    commit({ [INDEX]: 'one' });
    commit({ [INDEX]: 'two' });
    write({ 'bench-results/results.json': '{}' });
    expect((await find('HEAD~1'))?.notes).toEqual([]);
    write({ [INDEX]: 'three', 'new.php': '' });
    expect((await find('HEAD~1'))?.notes).toEqual([
      expect.objectContaining({
        code: 'uncommitted',
        message: expect.stringContaining('2 uncommitted changes (new.php, public/index.php)'),
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

  it('the same content is told', async () => {
    commit({ 'shop/index.php': 'one' });
    commit({ README: 'elsewhere' });
    const codes = async () =>
      (await find('HEAD~1', { flags: ['--app', 'shop'] }))?.notes.map(({ code }) => code);
    expect(await codes()).toEqual(['same-as-base']);
    write({ 'shop/index.php': 'two' });
    expect(await codes()).toEqual(['uncommitted']);
  });

  it('files in Git LFS are told', async () => {
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

  it('a submodule is told', async () => {
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

    it('is made anew for both where they do not', async () => {
      commit({ 'composer.lock': '{"packages": []}' });
      expect(await find('HEAD~1')).toMatchObject({
        other: { kind: 'commit', apps: { shop: { install: true } } },
        source: { bring: [] },
        notes: [],
      });
    });
  });
});

const RUN = '20260131-090000-0abc';
const checkoutFolder = () => join(folder, 'tmp', `php-runtime-bench-${RUN}-base`);

describe('the files of the other commit', () => {
  const source = (of: string) => ({ top: repository, commit: of, bring: [] });

  it('are as they were, and the repository is as it is', async () => {
    write({ 'bin/x': '#!/bin/sh\n', [INDEX]: 'one', 'app/deep/y': 'y' });
    chmodSync(join(repository, 'bin/x'), 0o755);
    symlinkSync('../bin/x', join(repository, 'app/link'));
    const first = commit({});
    commit({ [INDEX]: 'two', 'new.php': '' });
    write({ [INDEX]: 'dirty', 'staged.php': '', 'untracked.php': '' });
    git(repository, 'add', 'staged.php');
    const before = {
      files: snapshot(repository),
      status: git(repository, '--no-optional-locks', 'status', '--porcelain'),
    };
    const checkout = await checkOut(realHost, source(first), RUN, {});
    expect(snapshot(checkout.folder).map(({ name }) => name)).toEqual([
      ...['app', 'app/deep', 'app/deep/y', 'app/link', 'bin', 'bin/x', 'public', INDEX],
    ]);
    expect(readFileSync(join(checkout.folder, INDEX), 'utf8')).toBe('one');
    expect(lstatSync(join(checkout.folder, 'app/link')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(checkout.folder, 'bin/x')).mode & 0o111).not.toBe(0);
    expect(lstatSync(checkoutFolder()).mode & 0o777).toBe(0o700);
    await checkout.remove();
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
    expect({
      files: snapshot(repository),
      status: git(repository, '--no-optional-locks', 'status', '--porcelain'),
    }).toEqual(before);
  });

  it('are all there where the work tree is sparse', async () => {
    const first = commit({ [INDEX]: 'one', 'docs/x': 'x' });
    git(repository, 'sparse-checkout', 'set', '--no-cone', '/public/');
    expect(readdirSync(repository)).not.toContain('docs');
    const checkout = await checkOut(realHost, source(first), RUN, {});
    expect(readdirSync(checkout.folder).sort()).toEqual(['docs', 'public']);
    await checkout.remove();
  });

  it('come without running anything: no hook, no filter, no monitor', async () => {
    const first = commit({ [INDEX]: 'one', '.gitattributes': '*.php filter=big filter=odd=name\n' });
    commit({ [INDEX]: 'two' });
    const trap = join(folder, 'trap');
    const script = join(folder, 'script');
    writeFileSync(script, `#!/bin/sh\necho "$0 $*" >>'${trap}'\ncat\n`, { mode: 0o755 });
    for (const name of ['post-checkout', 'post-index-change', 'reference-transaction']) {
      writeFileSync(join(repository, '.git/hooks', name), `#!/bin/sh\necho ${name} >>'${trap}'\n`, {
        mode: 0o755,
      });
    }
    const config = join(repository, '.git/config');
    appendFileSync(config, `[core]\n fsmonitor = ${script}\n`);
    expect((await find('HEAD~1'))?.other).toMatchObject({ commit: first });
    appendFileSync(
      config,
      `[filter "big"]\n smudge = ${script}\n required = true\n[filter "odd=name"]\n process = ${script}\n required = true\n`,
    );
    const checkout = await checkOut(realHost, source(first), RUN, {});
    expect(readFileSync(join(checkout.folder, INDEX), 'utf8')).toBe('one');
    await checkout.remove();
    expect(existsSync(trap) ? readFileSync(trap, 'utf8') : '').toBe('');
  });

  it('are those of our repository, whatever a hook has set around us', async () => {
    const first = commit({ [INDEX]: 'one' });
    const decoy = join(folder, 'decoy');
    git(folder, 'init', '--quiet', decoy);
    const wrong = commit({ [INDEX]: 'decoy' }, decoy);
    vi.stubEnv('GIT_DIR', join(decoy, '.git'));
    vi.stubEnv('GIT_WORK_TREE', decoy);
    vi.stubEnv('GIT_INDEX_FILE', join(decoy, '.git/index'));
    vi.stubEnv('GIT_OBJECT_DIRECTORY', join(decoy, '.git/objects'));
    expect((await find('HEAD'))?.other).toMatchObject({ commit: first });
    expect(await refusal(find(wrong))).toContain('no such commit');
    const checkout = await checkOut(realHost, source(first), RUN, {});
    expect(readFileSync(join(checkout.folder, INDEX), 'utf8')).toBe('one');
    await checkout.remove();
  });

  it('are gone when they could not be written, or the run is stopped', async () => {
    const first = commit({ [INDEX]: 'one' });
    await expect(checkOut(realHost, source('f'.repeat(40)), RUN, {})).rejects.toThrow(/tree|object/);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(checkOut(realHost, source(first), RUN, { signal })).rejects.toThrow('stopped');
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it('of a run that is dead are swept, of one that lives are not', async () => {
    const said: string[] = [];
    const leave = (owner: object | null) => {
      mkdirSync(checkoutFolder());
      if (owner) writeFileSync(join(checkoutFolder(), 'owner'), JSON.stringify(owner));
    };
    const sweep = async () => {
      await sweepTemporary(realHost, (line) => said.push(line));
      return existsSync(checkoutFolder());
    };
    // Nobody has that number: it is more than Linux gives.
    const dead = 2 ** 22 + 1;
    leave({ pid: process.pid, host: hostname() });
    expect(await sweep()).toBe(true);
    await removeTemporary(RUN);
    leave({ pid: dead, host: `not ${hostname()}` });
    expect(await sweep()).toBe(true);
    await removeTemporary(RUN);
    leave(null);
    expect(await sweep()).toBe(true);
    await removeTemporary(RUN);
    leave({ pid: dead, host: hostname() });
    expect(await sweep()).toBe(false);
    expect(said).toEqual([`removed what run ${RUN} left behind: php-runtime-bench-${RUN}-base`]);
    expect(await removeTemporary(RUN)).toBe(false);
  });
});

describe('what is checked out', () => {
  const head = (...apps: string[]) => {
    const flags = apps.length > 0 ? ['--app', apps.join(',')] : [];
    return describeHead(parseConfig({ flags, cwd: repository, packageRoot: root }), realHost);
  };

  it('is a commit, and files of the app that differ from it', async () => {
    const made = commit({ [INDEX]: 'one', 'shop/index.php': 'one' });
    expect(await head()).toEqual({ commit: made, uncommitted: 0, files: [] });
    write({ [INDEX]: 'two', 'a.php': '', 'b.php': '', 'c.php': '', 'bench-results/results.json': '{}' });
    expect(await head()).toMatchObject({ uncommitted: 4, files: ['a.php', 'b.php', 'c.php'] });
    // Beside the app.
    expect(await head('shop')).toEqual({ commit: made, uncommitted: 0, files: [] });
  });

  it('is unknown of an app outside of any repository, and before the first commit', async () => {
    write({ [INDEX]: 'one' });
    expect(await head()).toBeNull();
    write({ [INDEX]: 'one' }, join(folder, 'loose'));
    const config = parseConfig({ flags: [], cwd: join(folder, 'loose'), packageRoot: root });
    expect(await describeHead(config, realHost)).toBeNull();
  });
});
