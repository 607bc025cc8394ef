import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { Results } from '../../src/results/results.ts';
import { NAMESPACE } from '../integration/namespace.ts';
import { type Event, Sandbox, type StartedRun } from './act.ts';
import { Artifacts } from './artifacts.ts';
import { GitHub } from './github.ts';

// The whole way: act runs a workflow that uses the built action; Docker, images and load are real, GitHub is ours.

let sandbox: Sandbox;
let github: GitHub;
let artifacts: Artifacts;

const PULL_REQUEST = {
  name: 'pull_request',
  payload: {
    action: 'opened',
    number: 7,
    pull_request: { number: 7, head: { ref: '"><img src=x>|`$(touch owned)`' }, base: { ref: 'main' } },
  },
} as const satisfies Event;
const PUSH: Event = { name: 'push', payload: { ref: 'refs/heads/main' } };

/** As short as a run can be. */
const SHORT: Record<string, string> = {
  runtimes: 'apache',
  php: '8.4',
  paths: '/',
  load: 'vus(2, 1s)',
  warmup: '0s',
  timeout: '1s',
  instances: '1',
  blocks: '1',
  // Another test run on the same engine is no failure of this one.
  wait: 'true',
  ...(process.env.BENCH_IMAGES && { images: process.env.BENCH_IMAGES }),
};

beforeAll(async () => {
  sandbox = await Sandbox.create();
  github = await GitHub.start();
  artifacts = await Artifacts.start();
  await mkdir(join(sandbox.repository, 'public'));
  await writeFile(join(sandbox.repository, 'public/index.php'), "<?php echo 'shop';\n");
});

afterAll(async () => {
  await github.close();
  await artifacts.close();
  await sandbox.remove();
});

beforeEach(() => {
  github.reset();
  artifacts.reset();
});

afterEach(() => {
  expect(github.violations).toEqual([]);
  expect(artifacts.violations).toEqual([]);
});

test('a pull request gets one comment, kept up to date among 250 others', async () => {
  const marker = '<!-- php-runtime-bench:bench.yml%2Fbench%2Fbench -->';
  for (let n = 0; n < 250; n++) github.write('somebody', n === 9 ? `${marker}\nforged` : `comment ${n}`);

  const first = await run(PULL_REQUEST);

  expect(first.jobs, first.log).toEqual({ bench: 'success' });
  const [comment, ...more] = structuredClone(ours());
  expect(more).toEqual([]);
  expect(comment?.body.startsWith(`${marker}\n`)).toBe(true);
  expect(first.outputs).toMatchObject({
    results: expect.stringMatching(/^\/.*\/bench-results\/results\.json$/),
    report: expect.stringMatching(/^\/.*\/bench-results\/report\.md$/),
    table: expect.stringContaining('apache'),
    'comment-url': `https://github.com/octo/shop/pull/7#issuecomment-${comment?.id}`,
    'artifact-url': 'https://github.com/octo/shop/actions/runs/1/artifacts/1',
  });
  for (const text of [first.summary, comment?.body]) {
    expect(text).toContain(first.outputs.table);
    expect(text).toContain(first.outputs['artifact-url']);
    expect(text).not.toContain('<img');
  }
  expect(first.log).toContain('results.json is there');
  expect(first.logOf('Post')).toContain('Nothing was left behind.');
  const files = artifacts.open('php-runtime-bench');
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining(['measurements.ndjson', 'report.md', 'results.json']),
  );
  const results = Results.parse(JSON.parse(files['results.json'] ?? ''));
  expect(results.measurements.map(({ outcome }) => outcome)).toEqual(['ok']);

  const second = await run(PULL_REQUEST);

  expect(second.jobs, second.log).toEqual({ bench: 'success' });
  expect(ours()).toEqual([expect.objectContaining({ id: comment?.id, updates: 1 })]);
  expect(ours()[0]?.body).not.toBe(comment?.body);
  expect(artifacts.names()).toEqual(['php-runtime-bench', 'php-runtime-bench-2']);
  expect(github.comments.filter(({ author, updates }) => author === 'somebody' && updates)).toEqual([]);
});

test('a read-only token: no comment, a line in the log, and the run succeeds', async () => {
  const done = await run(PULL_REQUEST, {}, 'read-token');
  expect(done.jobs, done.log).toEqual({ bench: 'success' });
  expect(done.logOf('Main')).toContain('No comment: the token may not write one (HTTP 403');
  expect(done.outputs['comment-url']).toBe('');
  expect(done.summary).toContain(done.outputs.table);
  expect(github.comments).toEqual([]);
});

test('a push: no comment, one line says why, all else as usual', async () => {
  const done = await run(PUSH);
  expect(done.jobs, done.log).toEqual({ bench: 'success' });
  expect(done.logOf('Main')).toContain('No comment: this event has no pull request.');
  expect(done.summary).toContain(done.outputs.table);
  expect(artifacts.names()).toEqual(['php-runtime-bench']);
  expect(github.calls).toEqual([]);
});

test('an image that does not exist: the job fails, what is known is reported and uploaded', async () => {
  const mapped = process.env.BENCH_IMAGES ? parse(await readFile(process.env.BENCH_IMAGES, 'utf8')) : {};
  const images = stringify({ ...mapped, 'php:8.4-apache': 'localhost:1/missing:1' });
  const done = await run(PULL_REQUEST, { images });
  expect(done.jobs, done.log).toEqual({ bench: 'failure' });
  expect(done.logOf('Main')).toContain('exit status 3');
  const files = artifacts.open('php-runtime-bench');
  const results = Results.parse(JSON.parse(files['results.json'] ?? ''));
  expect(results.variants.map(({ failure }) => failure?.stage)).toEqual(['build']);
  expect(ours()).toHaveLength(1);
  expect(done.logOf('Post')).toContain('Nothing was left behind.');
});

test('compare-to base: the pull request beside the commit that it started from', async () => {
  const page = join(sandbox.repository, 'public/index.php');
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: sandbox.repository, encoding: 'utf8' }).trim();
  const sha = await sandbox.commit();
  const before = await readFile(page, 'utf8');
  await writeFile(page, "<?php echo 'shop', PHP_EOL;\n");
  const { pull_request, ...payload } = PULL_REQUEST.payload;
  // A stranger's branch name is never run as a command.
  const base = { ref: '$(touch owned)`touch owned`', sha };
  const event: Event = {
    name: 'pull_request',
    payload: {
      ...payload,
      pull_request: { ...pull_request, base, head: { ...pull_request.head, sha: 'f'.repeat(40) } },
    },
  };
  const done = await run(event, {
    'compare-to': 'base',
    'fail-on': 'slower > 3%, p99 slower > 10%, unjudged = pass',
  });
  await writeFile(page, before);

  expect(done.jobs, done.log).toEqual({ bench: 'success' });
  const results = Results.parse(JSON.parse(artifacts.open('php-runtime-bench')['results.json'] ?? ''));
  const { changed = {}, ...other } = results.plan.compareTo ?? {};
  expect(other).toEqual({ given: 'base', ref: base.ref, commit: sha, reason: null });
  expect(Object.values(changed).flat()).toContain('public/index.php');
  expect(results.plan.gates.map(({ source }) => source)).toEqual(['slower > 3%', 'p99 slower > 10%']);
  expect(results.variants.map(({ label, failure }) => [label, failure])).toEqual([
    ['apache@8.4', null],
    ['apache@8.4 (base)', null],
  ]);
  expect(results.measurements.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  expect(results.comparisons.some(({ against }) => against === 'base')).toBe(true);
  expect(await readdir(sandbox.repository)).not.toContain('owned');
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
});

test('an app that answers with what others would run: text on the page, and no command', async () => {
  const evil = [
    '</details><img src=x onerror=alert(1)> @everyone | [x](https://evil.example) `code`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression that must stay text
    '::error title=x::owned ${{ secrets.GITHUB_TOKEN }} $(touch owned)',
    '::set-output name=table::owned',
  ].join('\n');
  const page = join(sandbox.repository, 'public/evil.php');
  await writeFile(
    page,
    // Right when it is looked at before the load, then wrong, with 10 MB more than anybody wants to see.
    `<?php
$text = ${JSON.stringify(evil).replaceAll('$', '\\$')};
header('X-Evil: <img src=x>');
if (!isset($_SERVER['HTTP_USER_AGENT']) || !str_contains($_SERVER['HTTP_USER_AGENT'], 'k6')) exit('fine');
http_response_code(500);
error_log($text);
echo $text, str_repeat('x', 10_000_000);
`,
  );
  const done = await run(PULL_REQUEST, { paths: '/evil.php', load: 'requests(4, 1)' });
  await rm(page);

  const results = Results.parse(JSON.parse(artifacts.open('php-runtime-bench')['results.json'] ?? ''));
  expect(JSON.stringify(results).length).toBeLessThan(200_000);
  expect(JSON.stringify(results)).toContain('@everyone');
  const [comment, ...more] = ours();
  expect(more).toEqual([]);
  for (const text of [done.summary, comment?.body ?? '']) {
    expect(text).toContain('onerror=alert');
    // In a code block it is as it came, and does nothing.
    const active = text.replaceAll(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '');
    expect(active).not.toMatch(/<img|@everyone|\]\(https:\/\/evil/);
    expect(text.length).toBeLessThan(65_536);
  }
  expect(done.outputs.table).not.toBe('owned');
  expect(done.log).not.toMatch(/^\s*❗ +::error.*owned$/m);
  expect(await readdir(sandbox.repository)).not.toContain('owned');
});

test('a misspelt value: the job fails with what was found and what is allowed, nothing is published', async () => {
  const done = await run(PULL_REQUEST, { runtimes: 'apach' });
  expect(done.jobs, done.log).toEqual({ bench: 'failure' });
  expect(done.printed).toContain("did you mean 'apache'");
  expect(done.printed).not.toContain('    at ');
  expect(artifacts.names()).toEqual([]);
  expect(github.calls).toEqual([]);
});

test('a cancelled job cleans up and keeps what it measured', async () => {
  const started = await start(PULL_REQUEST, { load: 'vus(1, 300s)' });
  await started.printed(UNDER_LOAD);
  await started.signalAction('SIGINT');
  const done = await started.done;
  expect(done.jobs, done.log).toEqual({ bench: 'failure' });
  expect(done.logOf('Main')).toContain('exit status 130');
  expect(done.logOf('Post')).toContain('Nothing was left behind.');
  const results = Results.parse(JSON.parse(artifacts.open('php-runtime-bench')['results.json'] ?? ''));
  expect(results.run.stopped).toBe('SIGINT');
  expect(leftovers(results.run.id)).toEqual([]);
  // Half a run must not take the place of an earlier, whole one.
  expect(github.comments).toEqual([]);
});

test('a killed job is swept and published by the post step', async () => {
  const started = await start(PULL_REQUEST, { load: 'vus(1, 300s)' });
  await started.printed(UNDER_LOAD);
  await started.signalAction('SIGKILL');
  const done = await started.done;
  expect(done.jobs, done.log).toEqual({ bench: 'failure' });
  const id = /Run (\S+) was cut short: removed \S/.exec(done.logOf('Post'))?.[1];
  expect(id, done.log).toBeDefined();
  expect(leftovers(id)).toEqual([]);
  const { run } = Results.parse(JSON.parse(artifacts.open('php-runtime-bench')['results.json'] ?? ''));
  expect(run).toMatchObject({ id, stopped: 'an error or SIGKILL' });
  expect(done.logOf('Post')).toContain('publishing those so far');
  expect(github.comments).toEqual([]);
});

/** What the action logs when the first slice begins. */
const UNDER_LOAD = 'instance 1/1: paths';

async function run(event: Event, inputs: Record<string, string> = {}, token = 'write-token') {
  return (await start(event, inputs, token)).done;
}

function start(
  event: Event,
  inputs: Record<string, string> = {},
  token = 'write-token',
): Promise<StartedRun> {
  const workflow = {
    on: ['pull_request', 'push'],
    jobs: {
      bench: {
        'runs-on': 'ubuntu-latest',
        steps: [
          { uses: 'actions/checkout@v7' },
          { uses: 'octo/php-runtime-bench@v1', id: 'bench', with: { ...SHORT, ...inputs } },
          {
            run: 'test -s "$RESULTS" && echo results.json is there',
            // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
            env: { RESULTS: '${{ steps.bench.outputs.results }}' },
          },
        ],
      },
    },
  };
  return sandbox.start(JSON.stringify(workflow), event, {
    token,
    env: {
      GITHUB_REPOSITORY: github.repository,
      GITHUB_API_URL: github.url,
      ACTIONS_RESULTS_URL: artifacts.url,
      ACTIONS_RUNTIME_TOKEN: artifacts.token,
    },
  });
}

const ours = () => github.comments.filter(({ author }) => author === 'github-actions[bot]');

/** Containers and networks that still carry the label of a run. */
function leftovers(id = ''): string[] {
  const filter = `label=${NAMESPACE}=${id}`;
  return [
    ['container', 'ls', '--all', '--quiet', '--filter', filter],
    ['network', 'ls', '--quiet', '--filter', filter],
  ].flatMap((args) => execFileSync('docker', args, { encoding: 'utf8' }).split('\n').filter(Boolean));
}
