import { expect, test } from 'vitest';
import { describeApiError, retry } from './retry.ts';

const failed = (status: number | undefined, headers = {}, message = `${status}`) =>
  Object.assign(new Error(message), { ...(status && { status }), response: { headers } });

/** The end of a limit by the clock of the server, in so many seconds. */
const resetIn = (seconds: number) => ({
  date: new Date(1_800_000_000_000).toUTCString(),
  'x-ratelimit-reset': String(1_800_000_000 + seconds),
});

async function attempt(errors: readonly Error[], repeatable = true) {
  const waits: number[] = [];
  const left = [...errors];
  const outcome = await retry(
    async () => {
      const error = left.shift();
      if (error) throw error;
      return 'done';
    },
    repeatable,
    { wait: async (ms) => waits.push(ms) },
  ).catch((error: Error) => error.message);
  return { outcome, waits };
}

test.each([
  ['500 twice, then an answer', [500, 502], true, { outcome: 'done', waits: [1000, 2000] }],
  ['no answer at all', [undefined], true, { outcome: 'done', waits: [1000] }],
  ['500 for ever', [500, 500, 500, 500], true, { outcome: '500', waits: [1000, 2000, 4000] }],
  ['500 to what must not be done twice', [500], false, { outcome: '500', waits: [] }],
  ['403', [403], true, { outcome: '403', waits: [] }],
  ['404', [404], true, { outcome: '404', waits: [] }],
  ['422', [422], true, { outcome: '422', waits: [] }],
  ['429 that says nothing', [429], false, { outcome: 'done', waits: [60_000] }],
] as const)('%s', async (_, statuses, repeatable, expected) => {
  expect(
    await attempt(
      statuses.map((status) => failed(status)),
      repeatable,
    ),
  ).toEqual(expected);
});

test.each([
  [429, { 'retry-after': '7' }, { outcome: 'done', waits: [7000] }],
  [403, { 'retry-after': '7' }, { outcome: 'done', waits: [7000] }],
  [403, { 'x-ratelimit-remaining': '0' }, { outcome: 'done', waits: [60_000] }],
  [403, { 'x-ratelimit-remaining': '12' }, { outcome: '403', waits: [] }],
  [403, { 'x-ratelimit-remaining': '0', 'retry-after': '' }, { outcome: 'done', waits: [60_000] }],
  [429, { 'retry-after': '' }, { outcome: 'done', waits: [60_000] }],
  [429, { 'retry-after': ' ' }, { outcome: 'done', waits: [60_000] }],
  [429, { 'retry-after': '0' }, { outcome: 'done', waits: [60_000] }],
  [429, { 'retry-after': '3600' }, { outcome: '429', waits: [] }],
  [429, { 'retry-after': 'soon' }, { outcome: 'done', waits: [60_000] }],
  [403, { 'x-ratelimit-remaining': '0', ...resetIn(30) }, { outcome: 'done', waits: [30_000] }],
  [429, { 'x-ratelimit-remaining': '0', ...resetIn(30) }, { outcome: 'done', waits: [30_000] }],
  [403, { 'x-ratelimit-remaining': '0', ...resetIn(-5) }, { outcome: 'done', waits: [60_000] }],
  [403, { 'x-ratelimit-remaining': '0', ...resetIn(2520) }, { outcome: '403', waits: [] }],
  [429, { 'x-ratelimit-remaining': '12', ...resetIn(2520) }, { outcome: 'done', waits: [60_000] }],
  [
    403,
    { 'x-ratelimit-remaining': '0', ...resetIn(30), 'retry-after': '7' },
    { outcome: 'done', waits: [7000] },
  ],
  [403, { 'x-ratelimit-remaining': '0', ...resetIn(30), date: 'soon' }, { outcome: 'done', waits: [60_000] }],
])('HTTP %s with %j', async (status, headers, expected) => {
  expect(await attempt([failed(status, headers)], false)).toEqual(expected);
});

test.each([
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
  'API rate limit exceeded for installation ID 1.',
])('HTTP 403 that names its limit: %s', async (message) => {
  const limited = failed(403, { 'x-ratelimit-remaining': '4000' }, message);
  expect(await attempt([limited], false)).toEqual({ outcome: 'done', waits: [60_000] });
});

test('a limit that lasts longer than a job waits is named', () => {
  const describe = (headers: Record<string, string>) => describeApiError(failed(403, headers, 'rate limit'));
  expect(describe({ 'x-ratelimit-remaining': '0', ...resetIn(2500) })).toBe(
    'HTTP 403: rate limit; the limit ends in 42 minutes',
  );
  expect(describe({ 'retry-after': '3600' })).toBe('HTTP 403: rate limit; the limit ends in 60 minutes');
  expect(describe({ 'retry-after': '7' })).toBe('HTTP 403: rate limit');
});
