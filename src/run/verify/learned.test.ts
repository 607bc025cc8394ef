import { expect, test } from 'vitest';
import type { Server } from '../servers/servers.ts';
import { expectationOf, findDifference } from './checked.ts';
import { type Learned, learn, warnOfStarts } from './learned.ts';
import type { Answer, Round } from './verify.ts';

const SERVERS = ['apache', 'nginx'].map(
  (id) => ({ variant: { id, label: `${id}@8.4`, app: { name: 'app' }, ref: null } }) as unknown as Server,
);

const answer = (words: number): Answer => {
  const body = Array.from({ length: words }, (_, i) => `photo${i}`).join(' ');
  return { ...{ status: 200, error: '', type: 'text/html', location: '', body } };
};

/** One answer of each server, by its number of words. */
const round = (endpoint: string, words: readonly number[], headOnly = false): Round =>
  new Map(
    SERVERS.map(({ variant }, i) => [
      variant.id,
      new Map([[`GET ${endpoint}`, { endpoint, headOnly, answer: answer(words[i] as number) }]]),
    ]),
  );

test('a later start with other data is reported, and its answers stay wrong under load', () => {
  const seen: Learned = new Map();
  expect(learn(seen, SERVERS, [round('/', [100, 100])], true)).toEqual([]);
  expect(learn(seen, SERVERS, [round('/', [100, 100])], false)).toEqual([]);
  const ignored = learn(seen, SERVERS, [round('/', [100, 900])], false);
  expect(ignored).toEqual([
    expect.stringMatching(/^\/ on nginx@8\.4: 7\d+ characters instead of \d+ to \d+$/),
  ]);
  expect(warnOfStarts(ignored)).toMatchObject({
    code: 'starts-differ',
    message: expect.stringContaining('from the first: / on nginx@8.4: '),
  });
  const [learned] = [...seen.values()].flatMap((ofApp) => ofApp.get('/') ?? []);
  expect(learned && findDifference(expectationOf(learned, true), answer(900))).toMatch(/characters instead/);
});

test('a body that nobody compares widens the bounds', () => {
  const seen: Learned = new Map();
  for (const endpoint of ['/', 'login\nauth']) {
    const headOnly = endpoint === '/';
    learn(seen, SERVERS, [round(endpoint, [100, 100], headOnly)], true);
    expect(learn(seen, SERVERS, [round(endpoint, [900, 900], headOnly)], false)).toEqual([]);
  }
  expect(warnOfStarts([])).toBeNull();
});

test('a mask that matches leaves nothing of a body to compare', () => {
  const seen: Learned = new Map();
  expect(learn(seen, SERVERS, [round('/', [100, 100])], true, ['photo5\\d'])).toEqual([]);
  expect(learn(seen, SERVERS, [round('/', [900, 900])], false, ['photo5\\d'])).toEqual([]);
  const boundsOf = () =>
    [...seen.values()].flatMap((ofApp) => [...ofApp.values()].map((found) => expectationOf(found, true)));
  expect(boundsOf()).toEqual([{ statuses: [200], characters: null, words: [], leastWords: 0 }]);
});

test('a mask that matches a later start alone does so, too', () => {
  const seen: Learned = new Map();
  expect(learn(seen, SERVERS, [round('/', [100, 100])], true, ['photo500'])).toEqual([]);
  expect(learn(seen, SERVERS, [round('/', [900, 900])], false, ['photo500'])).toEqual([]);
  expect([...seen.values()].map((ofApp) => ofApp.get('/')?.masked)).toEqual([true]);
});

test('a mask that matches nothing leaves the bounds', () => {
  const seen: Learned = new Map();
  learn(seen, SERVERS, [round('/', [100, 100])], true, ['token']);
  expect(learn(seen, SERVERS, [round('/', [100, 900])], false, ['token'])).toHaveLength(1);
});
