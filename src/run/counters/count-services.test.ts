import { expect, test } from 'vitest';
import type { Journey, Scenario } from '../../config/types.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Count } from '../../results/results.ts';
import type { ReadyPass } from '../passes/run-pass.ts';
import type { World } from '../world.ts';
import { planServiceCount } from './count-services.ts';
import { FIND_SERVERS } from './counter-values.ts';

/** Counts on a cache. Each load asks `around` commands before its first request, and each request asks two. */
async function countOnCache(journey: Journey, around: number) {
  const variant = { id: 'apache@8.4', label: 'apache' } as PlannedVariant;
  const own = { source: 'vus(8, 1s)', segments: [{ kind: 'vus', vus: 8, ms: 1000 }] };
  const scenario = { name: 'page', journey, timeoutMs: 2000, load: own } as unknown as Scenario;
  const kept: Count[] = [];
  const loads: string[] = [];
  let gets = 100;
  const info = () =>
    `1795385990\n500000\nuptime_in_seconds:90\ncmdstat_get:calls=${gets}\nkeyspace_hits:${gets}\nkeyspace_misses:0\n`;
  const docker = {
    try: async (args: string[]) => {
      // No health check.
      if (args.includes('inspect')) return { code: 1, stdout: '', stderr: '' };
      return { code: 0, stdout: args.at(-1) === FIND_SERVERS ? 'redis-server\n' : info(), stderr: '' };
    },
  };
  const world = {
    engine: {
      ...{ docker, signal: new AbortController().signal },
      host: { elapsed: () => 0, sleep: async () => {} },
    },
    job: {
      config: { count: ['services'] },
      plan: { scenarios: [scenario], variants: [variant] },
      services: { containers: [{ service: 'cache', container: 'c', pid: 1 }] },
    },
    sink: { at: () => {}, keepCount: async (count: Count) => kept.push(count) },
  } as unknown as World;
  const load = async ({ load: of }: Scenario) => {
    const [segment] = of?.segments ?? [];
    const { requests, vus } = segment?.kind === 'requests' ? segment : { requests: 0, vus: 0 };
    loads.push(`${requests} of ${vus}`);
    gets += around + 2 * requests;
    return [{ variant: variant.id, requests, okCount: requests }];
  };
  const servers = new Map([[variant.id, {}]]);
  await planServiceCount(world)?.visit({ world, start: 0, servers, load } as unknown as ReadyPass);
  return { kept, loads };
}

const TWO = [
  { name: 'cache-commands', perRequest: [2, 2, 2] },
  { name: 'cache-hits', perRequest: [2, 2, 2] },
  { name: 'cache-misses', perRequest: [0, 0, 0] },
];

test('commands of a path are counted per request, behind a warm-up', async () => {
  const { kept, loads } = await countOnCache({ kind: 'paths', paths: ['/'] }, 0);
  expect(loads).toEqual(['64 of 8', '20 of 1', '20 of 1', '20 of 1']);
  expect(kept).toMatchObject([{ by: 'services', endpoint: null, requests: 20, failures: 0, values: TWO }]);
});

test('what a script does in its setup and teardown is in no count', async () => {
  const { kept, loads } = await countOnCache({ kind: 'script', name: 'orders', file: 'orders.js' }, 5);
  expect(loads).toEqual(['64 of 8', '0 of 1', '20 of 1', '20 of 1', '20 of 1']);
  expect(kept).toMatchObject([{ by: 'services', requests: 20, values: TWO }]);
});
