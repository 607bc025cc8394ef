import { expect, test } from 'vitest';
import type { Scenario } from '../../config/types.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Count } from '../../results/results.ts';
import type { World } from '../world.ts';
import { planPhpCounts } from './count-php.ts';
import type { ReadyPass } from './run-pass.ts';

test('workers that keep the app are warmed by many connections before one client is counted', async () => {
  const variant = { id: 'workerman@8.4', label: 'workerman', base: null } as PlannedVariant;
  const scenario = {
    ...{ name: 'page', journey: { kind: 'paths', paths: ['/', '/cart'] }, timeoutMs: 2000, reuse: true },
    load: { source: 'vus(8, 1s)', segments: [{ kind: 'vus', vus: 8, ms: 1000 }] },
  } as unknown as Scenario;
  const kept: Count[] = [];
  const world = {
    engine: { docker: { try: async () => ({ code: 0, stdout: '', stderr: '' }) } },
    job: { plan: { scenarios: [scenario] } },
    sink: { keepCount: async (count: Count) => kept.push(count) },
  } as unknown as World;
  const loads: Scenario[] = [];
  const ready = {
    ...{ world, start: 0, servers: new Map([[variant.id, { container: 'c', facts: null, variant }]]) },
    load: async (one: Scenario) => {
      loads.push(one);
      return [{ variant: variant.id, requests: 40, okCount: 40, bytesReceived: 4000, reason: null }];
    },
    read: async () => '[0,0,1,true,2,1000,0]\n'.repeat(40),
  } as unknown as ReadyPass;
  const [pass] = planPhpCounts(world, [variant], { folder: '', errors: new Map() });
  await pass?.visit(ready);
  const [warmUp, ...repeats] = loads;
  const clients = { segments: [{ kind: 'requests', requests: 128, vus: 8 }] };
  expect(warmUp).toMatchObject({ load: clients, reuse: false, timeoutMs: 30_000, warmupMs: 0, blocks: 1 });
  expect(repeats).toHaveLength(3);
  for (const one of repeats) {
    const client = { segments: [{ kind: 'requests', requests: 40, vus: 1 }] };
    expect(one).toMatchObject({ load: client, reuse: true, timeoutMs: 2000 });
  }
  const files = { name: 'included-files', perRequest: [2, 2, 2] };
  expect(kept).toMatchObject([{ by: 'php', requests: 40, values: expect.arrayContaining([files]) }]);
});
