import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { uploadFolder } from '../../src/publish/api/artifact.ts';
import { markerOf, postComment } from '../../src/publish/api/comment.ts';
import { Artifacts } from './artifacts.ts';
import { GitHub, refuse } from './github.ts';

let github: GitHub;
let artifacts: Artifacts;
let folder: string;
let commentsOf: typeof import('../../src/publish/api/github.ts').commentsOf;
let pullsOf: typeof import('../../src/publish/api/github.ts').pullsOf;

const PULL = { owner: 'octo', repo: 'shop', number: 7 };

beforeAll(async () => {
  github = await GitHub.start();
  artifacts = await Artifacts.start();
  vi.stubEnv('GITHUB_API_URL', github.url);
  vi.stubEnv('GITHUB_SERVER_URL', 'https://github.com');
  vi.stubEnv('ACTIONS_RESULTS_URL', artifacts.url);
  vi.stubEnv('ACTIONS_RUNTIME_TOKEN', artifacts.token);
  // The client reads its base URL while it is loaded.
  ({ commentsOf, pullsOf } = await import('../../src/publish/api/github.ts'));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await github.close();
  await artifacts.close();
});

beforeEach(async () => {
  github.reset();
  waits = [];
  artifacts.reset();
  folder = await mkdtemp(join(tmpdir(), 'publish-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
  expect(github.violations).toEqual([]);
  expect(artifacts.violations).toEqual([]);
});

let waits: number[] = [];
const manner = { timeoutMs: 30_000, wait: async (ms: number) => waits.push(ms) };
const post = (text: string, token = 'write-token', how = manner) =>
  postComment(commentsOf(PULL, token, how), 'key', [text], how);

test('250 foreign comments, one with our marker: ours is found behind them, theirs stays', async () => {
  for (let n = 0; n < 250; n++)
    github.write('somebody', n === 120 ? `${markerOf('key')}\nmine!` : `comment ${n}`);
  expect(await post('first')).toMatchObject({ how: 'created' });
  for (let n = 0; n < 30; n++) github.write('somebody', 'later');

  const second = await post('second');

  expect(second).toMatchObject({
    how: 'updated',
    url: 'https://github.com/octo/shop/pull/7#issuecomment-1250',
  });
  expect(github.comments.filter(({ author }) => author === 'github-actions[bot]')).toEqual([
    expect.objectContaining({ body: `${markerOf('key')}\nsecond`, updates: 1 }),
  ]);
  expect(github.comments.filter(({ author, updates }) => author === 'somebody' && updates)).toEqual([]);
  expect(github.comments).toHaveLength(281);
});

test('a token of a person finds the comment of that person', async () => {
  github.tokens.pat = { login: 'ada', write: true };
  github.write('github-actions[bot]', `${markerOf('key')}\nof the bot`);
  await post('one', 'pat');
  await post('two', 'pat');
  expect(github.comments.map(({ author, body }) => [author, body.split('\n')[1]])).toEqual([
    ['github-actions[bot]', 'of the bot'],
    ['ada', 'two'],
  ]);
});

/** An answer of GraphQL to what it did not do: it has the status 200. */
const failQuery = (error: { type?: string; message: string }) => ({
  status: 200,
  body: { data: null, errors: [error] },
});

test.each([
  ['REST', refuse(403, 'Resource not accessible')],
  ['GraphQL', failQuery({ type: 'FORBIDDEN', message: 'Resource not accessible by integration' })],
])(
  'a token that may not ask who it is, as %s refuses it, counts as the bot of Actions',
  async (_, refused) => {
    github.interfere = (operation) => (operation === 'graphql' ? refused : undefined);
    await post('one');
    expect(await post('two')).toMatchObject({ how: 'updated' });
  },
);

test.each([
  [
    'a limit',
    'API rate limit exceeded',
    failQuery({ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }),
  ],
  ['a limit on bursts', 'secondary rate limit', refuse(403, 'You have exceeded a secondary rate limit')],
  [
    'trouble',
    'Something went wrong',
    failQuery({ message: 'Something went wrong while executing your query' }),
  ],
])('a token of a person that is not known because of %s: no second comment', async (_, why, answer) => {
  github.tokens.pat = { login: 'ada', write: true };
  await post('one', 'pat');
  github.interfere = (operation) => (operation === 'graphql' ? answer : undefined);
  expect(await post('two', 'pat')).toMatchObject({
    ...{ posted: false, refused: null },
    why: expect.stringContaining(why),
  });
  expect(github.comments).toHaveLength(1);
});

test.each([
  ['read-token', 'permission', 'HTTP 403: Resource not accessible by integration'],
  ['stale-token', 'token', 'HTTP 401: Bad credentials'],
])('%s: not posted, and why', async (token, refused, why) => {
  const posted = await post('x', token);
  expect(posted).toMatchObject({ posted: false, refused });
  expect((posted as { why: string }).why).toContain(why);
  expect(github.comments).toEqual([]);
});

test('a server in trouble: no second comment', async () => {
  await post('one');
  github.interfere = (operation) => (operation === 'graphql' ? refuse(502, 'Bad gateway') : undefined);
  expect(await post('two')).toMatchObject({ posted: false, refused: null });
  expect(github.comments).toHaveLength(1);
});

test.each([
  [403, {}, false, []],
  [404, {}, false, []],
  [422, {}, false, []],
  [429, { 'retry-after': '7' }, true, [7000]],
  [403, { 'retry-after': '2' }, true, [2000]],
])('creating answers %s %j first: posted %s, after waits %j', async (status, headers, posted, expected) => {
  let asked = 0;
  github.interfere = (operation) =>
    operation === 'issues/create-comment' && asked++ === 0 ? { ...refuse(status, 'No'), headers } : undefined;
  expect(await post('x')).toMatchObject({ posted });
  expect(waits).toEqual(expected);
  expect(github.comments).toHaveLength(posted ? 1 : 0);
});

test.each(['graphql', 'issues/list-comments', 'issues/create-comment', 'issues/update-comment'])(
  '%s answers 500 twice, then as it should: posted once',
  async (operation) => {
    await post('one');
    if (operation === 'issues/create-comment') github.comments.length = 0;
    let asked = 0;
    github.interfere = (name) =>
      name === operation && asked++ < 2 ? refuse(500, 'Server Error') : undefined;
    expect(await post('two')).toMatchObject({ posted: true });
    expect(asked).toBeGreaterThan(2);
    expect(waits).toHaveLength(2);
    expect(github.comments.map(({ body }) => body.split('\n')[1])).toEqual(['two']);
  },
);

test('no answer in time: asked again, then given up with a reason', async () => {
  await post('one');
  const never = () => new Promise<void>(() => {});
  let asked = 0;
  github.delay = async (operation) => {
    if (operation === 'issues/list-comments' && asked++ < 1) await never();
  };
  // Those that are answered have enough time on a machine that stands still for some seconds.
  const patient = { ...manner, timeoutMs: 10_000 };
  expect(await post('two', 'write-token', patient)).toMatchObject({ how: 'updated' });
  expect(waits).toEqual([1000]);
  github.delay = never;
  const hurried = { ...manner, timeoutMs: 500 };
  expect(await post('three', 'write-token', hurried)).toMatchObject({
    posted: false,
    refused: null,
    why: expect.stringMatching(/timeout/i),
  });
  expect(github.comments).toHaveLength(1);
});

test('two jobs at once: one comment', async () => {
  const posted = await Promise.all(['a', 'b', 'c'].map((text) => post(text)));
  expect(posted.every((one) => one.posted)).toBe(true);
  expect(github.comments).toHaveLength(1);
});

test('the pull requests of a branch', async () => {
  github.heads.set(7, { label: 'mallory:x y', sha: 'c0ffee' });
  github.heads.set(8, { label: 'octo:main', sha: 'beef' });
  const pulls = pullsOf(github.repository, 'read-token', manner);
  expect(await pulls.openFrom('mallory:x y')).toEqual([{ number: 7, head: 'c0ffee' }]);
  expect(await pulls.openFrom('mallory:other')).toEqual([]);
});

test('a body at the limit is taken', async () => {
  expect(await post('é'.repeat(65_536 - markerOf('key').length - 1))).toMatchObject({ posted: true });
  expect(await post('é'.repeat(65_536))).toMatchObject({ posted: true });
  expect(github.comments).toHaveLength(1);
});

test('uploads the folder, neither links nor hidden files', async () => {
  await mkdir(join(folder, 'raw/quick/0'), { recursive: true });
  await mkdir(join(folder, '.git'));
  await writeFile(join(folder, 'results.json'), '{}');
  await writeFile(join(folder, 'raw/quick/0/k6.json'), '{"k6":1}');
  await writeFile(join(folder, '.git/config'), 'token');
  await symlink('/etc/passwd', join(folder, 'raw/passwd'));

  expect(await uploadFolder(folder, 'raw')).toEqual({ id: 1, name: 'raw' });
  expect(artifacts.open('raw')).toEqual({ 'results.json': '{}', 'raw/quick/0/k6.json': '{"k6":1}' });
});

test('a name that is taken gets a number', async () => {
  await writeFile(join(folder, 'results.json'), '1');
  await uploadFolder(folder, 'raw');
  await writeFile(join(folder, 'results.json'), '2');
  expect(await uploadFolder(folder, 'raw')).toEqual({ id: 2, name: 'raw-2' });
  expect(artifacts.open('raw-2')).toEqual({ 'results.json': '2' });
});

test('nothing to upload, or no folder at all', async () => {
  expect(await uploadFolder(folder, 'raw')).toBeNull();
  expect(await uploadFolder(join(folder, 'missing'), 'raw')).toBeNull();
});

test('a service that refuses is an error with its words', async () => {
  await writeFile(join(folder, 'results.json'), '1');
  artifacts.interfere = () => ({ status: 403, body: { code: 'permission_denied', msg: 'quota is used up' } });
  await expect(uploadFolder(folder, 'raw')).rejects.toThrow('quota is used up');
});
