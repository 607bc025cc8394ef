import { expect, test } from 'vitest';
import type { Config } from '../../config/types.ts';
import type { Docker } from '../../engine/docker.ts';
import { type Host, realHost } from '../../host.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { ServerContext } from './servers.ts';
import { startServers } from './start-servers.ts';

const variantOf = (id: string) =>
  ({ id, app: { root: '.', kind: 'plain' }, env: {} }) as unknown as PlannedVariant;

/** Starts variants that took so long to start before, on a machine where each round of questions takes 12 s. */
async function start(coldStartMs: Readonly<Record<string, number[]>>, answerAt: (clockMs: number) => object) {
  let clockMs = 0;
  const asked: string[] = [];
  const variants = Object.keys(coldStartMs).map(variantOf);
  const answer = (value: unknown) => ({ code: 0, stdout: JSON.stringify(value), stderr: '' });
  const docker: Docker = {
    run: async () => '',
    async try(args) {
      asked.push(args.slice(0, 2).join(' '));
      if (args[1] === 'inspect') {
        const names = args.filter((arg) => arg.startsWith('php-runtime-bench-'));
        const state = { Running: true, Pid: 1, StartedAt: '2026-01-01T00:00:00Z' };
        const lines = names.map((name) => JSON.stringify({ id: '1', name: `/${name}`, state, memory: 0 }));
        return { code: 0, stdout: lines.join('\n'), stderr: '' };
      }
      if (args.includes('logs')) return { code: 0, stdout: '', stderr: 'ERROR: no such database\nwaiting\n' };
      if (args[0] !== 'exec') return answer('');
      // The time limit of a request, plus one round.
      clockMs += 12_000;
      return answer(Object.fromEntries(variants.map(({ id }) => [id, answerAt(clockMs)])));
    },
  };
  const outcomes = await startServers(
    {
      engine: {
        host: { ...realHost, now: () => -clockMs, elapsed: () => clockMs } satisfies Host,
        ...{ docker, run: 'r', arena: { name: 'arena' }, signal: new AbortController().signal },
      },
      job: {
        config: { env: {}, host: 'app.test' } as unknown as Config,
        plan: {
          variants,
          cpus: { server: [0], load: [1], system: [], services: [], source: 'found' },
        },
        outcomes: new Map(Object.entries(coldStartMs).map(([id, ms]) => [id, { coldStartMs: ms }])),
      },
    } as unknown as ServerContext,
    variants.map((variant) => ({ variant, image: variant.id })),
    {
      ...{ index: 0, startOrder: variants.map(({ id }) => id), batches: [] },
      ports: Object.fromEntries(variants.map(({ id }, i) => [id, 18_080 + i])),
    },
  );
  return { outcomes, asked, clockMs };
}

test('a server that takes requests and never answers is given up after a minute, and ended', async () => {
  const { outcomes, asked, clockMs } = await start({ mute: [] }, () => ({
    status: 0,
    error: 'request timeout',
  }));
  expect(outcomes.get('mute')).toMatchObject({
    ...{
      stage: 'start',
      reason: 'not ready after 60 s; its last answer: request timeout; its log: ERROR: no such database',
    },
  });
  expect(clockMs).toBeLessThan(90_000);
  expect(asked.at(-1)).toBe('container kill');
});

test('servers that start together have the time that each took alone on top of the minute', async () => {
  const alone = { a: [40_000], b: [40_000], c: [40_000] };
  const ready = { status: 200, body: '', at: 0 };
  const slow = await start(alone, (clockMs) => (clockMs < 100_000 ? { error: 'refused' } : ready));
  expect([...slow.outcomes.values()].filter((one) => 'stage' in one)).toEqual([]);
  const never = await start(alone, () => ({ status: 503 }));
  expect(never.outcomes.get('b')).toMatchObject({
    reason: expect.stringMatching(/^not ready after 180 s, while 2 more started; its last answer: HTTP 503/),
  });
});
