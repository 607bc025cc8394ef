import { expect, test } from 'vitest';
import { type Comment, type Comments, markerOf, postComment } from './comment.ts';
import { COMMENT_CHARACTERS, TOO_LONG } from './fit-size.ts';

function pull(existing: Comment[]): Comments & { all: Comment[]; touched: number[] } {
  const touched: number[] = [];
  return {
    all: existing,
    touched,
    whoAmI: async () => 'us',
    async *list() {
      yield* existing;
    },
    async create(body) {
      const id = existing.length + 1;
      existing.push({ id, author: 'us', body });
      return { id, url: `new ${id}` };
    },
    async remove(id) {
      existing.splice(
        existing.findIndex((comment) => comment.id === id),
        1,
      );
    },
    async update(id, body) {
      touched.push(id);
      (existing.find((comment) => comment.id === id) as Comment).body = body;
      return `old ${id}`;
    },
  };
}

test('creates, then updates the same', async () => {
  const comments = pull([]);
  expect(await postComment(comments, 'k', ['one'])).toEqual({ posted: true, how: 'created', url: 'new 1' });
  expect(await postComment(comments, 'k', ['two'])).toEqual({ posted: true, how: 'updated', url: 'old 1' });
  expect(comments.all.map(({ body }) => body)).toEqual([`${markerOf('k')}\ntwo`]);
});

test.each([
  ['another author', { author: 'mallory', body: `${markerOf('k')}\nx` }],
  ['another key', { author: 'us', body: `${markerOf('k2')}\nx` }],
  ['our quote', { author: 'us', body: `> ${markerOf('k')}\nlook at that` }],
])('leaves alone a comment of %s', async (_, foreign) => {
  const comments = pull([{ id: 1, ...foreign }]);
  expect(await postComment(comments, 'k', ['mine'])).toMatchObject({ how: 'created' });
  expect(comments.all[0]).toEqual({ id: 1, ...foreign });
  expect(comments.touched).toEqual([]);
});

test('takes the first stage that fits and never cuts one', async () => {
  const comments = pull([]);
  const body = async (...stages: string[]) => {
    await postComment(comments, 'k', stages);
    return comments.all[0]?.body.split('\n').slice(1).join('\n');
  };
  const room = COMMENT_CHARACTERS - markerOf('k').length - 1;
  expect(await body('x'.repeat(room), 'short')).toBe('x'.repeat(room));
  expect(await body('x'.repeat(room + 1), 'short')).toBe('short');
  expect(await body('x'.repeat(room + 1))).toBe(TOO_LONG);
});

test('two that create at the same time leave one', async () => {
  const comments = pull([]);
  const { list } = comments;
  let lists = 0;
  // Both look before either has written.
  comments.list = () => (++lists <= 2 ? (async function* () {})() : list());
  const posted = await Promise.all(['a', 'b'].map((text) => postComment(comments, 'k', [text])));
  expect(posted).toEqual([
    { posted: true, how: 'created', url: 'new 1' },
    { posted: true, how: 'updated', url: 'old 1' },
  ]);
  expect(comments.all).toEqual([{ id: 1, author: 'us', body: `${markerOf('k')}\nb` }]);
});

test('a creation that failed but was done is found, not done again', async () => {
  const comments = pull([]);
  const { create } = comments;
  const waits: number[] = [];
  comments.create = async (body) => {
    await create(body);
    throw Object.assign(new Error('Bad gateway'), { status: 502 });
  };
  const wait = async (ms: number) => waits.push(ms);
  expect(await postComment(comments, 'k', ['x'], { wait })).toMatchObject({ how: 'updated', url: 'old 1' });
  expect(comments.all).toHaveLength(1);
  expect(waits).toEqual([2000]);
});

test('a key cannot leave the marker', () => {
  expect(markerOf('a --> <img src=x>')).toBe('<!-- php-runtime-bench:a%20--%3E%20%3Cimg%20src%3Dx%3E -->');
});

test.each([
  [401, 'no', 'token'],
  [403, 'no', 'permission'],
  [403, 'You have exceeded a secondary rate limit', null],
  [403, 'Unable to create comment because issue is locked.', null],
  [403, 'Commenting is disabled on issues with more than 2500 comments', null],
  [429, 'no', null],
  [404, 'no', 'permission'],
  [500, 'no', null],
  [undefined, 'no', null],
])('HTTP %s %s: not posted, refused: %s', async (status, message, refused) => {
  const comments = {
    ...pull([]),
    create: async () => {
      throw Object.assign(new Error(message), status ? { status } : {});
    },
  };
  const wait = async () => {};
  expect(await postComment(comments, 'k', ['x'], { wait })).toMatchObject({ posted: false, refused });
});
