import { expect, test } from 'vitest';
import type { Config } from '../../config/types.ts';
import type { Docker } from '../../engine/docker.ts';
import { type Host, realHost } from '../../host.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { ServerContext } from './servers.ts';
import { startServers } from './start-servers.ts';

const variant = { id: 'mute@8.4', app: { root: '.', kind: 'plain' }, env: {} } as unknown as PlannedVariant;

test('a server that takes requests and never answers is given up after a minute, and ended', async () => {
  let clockMs = 0;
  const asked: string[] = [];
  const answer = (value: unknown) => ({ code: 0, stdout: JSON.stringify(value), stderr: '' });
  const docker: Docker = {
    run: async () => '',
    async try(args) {
      asked.push(args.slice(0, 2).join(' '));
      if (args[1] === 'inspect') {
        return answer({
          id: '1',
          name: `/${args.at(-1)}`,
          state: { Running: true, Pid: 1, StartedAt: '2026-01-01T00:00:00Z' },
          memory: 0,
        });
      }
      if (args.includes('logs')) return { code: 0, stdout: '', stderr: 'ERROR: no such database\nwaiting\n' };
      if (args[0] !== 'exec') return answer('');
      // The time limit of a request, plus one round.
      clockMs += 12_000;
      return answer({ [variant.id]: { status: 0, error: 'request timeout' } });
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
          variants: [variant],
          cpus: { server: [0], load: [1], system: [], services: [], source: 'found' },
        },
      },
    } as unknown as ServerContext,
    [{ variant, image: 'mute' }],
    { index: 0, startOrder: [variant.id], ports: { [variant.id]: 18080 }, batches: [] },
  );
  expect(outcomes.get(variant.id)).toMatchObject({
    ...{
      stage: 'start',
      reason: 'not ready after 60 s; its last answer: request timeout; its log: ERROR: no such database',
    },
  });
  expect(clockMs).toBeLessThan(90_000);
  expect(asked.at(-1)).toBe('container kill');
});
