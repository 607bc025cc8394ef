import { expect, test } from 'vitest';
import type { Docker } from '../../engine/docker.ts';
import { type Calibrated, calibrate, countDuring } from './count-window.ts';
import type { CounterValues, ServerKind } from './counter-values.ts';

const world = {
  // No container has a health check.
  docker: { try: async () => ({ code: 1, stdout: '', stderr: '' }) } as unknown as Docker,
  host: { elapsed: () => 0, sleep: async () => {} },
  signal: new AbortController().signal,
};

/** A service whose counters are these at each reading, one after the other. */
function makeService(
  service: string,
  kind: ServerKind,
  readings: CounterValues[],
  since = [1000],
): Calibrated {
  let at = 0;
  const read = async () => {
    const i = at++;
    const sinceMs = since[Math.min(i, since.length - 1)] as number;
    return { atMs: 60_000 + 1000 * i, sinceMs, values: readings[i] as CounterValues };
  };
  const none = { 'cache-hits': 0, 'cache-misses': 0 };
  return {
    service: { service, kind, container: service, read, close: async () => {} },
    own: { 'cache-commands': 1, ...none },
    probe: {},
  };
}

const cache = (commands: number, hits = 0, misses = 0) => ({
  ...{ 'cache-commands': commands, 'cache-hits': hits, 'cache-misses': misses },
});
const work = async () => 'done';

test('what services counted is added up, without what reading them costs', async () => {
  const services = [
    makeService('a', 'redis', [cache(10), cache(14, 2)]),
    makeService('b', 'redis', [cache(20), cache(26, 1)]),
  ];
  expect(await countDuring(world, services, [], work)).toEqual({
    ...{ values: cache(8, 3), done: 'done', doubtful: [], missing: [] },
  });
});

test('one that cannot be read takes its counts out of the sum', async () => {
  const services = [makeService('a', 'redis', [cache(10), cache(14, 2)])];
  const other = { service: 'b', kind: 'mysql' as const };
  expect((await countDuring(world, services, [other], work)).values).toEqual(cache(3, 2));
  services[0] = makeService('a', 'redis', [cache(10), cache(14, 2)]);
  const same = { service: 'b', kind: 'redis' as const };
  const { values, missing } = await countDuring(world, services, [same], work);
  expect(values).toEqual({});
  expect(missing).toContainEqual({ name: 'cache-hits', service: 'b' });
});

test('where a counter was set back all are left out, and a service that restarted is an error', async () => {
  const reset = [makeService('a', 'redis', [cache(10, 7), cache(14, 2)])];
  const { values, missing } = await countDuring(world, reset, [], work);
  expect(values).toEqual({});
  expect(missing.map(({ name }) => name)).toEqual(['cache-commands', 'cache-hits', 'cache-misses']);
  const anew = [makeService('a', 'redis', [cache(10), cache(14, 2)], [1000, 60_500])];
  await expect(countDuring(world, anew, [], work)).rejects.toThrow('the service a restarted');
});

test('a service whose start is known only roughly has not restarted', async () => {
  const slow = [makeService('a', 'redis', [cache(10), cache(14)], [30_000, 33_500])];
  expect((await countDuring(world, slow, [], work)).values).toEqual(cache(3));
});

test.each([
  ['ask nothing', cache(0), cache(3), 0],
  ['count', cache(1), cache(2), 1],
])('health checks that %s: so many looks at them in a short window', async (_, probe, expected, looks) => {
  const iso = (ms: number) => new Date(ms).toISOString();
  const log = [{ Start: iso(60_100), End: iso(60_200), ExitCode: 0 }];
  const health = [{ Test: ['CMD', 'ask'], Interval: 5e9 }, { Log: log }].map((part) => JSON.stringify(part));
  let asked = 0;
  const tryRun = async () => {
    asked++;
    return { code: 0, stdout: health.join('\t'), stderr: '' };
  };
  // The window ends before the watch looks for the first time.
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  const watched = {
    ...world,
    docker: { try: tryRun } as unknown as Docker,
    host: { ...world.host, sleep },
  };
  const service = { ...makeService('a', 'redis', [cache(10), cache(14)]), probe };
  expect((await countDuring(watched, [service], [], work)).values).toEqual(expected);
  expect(asked).toBe(looks);
});

test('health checks that run most of the time are separated from the work', async () => {
  // Each check takes 900 ms and asks one command; the engine begins the next one 300 ms later.
  const check = (i: number) => ({ fromMs: 1200 * i, toMs: 1200 * i + 900 });
  let now = 100_000;
  const endedBy = (ms: number) => Math.floor((ms - 900) / 1200) + 1;
  const health = () => {
    now += 20;
    const log = [5, 4, 3, 2, 1].map((back) => check(endedBy(now) - back));
    const iso = (ms: number) => new Date(ms).toISOString();
    return [
      { Test: ['CMD', 'ask'], Interval: 300e6 },
      { Log: log.map(({ fromMs, toMs }) => ({ Start: iso(fromMs), End: iso(toMs), ExitCode: 0 })) },
    ].map((part) => JSON.stringify(part));
  };
  const checked = {
    ...world,
    docker: { try: async () => ({ code: 0, stdout: health().join('\t'), stderr: '' }) } as unknown as Docker,
    host: {
      elapsed: () => now,
      // The watch beside it sleeps long, and time goes on without it.
      sleep: async (ms: number) => {
        if (ms < 1000) now += ms;
        await new Promise(setImmediate);
      },
    },
  };
  let asked = 0;
  let reads = 0;
  const service = makeService('a', 'redis', []);
  service.probe = cache(1);
  service.service.read = async () => {
    now += 100;
    return { atMs: now, sinceMs: 1000, values: cache(asked + endedBy(now) + ++reads) };
  };
  const { values, doubtful } = await countDuring(checked, [service], [], async () => {
    now += 1500;
    asked += 7;
  });
  expect({ values, doubtful }).toEqual({ values: cache(7), doubtful: [] });
});

/** A container whose last health check was then, and one check costs a command. */
const checkedAt = (fromMs: number) => {
  const iso = (ms: number) => new Date(ms).toISOString();
  const log = [{ Start: iso(fromMs), End: iso(fromMs + 100), ExitCode: 0 }];
  const health = [{ Test: ['CMD', 'ask'], Interval: 1e9 }, { Log: log }].map((part) => JSON.stringify(part));
  return { try: async () => ({ code: 0, stdout: health.join('\t'), stderr: '' }) } as unknown as Docker;
};

test.each([
  ['others: no health check', world.docker, 'others'],
  // It was before all readings, so the watch knows none within them.
  ['others, beside health checks', checkedAt(1000), 'others'],
  ['a health check on the edge of each window', null, 'overlap'],
] as const)('a service that cannot be calibrated names the cause: %s', async (_, docker, cause) => {
  let now = 60_000;
  let commands = 0;
  const service = makeService('a', 'redis', []).service;
  service.read = async () => {
    now += 1000;
    commands += now;
    return { atMs: now, sinceMs: 1000, values: cache(commands) };
  };
  const onEdge = { try: async () => checkedAt(now - 50).try([]) } as unknown as Docker;
  const host = {
    elapsed: () => now,
    sleep: async (ms: number) => {
      now += ms;
      await new Promise(setImmediate);
    },
  };
  expect(await calibrate({ ...world, docker: docker ?? onEdge, host }, service)).toBe(cause);
});
