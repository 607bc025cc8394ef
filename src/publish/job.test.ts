import { expect, test } from 'vitest';
import { readBase, readInputs, readJob, readWorkflow } from './job.ts';

const env = {
  GITHUB_REPOSITORY: 'octo/shop',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_RUN_ID: '42',
  GITHUB_WORKFLOW: 'CI',
  GITHUB_JOB: 'bench',
  GITHUB_ACTION: 'step',
  INPUT_TOKEN: 'secret',
};

test.each([
  ['pull_request', { number: 7, pull_request: { number: 7 } }, 7],
  ['issue_comment on a pull request', { issue: { number: 7, pull_request: { url: '…' } } }, 7],
  ['issue_comment on an issue', { issue: { number: 7 } }, null],
  ['push', { ref: 'refs/heads/main' }, null],
  ['schedule', {}, null],
  ['no payload', null, null],
  ['a number that is none', { pull_request: { number: '7; rm -rf' } }, null],
])('finds the pull request of the event: %s', (_, event, number) => {
  expect(readJob(env, event).pull?.number ?? null).toBe(number);
});

const sha = (digit: string) => digit.repeat(40);

test.each([
  [
    'a pull request',
    { base: { sha: sha('a'), ref: '$(touch owned)' }, head: { sha: sha('b') } },
    { base: { commit: sha('a'), name: '$(touch owned)' }, head: { commit: sha('b') } },
  ],
  [
    'a base that git would take for a flag',
    { base: { sha: '--upload-pack=x' }, head: { sha: sha('b') } },
    null,
  ],
  ['a head that is a name', { base: { sha: sha('a') }, head: { sha: 'main' } }, null],
  ['no ends', { number: 7 }, null],
  ['no pull request', undefined, null],
])('finds the ends of a pull request: %s', (_, pull_request, ends) => {
  expect(readBase({}, { pull_request }).pull).toEqual(ends);
});

test.each([
  ['pull_request_target', false, sha('c')],
  ['pull_request_target', true, undefined],
  ['pull_request', false, undefined],
])('knows the commit that has nothing of the pull request: %s, merged: %s', (name, merged, without) => {
  const pull_request = { base: { sha: sha('a') }, head: { sha: sha('b') }, merged };
  const target = { GITHUB_EVENT_NAME: name, GITHUB_SHA: sha('c') };
  expect(readBase(target, { pull_request }).pull?.without).toBe(without);
});

test('finds the ends of a group in a merge queue', () => {
  const group = { base_sha: sha('a'), base_ref: 'refs/heads/main', head_sha: sha('b') };
  expect(readBase({}, { merge_group: group }).pull).toEqual({
    base: { commit: sha('a'), name: 'main', isBelow: true },
    head: { commit: sha('b') },
  });
  expect(readBase({}, { merge_group: { ...group, base_sha: '--upload-pack=x' } }).pull).toBeNull();
});

test.each([
  ['what the workflow hands on', { PHP_RUNTIME_BENCH_BASE: 'release/1.x' }, 'main', 'release/1.x'],
  ['the default branch', { PHP_RUNTIME_BENCH_BASE: '' }, 'develop', 'develop'],
  ['that of a schedule', { GITHUB_EVENT_NAME: 'schedule', GITHUB_REF_NAME: 'trunk' }, undefined, 'trunk'],
  ['none of another event', { GITHUB_REF_NAME: 'feature' }, undefined, null],
  ['none', {}, undefined, null],
])('the branch that `base` starts from: %s', (_, more, branch, expected) => {
  expect(readBase({ ...env, ...more }, { repository: { default_branch: branch } }).branch).toBe(expected);
});

test.each([
  [undefined, 'CI/bench/step'],
  ['', 'CI/bench/step'],
  ['true', 'CI/bench/step'],
  ['false', null],
  [' nightly ', 'nightly'],
])('comment: %s → key %s', (comment, key) => {
  expect(readJob({ ...env, INPUT_COMMENT: comment }, {}).key).toBe(key);
});

test('refuses what cannot be the name of an artifact', () => {
  expect(() => readJob({ ...env, 'INPUT_ARTIFACT-NAME': 'a/b' }, {})).toThrow('not a valid name');
  expect(readJob(env, {}).artifactName).toBe('php-runtime-bench');
});

test.each(['', ' ', 'bench-nginx-fpm[listen=unix]', 'a{b,c}', 'c++(x)', '!a', '#a', 'a/b'])(
  'refuses an artifact that jobs of the reusable workflow would not find: %s',
  (name) => {
    const inputs = JSON.stringify({ 'artifact-name': name });
    expect(() => readWorkflow({ GITHUB_WORKSPACE: '/', INPUT_INPUTS: inputs })).toThrow('not a valid name');
  },
);

test.each(['php-runtime-bench', 'bench-8.4', 'über @1, a+b=c'])(
  'an artifact that jobs of the reusable workflow find: %s',
  (name) => {
    const inputs = JSON.stringify({ 'artifact-name': name });
    expect(readWorkflow({ GITHUB_WORKSPACE: '/', INPUT_INPUTS: inputs }).shards).toBe('runtimes');
  },
);

test('links to the run', () => {
  expect(readJob(env, {}).runUrl).toBe('https://github.com/octo/shop/actions/runs/42');
});

test('hands on what may be a key of the configuration', () => {
  const inputs = {
    INPUT_PHP: '8.4',
    'INPUT_SERVER-CPUS': '0',
    INPUT_LOAD: '',
    INPUT_COMMENT: 'true',
    PATH: '/bin',
  };
  expect(readInputs({ ...env, ...inputs, GITHUB_WORKSPACE: '/' })).toEqual({
    inputs: { php: '8.4', 'server-cpus': '0' },
    cwd: '/',
  });
});

test('starts paths from the working directory', () => {
  const at = (folder: string) =>
    readInputs({ GITHUB_WORKSPACE: '/usr', 'INPUT_WORKING-DIRECTORY': folder }).cwd;
  expect(at(' bin ')).toBe('/usr/bin');
  expect(() => at('missing')).toThrow('no such folder');
});

test('the reusable workflow hands its inputs on as JSON', () => {
  const given = (inputs: object) =>
    readWorkflow({ GITHUB_WORKSPACE: '/', INPUT_INPUTS: JSON.stringify(inputs) });
  expect(given({ runtimes: 'apache', 'runs-on': 'x', setup: 'y', budget: '', shards: '3' })).toEqual({
    ...{ inputs: { runtimes: 'apache' }, cwd: '/', shards: 3, minutes: null },
  });
  expect(given({}).shards).toBe('runtimes');
  expect(given({ 'timeout-minutes': '90' }).minutes).toBe(90);
  // As an unset variable of the caller gives it. The job has this limit then.
  expect(given({ 'timeout-minutes': '' }).minutes).toBe(60);
  expect(() => given({ 'timeout-minutes': '1h' })).toThrow('not a whole number');
  expect(() => given({ shards: '0' })).toThrow('number out of bounds');
  const commit = 'a'.repeat(40);
  expect(given({ 'pull-request': '7', ref: commit }).shards).toBe('runtimes');
  expect(given({ 'pull-request': '', ref: 'main' }).shards).toBe('runtimes');
  expect(given({ 'pull-request': '7', ref: 'main', comment: 'false' }).shards).toBe('runtimes');
  expect(() => given({ 'pull-request': '7', ref: 'main' })).toThrow('not a commit');
  expect(() => given({ 'pull-request': '#7', ref: commit })).toThrow('not a whole number');
  expect(() => readWorkflow({ INPUT_INPUTS: '[' })).toThrow();
});
