import { describe, expect, test } from 'vitest';
import { UserError } from '../errors.ts';
import type { Pull } from './api/pulls.ts';
import { findAsked, findOrigin, findOutdated, lookUpOrigin, whyOutdated } from './origin.ts';

const run = {
  ...{ id: 42, name: 'Bench', event: 'pull_request', head_sha: 'c0ffee', head_branch: '$(x)' },
  head_repository: { owner: { login: 'mallory' } },
};

async function find(
  change: object,
  open: readonly Pull[] = [{ number: 7, head: 'c0ffee' }],
  workflow?: { name: string },
) {
  const asked: string[] = [];
  const pulls = {
    async openFrom(head: string) {
      asked.push(head);
      return open;
    },
    open: () => Promise.reject(new Error('asked for a number')),
  };
  return {
    asked,
    origin: await findOrigin({ workflow, workflow_run: { ...run, ...change } }, 'octo/shop', pulls),
  };
}

test('the pull request that has the commit on top', async () => {
  const { asked, origin } = await find({});
  expect(asked).toEqual(['mallory:$(x)']);
  expect(origin).toEqual({
    ...{
      pull: { owner: 'octo', repo: 'shop', number: 7 },
      why: '',
      measured: { run: 42, workflow: 'Bench' },
    },
  });
});

test('the workflow has its own name, whatever `run-name:` calls the run', async () => {
  const { origin } = await find({ name: 'Bench of $(x)' }, undefined, { name: 'Bench' });
  expect(origin?.measured).toEqual({ run: 42, workflow: 'Bench' });
});

test.each([
  ['newer commits', {}, [{ number: 7, head: 'beef' }], 'newer commits'],
  ['closed', {}, [], 'no longer open'],
  ['two of them', {}, [7, 8].map((number) => ({ number, head: 'c0ffee' })), '2 pull requests'],
  ['a push', { event: 'push' }, undefined, 'does not belong to a pull request'],
  ['a fork that was deleted', { head_repository: null }, undefined, 'no longer exists'],
])('none: %s', async (_, change, open, why) => {
  const { origin } = await find(change, open);
  expect(origin).toMatchObject({ pull: null, why: expect.stringContaining(why) });
});

test('another event does not count', async () => {
  const refuse = () => Promise.reject(new Error('asked'));
  const pulls = { openFrom: refuse, open: refuse };
  expect(await findOrigin({ pull_request: { number: 7 } }, 'octo/shop', pulls)).toBeNull();
});

const COMMIT = 'c0ffee00'.repeat(5);

async function findByNumber(pull: string, commit = COMMIT, head: string | null = COMMIT) {
  const asked: number[] = [];
  const pulls = {
    openFrom: () => Promise.reject(new Error('asked for a branch')),
    async open(number: number) {
      asked.push(number);
      return head === null ? null : { number, head };
    },
  };
  return { asked, origin: await findAsked({ pull, commit }, 'octo/shop', pulls) };
}

test('the pull request that was asked for, if it still has the commit on top', async () => {
  const { asked, origin } = await findByNumber('7');
  expect(asked).toEqual([7]);
  expect(origin).toEqual({ pull: { owner: 'octo', repo: 'shop', number: 7 }, why: '', measured: null });
  expect((await findByNumber('7', COMMIT, 'd'.repeat(40))).origin).toMatchObject({
    ...{ pull: null, why: 'the pull request has newer commits' },
  });
  expect((await findByNumber('7', COMMIT, null)).origin).toMatchObject({
    ...{ pull: null, why: 'there is no open pull request 7' },
  });
  expect((await findByNumber('')).origin).toBeNull();
});

test.each([
  ['7; rm -rf', COMMIT, 'not a whole number'],
  ['0', COMMIT, 'number out of bounds'],
  ['../8', COMMIT, 'not a whole number'],
  ['7', '', 'not a commit'],
  ['7', 'main', 'not a commit'],
  ['7', COMMIT.slice(1), 'not a commit'],
])('refuses the number %j with the commit %j', async (pull, commit, why) => {
  await expect(findByNumber(pull, commit)).rejects.toThrow(why);
});

test.each([
  ['its newest commit', 'c0ffee', null],
  ['a newer commit by now', 'beef', { pull: null, why: expect.stringContaining('newer commits') }],
  ['closed by now', null, null],
])('the pull request of the event, with %s', async (_, head, expected) => {
  const pulls = {
    openFrom: () => Promise.reject(new Error('asked for a branch')),
    open: async (number: number) => (head === null ? null : { number, head }),
  };
  const origin = await findOutdated({ pull_request: { number: 7, head: { sha: 'c0ffee' } } }, pulls);
  expect(origin).toEqual(expected && expect.objectContaining(expected));
  expect(await findOutdated({ ref: 'refs/heads/main' }, pulls)).toBeNull();
  const event = { pull_request: { number: 7, head: { sha: 'c0ffee' } } };
  expect(await whyOutdated(event, pulls)).toBe(origin?.why ?? null);
});

describe('GitHub fails at a look-up', () => {
  const pullsWith = (error: Error) => {
    const fail = () => Promise.reject(error);
    return { openFrom: fail, open: fail };
  };
  const failed = (status: number, answer: object = { response: { headers: {} } }) =>
    Object.assign(new Error('no'), { status, ...answer });
  const none = { pull: '', commit: '' };

  test.each([
    ['trouble', failed(503), 'HTTP 503: no'],
    ['a refusal', failed(403), 'HTTP 403: no'],
    ['no answer', failed(500, {}), 'no'],
  ])('%s: no comment, with the reason', async (_, error, why) => {
    const origin = {
      ...{ measured: null, pull: null, isFailure: true },
      why: `the pull request could not be looked up (${why})`,
    };
    const pulls = pullsWith(error);
    expect(await lookUpOrigin({ workflow_run: run }, none, 'octo/shop', pulls)).toEqual(origin);
    expect(await lookUpOrigin({}, { pull: '7', commit: COMMIT }, 'octo/shop', pulls)).toEqual(origin);
  });

  test('results of this event then count as not outdated', async () => {
    const event = { pull_request: { number: 7, head: { sha: 'c0ffee' } } };
    expect(await lookUpOrigin(event, none, 'octo/shop', pullsWith(failed(503)))).toBeNull();
    expect(await whyOutdated(event, pullsWith(failed(503)))).toBeNull();
  });

  test('a limit of requests is not waited for twice', async () => {
    const event = { pull_request: { number: 7, head: { sha: 'c0ffee' } } };
    const pulls = pullsWith(failed(429));
    expect(await lookUpOrigin(event, none, 'octo/shop', pulls)).toMatchObject({ isFailure: true });
    expect(await whyOutdated(event, pulls)).toBeNull();
  });

  test('a wrong input stays an error, and so does a bug', async () => {
    const wrong = { pull: 'x', commit: COMMIT };
    await expect(lookUpOrigin({}, wrong, 'octo/shop', pullsWith(failed(503)))).rejects.toThrow(UserError);
    const pulls = pullsWith(new TypeError('bug'));
    await expect(lookUpOrigin({ workflow_run: run }, none, 'octo/shop', pulls)).rejects.toThrow('bug');
  });
});
