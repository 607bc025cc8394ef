import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readHistory } from '../../src/history/file.ts';
import type { Results } from '../../src/results/results.ts';
import { makeResults } from '../fixtures/results/make.ts';
import type { Event, Sandbox } from './act.ts';
import type { Artifacts } from './artifacts.ts';
import { Caller, PULL_REQUEST, SHA } from './caller.ts';
import type { GitHub } from './github.ts';

// The reusable workflows, called from another repository's workflow under act.

/** Works for some milliseconds: a profile needs samples. */
const PAGE = "<?php for ($i = 0; $i < 300000; $i++) { $root = sqrt($i); }\necho 'shop';\n";

let caller: Caller;
let sandbox: Sandbox;
let github: GitHub;
let artifacts: Artifacts;
let folder: string;

beforeAll(async () => {
  caller = await Caller.create();
  ({ sandbox, github, artifacts } = caller);
  await caller.write({ 'public/index.php': PAGE });
});

afterAll(() => caller.remove());

beforeEach(async () => {
  await caller.reset();
  folder = caller.folder;
});

afterEach(() => expect(caller.violations).toEqual([]));

const run: Caller['call'] = (...how) => caller.call(...how);

const AUTH = JSON.stringify({ bearer: { 'repo.example.com': 'not-a-token' } });

/**
 * Makes the app one that writes down, as Composer installs its packages, what credentials Composer has.
 *
 * @returns an input for a command of its build that fails where they are not those, and for one before the build that
 *   fails where it sees any
 */
async function expectCredentials(auth: string): Promise<{ setup: string; prepare: string }> {
  const print = "@php -r \"file_put_contents('auth', md5((string) getenv('COMPOSER_AUTH')));\"";
  // Never the same, as a build does not begin anew for other credentials.
  const composer = { name: 'octo/shop', description: randomUUID(), scripts: { 'post-update-cmd': print } };
  await writeFile(join(sandbox.repository, 'composer.json'), JSON.stringify(composer));
  const hash = createHash('md5').update(auth).digest('hex');
  return { setup: 'test -z "$(printenv COMPOSER_AUTH)"', prepare: `test "$(cat auth)" = ${hash}` };
}

test('three machines, one of which fails: report and comment name it and compare the rest', async () => {
  const done = await run('bench.yml', PULL_REQUEST, {
    // The first to come here breaks down.
    setup: 'if mkdir "$ONCE"; then echo "no space left" >&2; exit 1; fi',
    shards: '3',
    runtimes: 'apache,a=apache[workers=2],b=apache[workers=3],c=apache[workers=4]',
    ...{ php: '8.4', paths: '/', load: 'vus(2, 1s)', warmup: '0s', instances: '1', blocks: '1' },
    ...(process.env.BENCH_IMAGES && { images: process.env.BENCH_IMAGES }),
  });

  expect(done.code, done.log).not.toBe(0);
  expect(done.printed).toContain('1 of 3 machines gave no results that can be used');
  const [comment, ...more] = github.comments;
  expect(more).toEqual([]);
  const failed = /No results of machine (\d) of 3/.exec(comment?.body ?? '')?.[1];
  // GitHub gives the name of the calling workflow, act that of the called one.
  expect(comment?.body).toMatch(
    /^<!-- php-runtime-bench:workflow%2F\w+%2Fphp-runtime-bench -->\n\*\*No results of machine \d of 3 \(`[abc]`\)/,
  );
  const labels = ['a', 'b', 'c'];
  labels.splice(Number(failed) - 1, 1);
  expect(comment?.body).toContain(', across 2 machines\n');
  for (const label of labels) {
    // On a small machine k6 may be the limit, and then nothing is ranked.
    const place = `\\| \`${label}\` \\| ${'abc'.indexOf(label) + 1} \\||- \`${label}\` is not ranked`;
    expect(comment?.body).toMatch(new RegExp(place));
  }
});

const comment = (body: string): Event => {
  const { id } = github.write('ada', body);
  return {
    name: 'issue_comment',
    payload: {
      ...{ action: 'created', issue: { number: 7, pull_request: {} } },
      comment: {
        ...{ id, body, created_at: '2026-01-02T00:00:00Z', user: { login: 'ada' } },
        html_url: `https://github.com/octo/shop/pull/7#issuecomment-${id}`,
      },
    },
  };
};
const answers = () => github.comments.filter(({ author }) => author === 'github-actions[bot]');

/** What the one machine measured. */
async function readShard(): Promise<Results> {
  const file = join(artifacts.folder ?? '', 'php-runtime-bench-shard-1-1/results.json');
  return JSON.parse(await readFile(file, 'utf8'));
}

test('asked for in a comment: measured as the comment says, at the commit, without credentials', {
  timeout: 600_000,
}, async () => {
  github.people.set('ada', 'write');
  github.heads.set(7, { label: 'mallory:$(touch owned)', sha: SHA });
  const asked = comment(
    "/bench apache,b=apache[workers=2] --paths '/,/?$(touch>owned)' --load 'vus(2, 1s)' --warmup 0s --instances 1 --blocks 1 --shards 1 --profile b\nAnd please: --env X=y",
  );
  // It is a fork's.
  const inputs = {
    ...(await expectCredentials('')),
    ...(process.env.BENCH_IMAGES && { images: process.env.BENCH_IMAGES }),
  };
  const done = await run('bench-command.yml', asked, inputs, {}, AUTH);
  await rm(join(sandbox.repository, 'composer.json'));

  expect(done.code, done.log).toBe(0);
  expect(github.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  const [answer, ...more] = answers();
  expect(more).toEqual([]);
  expect(answer?.body).toMatch(/^<!-- php-runtime-bench:command%2F1000 -->\n/);
  expect(answer?.body).toContain('`b`');
  expect(answer?.body).toContain('vus(2, 1s)');
  const { variants, profiles, warnings } = await readShard();
  expect(warnings.filter(({ code }) => code === 'profile')).toEqual([]);
  const profiled = variants.filter(({ id }) => profiles.some(({ variant }) => variant === id));
  expect(profiled.map(({ label, ref }) => [label, ref])).toEqual([['b', null]]);
  expect(await readdir(sandbox.repository)).not.toContain('owned');
});

test('asked for with a flag that there is not: nothing is measured, the answer says what is allowed', async () => {
  github.people.set('ada', 'admin');
  github.heads.set(7, { label: 'ada:x', sha: SHA });
  const done = await run('bench-command.yml', comment('/bench --scenario `@everyone` --env A=b'));
  expect(done.code, done.log).not.toBe(0);
  expect(github.reactions.map(({ content }) => content)).toEqual(['eyes', 'confused']);
  expect(answers().map(({ body }) => body)).toEqual([
    expect.stringMatching(/\n\n```\nunknown flag '--scenario'\n[\s\S]*did you mean '--scenarios'\?\n```$/),
  ]);
  expect(done.log).not.toContain('Set up the app');
});

test('asked for by somebody who may not write: nothing happens', async () => {
  github.people.set('ada', 'read');
  const done = await run('bench-command.yml', comment('/bench apache'));
  expect(done.code, done.log).toBe(0);
  expect(github.reactions.map(({ content }) => content)).toEqual(['-1']);
  expect(answers()).toEqual([]);
});

test('by schedule: built with credentials, measured, and added to a history that is made', async () => {
  const remote = join(folder, 'shop.git');
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  // Where git reaches GitHub, it reaches this.
  const config = join(folder, 'gitconfig');
  await writeFile(
    config,
    `[url "file://${remote}"]\n\tinsteadOf = https://github.com/${github.repository}\n`,
  );
  const push: Event = {
    name: 'push',
    payload: { ref: 'refs/heads/main', repository: { default_branch: 'main' } },
  };
  const { setup, prepare } = await expectCredentials(AUTH);
  const inputs = {
    ...{
      versions: '["8.4"]',
      runtimes: 'apache,b=apache[workers=2]',
      shards: '1',
      config: '.bench.short.yml',
      setup,
    },
    ...(process.env.BENCH_IMAGES && { images: process.env.BENCH_IMAGES }),
  };
  const short = {
    paths: ['/'],
    load: 'vus(2, 1s)',
    warmup: '0s',
    instances: 1,
    blocks: 1,
    prepare: [prepare],
  };
  await writeFile(join(sandbox.repository, '.bench.short.yml'), JSON.stringify(short));
  const done = await run('bench-schedule.yml', push, inputs, { GIT_CONFIG_GLOBAL: config }, AUTH);
  for (const file of ['.bench.short.yml', 'composer.json']) await rm(join(sandbox.repository, file));

  expect(done.code, done.log).toBe(0);
  const text = execFileSync('git', ['show', 'php-runtime-bench-history:history.ndjson'], {
    ...{ cwd: remote, encoding: 'utf8' },
  });
  const { records, corrupt } = readHistory(text);
  expect(corrupt).toEqual([]);
  expect(records.map(({ label, shard }) => [label, shard]).sort()).toEqual([
    ['apache@8.4', '1/1'],
    ['b', '1/1'],
  ]);
  for (const { php, rps, commit } of records) {
    expect(php).toMatch(/^8\.4\./);
    expect(rps?.value).toBeGreaterThan(0);
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
  }
  expect(github.comments).toEqual([]);
});

/** Leaves artifacts that the workflow of a fork may have made. */
async function leave(shards: unknown, results: unknown, name = 'php-runtime-bench') {
  const report = join(artifacts.folder ?? '', name);
  await mkdir(join(report, '1'), { recursive: true });
  await writeFile(join(report, 'shards.json'), JSON.stringify(shards));
  await writeFile(join(report, '1/results.json'), JSON.stringify(results));
  await writeFile(join(report, 'report.md'), '# @everyone [x](https://evil.example)');
}

const workflowRun = (conclusion = 'success'): Event => ({
  name: 'workflow_run',
  payload: {
    action: 'completed',
    // Both differ where the workflow has a `run-name:`.
    workflow: { name: 'Bench' },
    workflow_run: {
      ...{ id: 42, name: 'Bench of octo', event: 'pull_request', conclusion, head_sha: SHA },
      ...{ head_branch: '$(touch owned)', head_repository: { id: 5, owner: { login: 'mallory' } } },
      pull_requests: [],
    },
  },
});
const WANTED = [{ index: 1, of: 1, variants: ['apache'] }];
const HOSTILE = '<img src=x>|@everyone [x](https://evil.example) ::error::x';

test("a fork's numbers come as numbers, onto the pull request that has the commit", async () => {
  github.heads.set(7, { label: 'mallory:$(touch owned)', sha: SHA });
  const results = makeResults({ servers: [{ id: 'apache@8.4', label: HOSTILE, rps: 100 }] });
  results.plan.shard = { index: 1, of: 1 };
  await leave(WANTED, { ...results, pull: 8, markdown: HOSTILE });

  const done = await run('bench-comment.yml', workflowRun());

  expect(done.code, done.log).toBe(0);
  const [comment, ...more] = github.comments;
  expect(more).toEqual([]);
  expect(comment).toMatchObject({ issue: 7, author: 'github-actions[bot]' });
  expect(comment?.body).toMatch(/^<!-- php-runtime-bench:workflow%2FBench%2Fphp-runtime-bench -->\n/);
  expect(comment?.body).toContain('/actions/runs/42)');
  expect(comment?.body).not.toMatch(/<img|@everyone|\]\(https:\/\/evil/);

  // Of two calls in one workflow each has a comment.
  await leave(WANTED, results, 'bench-api');
  expect((await run('bench-comment.yml', workflowRun(), { 'artifact-name': 'bench-api' })).code).toBe(0);
  expect(github.comments.map(({ body }) => body.split('\n', 1)[0])).toEqual([
    '<!-- php-runtime-bench:workflow%2FBench%2Fphp-runtime-bench -->',
    '<!-- php-runtime-bench:workflow%2FBench%2Fbench-api -->',
  ]);

  // The key of the call that measured goes to its comment.
  const keyed = { 'artifact-name': 'bench-api', comment: 'api' };
  expect((await run('bench-comment.yml', workflowRun(), keyed)).code).toBe(0);
  expect(github.comments.at(-1)?.body).toMatch(/^<!-- php-runtime-bench:api -->\n/);
  expect(github.comments).toHaveLength(3);
});

test.each(['failure', 'cancelled'])(
  'a run that ended as %s without results is no failure here',
  async (conclusion) => {
    github.heads.set(7, { label: 'mallory:$(touch owned)', sha: SHA });
    const done = await run('bench-comment.yml', workflowRun(conclusion));
    expect(done.code, done.log).toBe(0);
    expect(github.comments).toEqual([]);
  },
);

test.each(['action_required', 'skipped'])(
  'a run that was %s has left nothing to publish',
  async (conclusion) => {
    const done = await run('bench-comment.yml', workflowRun(conclusion));
    expect(done.code, done.log).toBe(0);
    expect(github.comments).toEqual([]);
  },
);

test.each([
  ['newer commits', SHA.replaceAll('c', 'd'), WANTED, {}, 0, 'has newer commits'],
  ['no list of shards', SHA, { shards: HOSTILE }, {}, 2, 'the list of shards cannot be read'],
  ['other numbers', SHA, WANTED, { schema: HOSTILE }, 0, '1: schema: '],
])('a fork with %s', async (_, head, wanted, results, code, said) => {
  github.heads.set(7, { label: 'mallory:$(touch owned)', sha: head });
  await leave(wanted, results);
  const done = await run('bench-comment.yml', workflowRun());
  expect(done.printed).toContain(said);
  expect(done.code === 0, done.log).toBe(code === 0);
  for (const { body } of github.comments) expect(body).toContain('**No results of machine 1 of 1');
});
