import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getOctokit } from '@actions/github';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { GitHub, refuse } from './github.ts';

// The scripts of bench-command.yml, run as actions/github-script runs them, against a server that holds each call
// against GitHub's description. test/e2e/workflow.test.ts has the whole workflow.

let github: GitHub;
const SHA = 'c'.repeat(40);

const workflow = parse(
  readFileSync(join(import.meta.dirname, '../../.github/workflows/bench-command.yml'), 'utf8'),
);
const scriptOf = (job: string): string =>
  workflow.jobs[job].steps.find(({ uses }: { uses: string }) => uses.startsWith('actions/github-script')).with
    .script;

beforeAll(async () => {
  github = await GitHub.start();
});
afterAll(() => github.close());
beforeEach(() => {
  github.reset();
  github.people.set('ada', 'write').set('grace', 'admin').set('mallory', 'read').set('nobody', 'none');
  github.heads.set(7, { label: 'mallory:$(touch owned)', sha: SHA, pushed: '2026-01-01T11:59:59Z' });
});
afterEach(() => expect(github.violations).toEqual([]));

/** A script with what actions/github-script gives it. */
async function runScript(
  job: string,
  payload: object,
  env: Record<string, string> = {},
  outputs: Record<string, unknown> = {},
) {
  const log: string[] = [];
  const [owner, repo] = github.repository.split('/');
  const given = {
    github: getOctokit('write-token', { baseUrl: github.url }),
    context: { payload, repo: { owner, repo }, serverUrl: 'https://github.com', runId: 42 },
    core: {
      setOutput: (name: string, value: unknown) => Object.assign(outputs, { [name]: value }),
      info: (text: string) => log.push(text),
    },
    process: { env },
  };
  // biome-ignore lint/complexity/noBannedTypes: what makes a function of a text
  const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => Function;
  await new AsyncFunction(...Object.keys(given), scriptOf(job))(...Object.values(given));
  return { outputs, log };
}

function ask(login: string, body = '/bench apache', created_at = '2026-01-01T12:00:00Z') {
  const { id } = github.write(login, body);
  const html_url = `https://github.com/octo/shop/pull/7#issuecomment-${id}`;
  return {
    action: 'created',
    issue: { number: 7, pull_request: {} },
    comment: { id, body, created_at, html_url, user: { login } },
  };
}
const reacted = () => github.reactions.map(({ content }) => content);

test.each(['ada', 'grace'])('%s may write: eyes, and the commit that was there to be seen', async (login) => {
  const { outputs } = await runScript('request', ask(login));
  expect(reacted()).toEqual(['eyes']);
  expect(outputs).toEqual({ answer: '', number: 7, commit: SHA, base: 'master', own: false });
});

test('a branch of the repository itself may have the credentials, one of a fork may not', async () => {
  github.heads.set(7, { label: 'octo:x', sha: SHA, pushed: '2026-01-01T11:59:59Z' });
  expect((await runScript('request', ask('ada'))).outputs).toMatchObject({ commit: SHA, own: true });
});

test.each(['mallory', 'nobody'])(
  '%s may not: a thumb down, nothing else is asked or given',
  async (login) => {
    const { outputs, log } = await runScript('request', ask(login));
    expect(reacted()).toEqual(['-1']);
    expect(outputs).toEqual({});
    expect(log).toEqual([expect.stringContaining('may not write')]);
    expect(github.calls.map(({ operation }) => operation)).not.toContain('pulls/get');
  },
);

test('GitHub in trouble behind the eyes fails the job, and the next one answers', async () => {
  github.interfere = (operation) => (operation === 'pulls/get' ? refuse(500, 'Server Error') : undefined);
  const outputs = {};
  await expect(runScript('request', ask('ada'), {}, outputs)).rejects.toThrow('Server Error');
  expect(reacted()).toEqual(['eyes']);
  expect(outputs).toEqual({ answer: 'GitHub did not answer. Ask again.' });
});

test('an app or a deleted account may not, and a server in trouble fails the job: nothing is measured', async () => {
  // GitHub answers 404 for both.
  const { outputs, log } = await runScript('request', ask('ghost'));
  expect(outputs).toEqual({});
  expect(log).toEqual([expect.stringContaining('may not write')]);
  expect(reacted()).toEqual(['-1']);
  github.interfere = (operation) =>
    operation === 'repos/get-collaborator-permission-level' ? refuse(500, 'Server Error') : undefined;
  await expect(runScript('request', ask('ada'))).rejects.toThrow('Server Error');
  expect(reacted()).toEqual(['-1']);
});

test.each([
  ['after the comment', '2026-01-01T12:00:01Z'],
  ['in the same second', '2026-01-01T12:00:00Z'],
  ['nobody knows when', null],
])('a push %s: not measured, and reported', async (_, pushed) => {
  github.heads.set(7, { label: 'mallory:x', sha: SHA, pushed });
  const { outputs } = await runScript('request', ask('ada'));
  expect(outputs).toEqual({ answer: expect.stringContaining('ask again') });
});

test('a pull request that was closed: not measured, and reported', async () => {
  github.heads.set(7, { label: 'ada:x', sha: SHA, closed: true });
  const { outputs } = await runScript('request', ask('ada'));
  expect(outputs).toEqual({ answer: 'The pull request is not open.' });
});

test.each(['/benchmark it', '/bench-all', '/benché'])('%s is no request: nothing happens', async (body) => {
  expect((await runScript('request', ask('ada', body))).outputs).toEqual({});
  expect(github.calls).toEqual([]);
});

test('a token that may not react: measured all the same', async () => {
  github.interfere = (operation) =>
    operation === 'reactions/create-for-issue-comment' ? refuse(403, 'Resource not accessible') : undefined;
  const { outputs, log } = await runScript('request', ask('ada'));
  expect(outputs).toMatchObject({ commit: SHA });
  expect(log).toEqual([expect.stringContaining('No reaction')]);
});

/** The comments of the workflow, without the requests. */
const ours = () =>
  github.comments.filter(({ author }) => author === 'github-actions[bot]').map(({ body }) => body);

test('a workflow that failed after it wrote the comment gets no second one', async () => {
  const payload = ask('ada');
  const marker = `<!-- php-runtime-bench:command%2F${payload.comment.id} -->`;
  github.write('github-actions[bot]', `${marker}\nThe results.`);
  await runScript('answer', payload, { ANSWER: '', COMMENT_URL: '', RESULT: 'failure' });
  expect(ours()).toEqual([`${marker}\nThe results.`]);
  // Somebody else's comment is no answer.
  const other = ask('ada');
  github.write('mallory', `<!-- php-runtime-bench:command%2F${other.comment.id} -->\nNo results.`);
  await runScript('answer', other, { ANSWER: '', COMMENT_URL: '', RESULT: 'failure' });
  expect(github.comments.at(-1)?.body).toContain('No results are shown here');
});

const url = 'https://github.com/octo/shop/pull/7#issuecomment-1';
test.each([
  ['results in a comment', { RESULT: 'success', COMMENT_URL: url }, 'rocket', null],
  ['a gate failed, the comment says which', { RESULT: 'failure', COMMENT_URL: url }, 'confused', null],
  ['measured, but no comment', { RESULT: 'success' }, 'rocket', 'the reason in the log of its job Comment'],
  [
    'no results',
    { RESULT: 'failure' },
    'confused',
    'the log of [this run](https://github.com/octo/shop/actions/runs/42)',
  ],
  [
    'a request that cannot be read',
    { RESULT: 'skipped', ANSWER: '```\nunknown flag\n```' },
    'confused',
    'unknown flag',
  ],
])('the answer: %s', async (_, env, reaction, text) => {
  const payload = ask('ada');
  await runScript('answer', payload, { ANSWER: '', COMMENT_URL: '', ...env });
  expect(reacted()).toEqual([reaction]);
  const answers = github.comments.filter(({ author }) => author === 'github-actions[bot]');
  if (text === null) return expect(answers).toEqual([]);
  expect(answers).toEqual([expect.objectContaining({ issue: 7, body: expect.stringContaining(text) })]);
  expect(answers[0]?.body).toContain(`[this request](${payload.comment.html_url})`);
});
