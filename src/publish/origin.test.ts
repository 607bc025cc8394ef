import { expect, test } from 'vitest';
import { findOrigin, type Pull } from './origin.ts';

const run = {
  ...{ id: 42, name: 'Bench', event: 'pull_request', head_sha: 'c0ffee', head_branch: '$(x)' },
  head_repository: { owner: { login: 'mallory' } },
};

async function find(change: object, open: readonly Pull[] = [{ number: 7, head: 'c0ffee' }]) {
  const asked: string[] = [];
  const pulls = {
    async openFrom(head: string) {
      asked.push(head);
      return open;
    },
  };
  return { asked, origin: await findOrigin({ workflow_run: { ...run, ...change } }, 'octo/shop', pulls) };
}

test('the pull request that has the commit on top', async () => {
  const { asked, origin } = await find({});
  expect(asked).toEqual(['mallory:$(x)']);
  expect(origin).toEqual({
    ...{ pull: { owner: 'octo', repo: 'shop', number: 7 }, why: '', run: 42, workflow: 'Bench' },
  });
});

test.each([
  ['newer commits', {}, [{ number: 7, head: 'beef' }], 'newer commits'],
  ['closed', {}, [], 'no longer open'],
  ['two of them', {}, [7, 8].map((number) => ({ number, head: 'c0ffee' })), '2 pull requests'],
  ['a push', { event: 'push' }, undefined, 'not about a pull request'],
  ['a fork that was deleted', { head_repository: null }, undefined, 'is gone'],
])('none: %s', async (_, change, open, why) => {
  const { origin } = await find(change, open);
  expect(origin).toMatchObject({ pull: null, why: expect.stringContaining(why) });
});

test('another event has no say', async () => {
  const pulls = { openFrom: () => Promise.reject(new Error('asked')) };
  expect(await findOrigin({ pull_request: { number: 7 } }, 'octo/shop', pulls)).toBeNull();
});
