import { describe, expect, test } from 'vitest';
import { parseLoad } from '../../config/parts/load.ts';
import { DockerError } from '../../engine/docker.ts';
import { type Finished, realHost } from '../../host.ts';
import type { Failure } from '../../results/results.ts';
import type { Server } from '../servers/servers.ts';
import type { World } from '../world.ts';
import { askOften, type Learned, learn } from './learned.ts';
import { recheckAnswers } from './recheck.ts';
import type { Answer, Round } from './verify.ts';

const SERVERS = ['apache', 'nginx'].map(
  (id, i) =>
    ({
      variant: { id, label: id, app: { name: 'app' }, ref: null },
      ...{ container: id, port: i + 1 },
    }) as unknown as Server,
);
const answer = (body: string): Answer => ({ status: 200, error: '', type: 'text/html', location: '', body });
const round = (path: string, body: string): Round =>
  new Map(
    SERVERS.map(({ variant: { id } }) => [
      id,
      new Map([[`GET ${path}`, { endpoint: path, answer: answer(body) }]]),
    ]),
  );

/** A world whose servers answer so; the numbers of questions that k6 got at once. The engine itself answers, or is lost. */
function makeWorld(
  paths: readonly string[],
  answerTo: (url: string) => Answer,
  { isLost = false, isRunning = (): boolean => true } = {},
) {
  const sizes: number[] = [];
  const world = {
    engine: {
      ...{ arena: { name: 'arena' }, signal: new AbortController().signal },
      docker: {
        async try([command, ...rest]: readonly string[], { input = '' }: { input?: string } = {}) {
          if (command === 'version') return { code: isLost ? 1 : 0, stdout: '', stderr: 'no route to host' };
          if (rest[0] === 'inspect')
            return { code: 0, stdout: stateOf(rest.at(-1), isRunning()), stderr: '' };
          if (command !== 'exec') return { code: 0, stdout: '', stderr: '' };
          if (rest.some((arg) => arg.includes('/dev/zero')))
            return { code: isRunning() ? 0 : 1, stdout: '', stderr: 'No such container' };
          const { requests }: { requests: { id: string; url: string }[] } = JSON.parse(input);
          sizes.push(requests.length);
          const answers = Object.fromEntries(requests.map(({ id, url }) => [id, answerTo(url)]));
          return { code: 0, stdout: JSON.stringify(answers), stderr: '' };
        },
      },
    },
    job: {
      config: { host: 'app.test', scenarios: [{ journey: { kind: 'paths', paths }, timeoutMs: 2000 }] },
    },
    sink: { say: () => {}, warn: () => {}, keepRaw: async () => {} },
  } as unknown as World;
  return { world, sizes };
}

const stateOf = (name: string | undefined, isRunning: boolean) =>
  JSON.stringify({
    ...{ id: name, name: `/${name}`, memory: 0 },
    state: { Running: isRunning, Pid: 1, ExitCode: 1, OOMKilled: !isRunning, StartedAt: '' },
  });

const learnBoth = (paths: readonly string[]): Learned => {
  const learned: Learned = new Map();
  const rounds = paths.flatMap((path) => [round(path, 'a page'), round(path, 'a page, longer')]);
  learn(learned, SERVERS, rounds, true);
  return learned;
};
const mostOf = (learned: Learned) => [...learned.values()][0]?.get('/0')?.most;

test('many questions are asked a part at a time', async () => {
  const paths = Array.from({ length: 15 }, (_, i) => `/${i}`);
  const { world, sizes } = makeWorld(paths, () => answer('a page that is longer still'));
  const learned = learnBoth(paths);
  await askOften(
    world,
    learned,
    SERVERS,
    paths.map((path) => ({ path })),
  );
  expect(sizes).toEqual([50, 50, 50, 50, 50, 20]);
  expect(mostOf(learned)).toBe(27);
});

test('answers that cannot be read leave the bounds as they are', async () => {
  const { world } = makeWorld(['/0'], () => {
    throw new SyntaxError('unexpected end');
  });
  const learned = learnBoth(['/0']);
  await askOften(world, learned, SERVERS, [{ path: '/0' }]);
  expect(mostOf(learned)).toBe(14);
});

test('answers that cannot be read, as the engine is lost, end the run', async () => {
  const failed = () => {
    throw new DockerError(['exec'], { code: 1, stdout: '', stderr: 'no route to host' } as Finished);
  };
  const { world } = makeWorld(['/0'], failed, { isLost: true });
  const asking = askOften(world, learnBoth(['/0']), SERVERS, [{ path: '/0' }]);
  await expect(asking).rejects.toThrow('the Docker engine stopped answering');
});

test('after the load, all servers are asked at once, and again each whose answers differ', async () => {
  const { world, sizes } = makeWorld(['/0'], (url) => answer(url.includes(':2/') ? '' : 'a page'));
  const failed: string[] = [];
  await recheckAnswers(world, SERVERS, learnBoth(['/0']), (id) => failed.push(id));
  expect([sizes, failed]).toEqual([[2, 1], ['nginx']]);
});

test('after the load, a server whose answers cannot be read fails alone', async () => {
  const { world } = makeWorld(['/0'], (url) => {
    if (url.includes(':2/')) throw new SyntaxError('unexpected end');
    return answer('a page');
  });
  const failures: Record<string, Failure> = {};
  await recheckAnswers(world, SERVERS, learnBoth(['/0']), (id, failure) => {
    failures[id] = failure;
  });
  expect(failures).toEqual({
    nginx: { stage: 'run', reason: 'its answers after the load cannot be read: unexpected end', log: '' },
  });
});

test('after the load, a lost arena is no fault of a variant', async () => {
  const killed = () => {
    throw new DockerError(['exec'], { code: 1, stdout: '', stderr: 'No such container' } as Finished);
  };
  const { world } = makeWorld(['/0'], killed, { isRunning: () => false });
  const fail = () => expect.unreachable();
  const asking = recheckAnswers(world, SERVERS, learnBoth(['/0']), fail);
  await expect(asking).rejects.toThrow('the container that k6 runs in failed');
});

test('after the load, k6 that fails in a live arena is the fault of the variant', async () => {
  const { world } = makeWorld(['/0'], (url) => {
    if (url.includes(':2/'))
      throw new DockerError(['exec'], { code: 137, stdout: '', stderr: '' } as Finished);
    return answer('a page');
  });
  const failed: string[] = [];
  await recheckAnswers(world, SERVERS, learnBoth(['/0']), (id) => failed.push(id));
  expect(failed).toEqual(['nginx']);
});

describe('after the load, a server that works off its queue', () => {
  const timeout: Answer = { ...answer(''), status: 0, error: 'request timeout' };
  /** How long the server was waited for, s, and the reason if it failed. It answers so at that time, s. */
  const recheck = async (
    load: 'line(1, 9, 1s)' | 'vus(1, 1s)',
    answerAt: (s: number) => Answer,
    diesAt = Infinity,
  ) => {
    let elapsedMs = 0;
    const isRunning = () => elapsedMs / 1000 < diesAt;
    const { world } = makeWorld(['/0'], () => answerAt(elapsedMs / 1000), { isRunning });
    Object.assign(world.job.config.scenarios[0] as object, { load: parseLoad(load) });
    const sleep = async (ms: number) => {
      elapsedMs += ms;
    };
    Object.assign(world.engine, { host: { ...realHost, elapsed: () => elapsedMs, sleep } });
    let reason: string | null = null;
    await recheckAnswers(world, SERVERS.slice(0, 1), learnBoth(['/0']), (_, failure) => {
      reason = failure.reason;
    });
    return { waited: elapsedMs / 1000, reason };
  };
  const servedFrom = (from: number, before: Answer, after: Answer) => (s: number) =>
    s < from ? before : after;

  test.each([timeout, ...[502, 503, 504].map((status) => ({ ...answer(''), status }))])(
    'has time to answer as before: %j',
    async (busy) => {
      const { waited, reason } = await recheck('line(1, 9, 1s)', servedFrom(40, busy, answer('a page')));
      expect(reason).toBeNull();
      expect(waited).toBeGreaterThanOrEqual(40);
      expect(waited).toBeLessThan(50);
    },
  );

  test('fails if it answers differently then', async () => {
    const { reason } = await recheck('line(1, 9, 1s)', servedFrom(40, timeout, answer('')));
    expect(reason).toContain('GET /0 answers differently after the load: ');
  });

  test('fails after three minutes', async () => {
    const { waited, reason } = await recheck('line(1, 9, 1s)', () => timeout);
    expect(reason).toBe('GET /0 answers differently after the load: no answer: request timeout');
    expect(waited).toBe(180);
  });

  test('fails at once after a load without a rate, which leaves no queue', async () => {
    expect(await recheck('vus(1, 1s)', () => timeout)).toMatchObject({
      waited: 0,
      reason: expect.stringContaining('request timeout'),
    });
  });

  test.each([0, 20])('is not waited for once it has ended, after %i s', async (diesAt) => {
    const badGateway = { ...answer(''), status: 502 };
    const { waited, reason } = await recheck('line(1, 9, 1s)', () => badGateway, diesAt);
    expect([waited, reason]).toEqual([diesAt, 'killed: out of memory (OOM)']);
  });

  test('does not wait for another error', async () => {
    expect(await recheck('line(1, 9, 1s)', () => ({ ...answer(''), status: 500 }))).toMatchObject({
      waited: 0,
    });
  });
});
