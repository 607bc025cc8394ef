import { expect, test } from 'vitest';
import type { Instance } from '../../plan/instances.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { Watch } from '../sample/sampler.ts';
import { Samples } from '../sample/samples.ts';
import type { World } from '../world.ts';
import { runLoad } from './batch.ts';

/** The sampler's period, ms. */
const PERIOD_MS = 100;
/** Time of a batch, ms. */
const BATCH_MS = 5000;

test('samples of earlier batches are dropped, except for those of the last second', async () => {
  const samples = new Samples();
  samples.add('clock 0 0.00');
  let uptimeMs = 0;
  const sampleMore = () => {
    for (const endMs = uptimeMs + BATCH_MS; uptimeMs < endMs; uptimeMs += PERIOD_MS) {
      const uptime = (uptimeMs / 1000).toFixed(2);
      for (const line of ['cpu @ 0', 'done @', 'host @ 0:0:0', 'mem @ 0:0:0:0'])
        samples.add(line.replace('@', uptime));
    }
  };
  const docker = {
    try: async () => {
      sampleMore();
      return { code: 0, stdout: '{"metrics":{}}', stderr: '' };
    },
  };
  const world = {
    engine: { host: { now: () => 0 }, docker, memoryBytes: 1e9, arena: { name: 'arena' } },
    job: { config: { host: 'app.test' }, plan: { cpus: { load: [0] } } },
    sink: { say: () => {}, keepRaw: async () => {} },
  } as unknown as World;
  const watch = { samples, indices: new Map(), services: new Map(), fronts: new Map() } as unknown as Watch;
  const scenario = { name: 'test', journey: { kind: 'paths', paths: ['/'] }, timeoutMs: 1000 };
  const batch = { scenario, slices: [], drainMs: 0 } as unknown as Batch;
  const most = (BATCH_MS + 1000) / PERIOD_MS + 1;
  for (let n = 0; n < 20; n++) {
    const fromMs = samples.completeMs;
    await runLoad(world, { index: 0 } as Instance, batch, watch, () => null);
    for (const kind of ['cpu', 'host', 'memory'] as const) {
      expect(samples[kind].length).toBeLessThanOrEqual(most);
      expect(samples[kind][0]?.atMs).toBeLessThanOrEqual(Math.max(0, fromMs - 1000));
    }
  }
});
