// One version of an app against another, from the flag to the verdict: real git, engine, images and load.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../src/results/results.ts';
import {
  docker,
  during,
  leftovers,
  makeProject,
  type Project,
  type Run,
  slicesOf,
  variantOf,
} from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  project.commit({ '.gitignore': '/out-*\n', '.dockerignore': '.git\nout-*\n', [INDEX]: page(20_000) });
});
afterAll(() => project.remove());
afterEach(async () => {
  expect(await leftovers()).toEqual([]);
  expect(project.temporaryFiles()).toEqual([]);
});

const INDEX = 'public/index.php';
/** A page that does this much and says the same. */
const page = (loops: number, comment = '') =>
  `<?php ${comment}\n$x = 1;\nfor ($i = 0; $i < ${loops}; $i++) {\n    $x = ($x * 31 + $i) & 0xffff;\n}\necho 'done';\n`;

/** All that a run could touch: the files of the checkout and of the repository, except for its own output. */
function snapshot() {
  return (
    readdirSync(project.folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('out-'))
      .sort()
      .map((name) => {
        const { ino, mtimeMs, size } = lstatSync(join(project.folder, name));
        return { name, ino, mtimeMs, size };
      })
      // Folders change when a lock is made and removed in them; files must not.
      .filter(({ name }) => !lstatSync(join(project.folder, name)).isDirectory())
  );
}

const APACHE = ['--runtimes', 'apache', '--paths', '/'];

describe('a checkout with uncommitted changes against the commit before', () => {
  let results: Results;
  let code: number;
  let before: string;
  const commits = { base: '', head: '' };
  const touched = { before: snapshotOf(), after: snapshotOf() };
  function snapshotOf(): ReturnType<typeof snapshot> {
    return [];
  }

  beforeAll(async () => {
    commits.base = project.git('rev-parse', 'HEAD');
    commits.head = project.commit({ [INDEX]: page(20_000, '// Said again') });
    project.write({ [INDEX]: page(120_000), 'new.php': '<?php' });
    before = project.git('status', '--porcelain');
    touched.before = snapshot();
    ({ code } = await project.bench(
      'out-dirty',
      ...APACHE,
      '--compare-to',
      'HEAD~1',
      '--fail-on',
      'slower > 3%',
    ).done);
    touched.after = snapshot();
    results = project.results('out-dirty');
  });

  it('measures both arms, side by side', () => {
    // One start of each cannot be judged, and a gate asked for it.
    expect(code).toBe(3);
    expect(results.variants.map(({ id, label, ref, base }) => ({ id, label, ref, base }))).toEqual([
      { id: 'apache@8.4', label: 'apache@8.4', ref: null, base: 'apache@8.4:base' },
      { id: 'apache@8.4:base', label: 'apache@8.4 (HEAD~1)', ref: 'HEAD~1', base: null },
    ]);
    for (const { id } of results.variants)
      expect(slicesOf(results, id).map(({ outcome }) => outcome)).toEqual(['ok']);
    const cpu = (id: string) => slicesOf(results, id)[0]?.cpu?.perRequestUs ?? 0;
    // The loop is six times as long on this side. The request around it costs more than the short loop.
    expect(cpu('apache@8.4')).toBeGreaterThan(1.3 * cpu('apache@8.4:base'));
    expect(variantOf(results, 'apache@8.4').image?.id).not.toBe(
      variantOf(results, 'apache@8.4:base').image?.id,
    );
  });

  it('says what it compared, and by what rule it would have failed', () => {
    expect(results.plan.compareTo).toEqual({
      ...{ given: 'HEAD~1', ref: 'HEAD~1', commit: commits.base, reason: null },
      changed: expect.any(Object),
    });
    expect(results.plan.gates).toEqual([
      { source: 'slower > 3%', metric: null, above: 0.03, scenario: null, variant: null },
    ]);
    const ours = results.comparisons.filter(({ against }) => against === 'base');
    expect(new Set(ours.map(({ metric }) => metric)).size).toBe(6);
    for (const { variant, reference, verdict } of ours) {
      // One start is no ground for a verdict, and so none for a gate.
      expect({ variant, reference, verdict }).toEqual({
        ...{ variant: 'apache@8.4', reference: 'apache@8.4:base', verdict: 'inconclusive' },
      });
    }
    expect(results.warnings.map(({ code }) => code)).toContain('uncommitted');
  });

  it('touches neither the checkout nor the repository', () => {
    expect(touched.after).toEqual(touched.before);
    expect(project.git('status', '--porcelain')).toBe(before);
    expect(project.git('rev-parse', 'HEAD')).toBe(commits.head);
    expect(project.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('can be compared with as an earlier run, by intervals without a verdict', async () => {
    const { code } = await project.bench('out-later', ...APACHE, '--compare-to', 'out-dirty').done;
    expect(code).toBe(0);
    const later = project.results('out-later');
    expect(later.variants.map(({ id }) => id)).toEqual(['apache@8.4']);
    expect(later.plan.compareTo).toMatchObject({
      given: 'out-dirty',
      ref: `run ${results.run.id}`,
      commit: null,
    });
    expect(later.comparisons.map(({ against, metric }) => [against, metric])).toEqual(
      ['rps', 'p50', 'p95', 'p99', 'cpu', 'memory'].map((metric) => ['earlier', metric]),
    );
    const cpu = later.comparisons.find(({ metric }) => metric === 'cpu');
    // A slice of each run at another time: other work may make any difference.
    const { variant = 0, reference = 0 } = cpu?.values ?? {};
    expect(Math.min(variant, reference)).toBeGreaterThan(0);
    expect(cpu).toMatchObject({ verdict: 'inconclusive', interval: null });
    expect(cpu?.ratio).toBeCloseTo(variant / reference, 9);
  });

  it('can be compared with an image', async () => {
    const image = variantOf(results, 'apache@8.4:base').image?.name ?? '';
    await docker('tag', image, 'php-runtime-bench-test-shop:1');
    try {
      const { code } = await project.bench(
        'out-image',
        ...APACHE,
        '--compare-to',
        'php-runtime-bench-test-shop:1',
      ).done;
      expect(code).toBe(0);
    } finally {
      await docker('rmi', 'php-runtime-bench-test-shop:1');
    }
    const compared = project.results('out-image');
    const twin = variantOf(compared, 'apache@8.4:base');
    expect(twin).toMatchObject({ label: 'apache@8.4 (php-runtime-bench-test-shop:1)', failure: null });
    expect(twin.image?.id).toBe(variantOf(results, 'apache@8.4:base').image?.id);
    expect(slicesOf(compared, twin.id).map(({ outcome }) => outcome)).toEqual(['ok']);
  });

  it('is planned without the engine, and nothing is written', async () => {
    const bin = join(project.folder, 'out-bin');
    mkdirSync(bin);
    for (const name of ['cat', 'grep', 'sed', 'sh']) symlinkSync(`/bin/${name}`, join(bin, name));
    symlinkSync(execFileSync('which', ['git'], { encoding: 'utf8' }).trim(), join(bin, 'git'));
    const now = snapshot();
    const { code, stdout, stderr } = await project.cli(
      ['plan', '--json', ...APACHE, '--compare-to', 'HEAD~1', '--reference', 'apache@8.4'],
      { env: { PATH: bin, DOCKER_HOST: 'unix:///nowhere/docker.sock' } },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const planned = JSON.parse(stdout);
    // The run alone asks git which files differ.
    const { changed: _, ...asked } = results.plan.compareTo ?? {};
    expect(planned.compareTo).toEqual(asked);
    expect(planned.variants).toMatchObject([
      { id: 'apache@8.4', ref: null, base: 'apache@8.4:base', image: planned.images[0].key },
      { id: 'apache@8.4:base', label: 'apache@8.4 (HEAD~1)', ref: 'HEAD~1', image: planned.images[1].key },
    ]);
    expect(planned.instances[0].startOrder.toSorted()).toEqual(['apache@8.4', 'apache@8.4:base']);
    expect(snapshot()).toEqual(now);
  });
});

describe('what nobody can compare with', () => {
  it('a ref that there is not is bad input: nothing starts', async () => {
    const { code, stdout, stderr } = await project.bench('out-none', ...APACHE, '--compare-to', 'mian').done;
    expect(stderr).toMatch(
      /^--compare-to: nothing to compare with\n {2}found: {3}'mian' \(results: none at mian; git: no such commit, branch or tag in \S+; image: no such image in the engine, and a name without a tag is not pulled\)\n {2}allowed: .*\n$/,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(join(project.folder, 'out-none'))).toBe(false);
    const runtimes = ['--runtimes', 'apache,nginx-fpm,caddy-fpm', '--paths', '/'];
    const planned = await project.cli(['plan', ...runtimes, '--compare-to', 'mian']);
    expect(planned).toMatchObject({ code: 2, stdout: '', stderr });
  });

  it('a reference that no variant is called is refused before anything starts', async () => {
    const { code, stderr } = await project.bench('out-none', ...APACHE, '--reference', 'apach').done;
    expect(stderr).toMatch(/^--reference: unknown variant\n {2}found: {3}'apach'\n/);
    expect(code).toBe(2);
  });

  it('an app that is new: it is measured alone, and no gate stands in its way', async () => {
    project.write({ 'fresh/index.php': "<?php echo 'fresh';\n" });
    const flags = ['--app', 'fresh', '--compare-to', 'HEAD~1', '--fail-on', 'slower > 3%'];
    const { code } = await project.bench('out-new', ...APACHE, ...flags).done;
    rmSync(join(project.folder, 'fresh'), { recursive: true });
    const results = project.results('out-new');
    expect(code).toBe(0);
    expect(results.plan.compareTo?.reason).toMatch(
      /^app 'fresh' is not compared: HEAD~1 \(\w{10}\) has no index\.php in fresh$/,
    );
    expect(results.variants.map(({ id, base }) => [id, base])).toEqual([['apache@8.4', null]]);
    expect(slicesOf(results, 'apache@8.4').map(({ outcome }) => outcome)).toEqual(['ok']);
  });

  it('a base that shows its installer, as with configuration that git ignores', async () => {
    project.commit({ [INDEX]: '<!doctype html><title>Shop Installer</title><p>Welcome' });
    project.commit({ [INDEX]: '<!doctype html><title>Shop</title><p>Welcome' });
    const gate = ['--compare-to', 'HEAD~1', '--fail-on', 'slower > 3%'];
    const { code, stderr } = await project.bench('out-installer', ...APACHE, ...gate).done;
    const results = project.results('out-installer');
    expect(variantOf(results, 'apache@8.4:base').failure).toMatchObject({
      stage: 'verify',
      reason: expect.stringMatching(
        /^GET \/ looks like an installer \(HTTP 200 "Shop Installer"\), and that of apache@8\.4 does not; .*install the app in `prepare`.*`same-answers: warn`$/,
      ),
    });
    expect(slicesOf(results, 'apache@8.4').map(({ outcome }) => outcome)).toEqual(['ok']);
    expect(results.warnings.map(({ code }) => code)).not.toContain('looks-unfinished');
    expect(code, stderr).toBe(3);
  });

  it.each([
    ['without a gate', [], 0],
    ['with a gate, which cannot be held', ['--fail-on', 'slower > 3%'], 3],
  ])('a base that does not build, %s', async (_, gate, expected) => {
    const dockerfile = '.bench/runtimes/faulty/Dockerfile';
    const good = readFileSync(join(project.folder, dockerfile), 'utf8');
    project.commit({ [dockerfile]: `${good}RUN echo broken then && exit 9\n` });
    project.commit({ [dockerfile]: good });
    const { code, stderr } = await project.bench(
      'out-broken',
      ...['--runtimes', 'faulty', '--paths', '/', '--compare-to', 'HEAD~1', ...gate],
    ).done;
    const results = project.results('out-broken');
    expect(variantOf(results, 'faulty@8.4:base').failure).toMatchObject({
      stage: 'build',
      log: expect.stringContaining('broken then'),
    });
    expect(slicesOf(results, 'faulty@8.4').map(({ outcome }) => outcome)).toEqual(['ok']);
    expect(results.warnings).toContainEqual(
      expect.objectContaining({
        ...{ code: 'no-base', variant: 'faulty@8.4' },
        message: expect.stringMatching(
          /^nothing to compare faulty@8\.4 with: faulty@8\.4 \(HEAD~1\) failed \(build\): /,
        ),
      }),
    );
    expect(code, stderr).toBe(expected);
  });
});

describe('a run that ends while the other commit is checked out', () => {
  /** The build of the other commit takes its time, once. */
  const start = (out: string, what: string) => {
    const dockerfile = '.bench/runtimes/faulty/Dockerfile';
    const good = readFileSync(join(project.folder, dockerfile), 'utf8');
    project.commit({ [dockerfile]: `${good}RUN sleep 20 # ${what} ${Date.now()}\n` });
    project.commit({ [dockerfile]: good });
    const flags = ['--runtimes', 'faulty', '--paths', '/', '--compare-to', 'HEAD~1'];
    return project.bench(out, ...flags);
  };
  const checkouts = () => project.temporaryFiles().filter((name) => /^php-runtime-bench-.*-base$/.test(name));
  /** Waits until the checkout has its owner: without one, the next run leaves it for a minute. */
  const comeToCheckout = (run: Run) =>
    during(run, () => {
      const [owner = ''] = checkouts().map((name) => join(project.temporary, name, 'owner'));
      return existsSync(owner) && readFileSync(owner, 'utf8').endsWith('}');
    });

  it('by a signal leaves nothing', async () => {
    const run = start('out-cancelled', 'cancelled');
    await comeToCheckout(run);
    run.kill('SIGINT');
    expect((await run.done).code).toBe(130);
    expect(checkouts()).toEqual([]);
  });

  it('by a kill leaves what the next run sweeps', async () => {
    const run = start('out-killed', 'killed');
    await comeToCheckout(run);
    run.kill('SIGKILL');
    await run.done;
    const [left = ''] = checkouts();
    expect(left).not.toBe('');
    expect(project.git('worktree', 'list').split('\n')).toHaveLength(1);
    const next = await project.bench('out-next', ...APACHE).done;
    expect(next.code).toBe(0);
    expect(next.stderr).toContain(`left behind: ${left}`);
    expect(checkouts()).toEqual([]);
  });
});
