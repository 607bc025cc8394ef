import { expect, test } from 'vitest';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import type { Docker } from '../../engine/docker.ts';
import type { Host } from '../../host.ts';
import { cutIntoBatches, planSlices } from '../../plan/timeline/timeline.ts';
import { CLOCK_STEP } from '../../results/results.ts';
import type { Watch } from '../sample/sampler.ts';
import { Samples } from '../sample/samples.ts';
import { loadByEngines, makeLoaders, type ReadyLoader } from './loaders.ts';

const START = 1_800_000_000_000;

function makeBatch(clients: number) {
  const scenario = scenarioOf('test', `vus(${clients}, 1s)`, { timeoutMs: 5000, warmupMs: 0 });
  const one = () => ['a'];
  const slices = planSlices(scenario, { warmup: one, block: one, round: one, duets: new Map() }, () => false);
  const [batch] = cutIntoBatches(
    scenario,
    slices.map((slice, number) => ({ ...slice, number })),
    100,
  );
  if (!batch) throw new Error('no load');
  return batch;
}

/** Engines of machines with a clock each, and a load that takes no time. Time goes on only where somebody waits. */
function makeWorld() {
  let elapsedMs = 0;
  const aheadMs = { servers: 0, a: 0, b: 250 };
  /** By the time that all machines share, unix ms. */
  const starts: number[] = [];
  const hooks: { begins: () => void } = { begins: () => {} };
  const host = {
    elapsed: () => elapsedMs,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms >= 5000)
        return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      elapsedMs += ms;
    },
    start(_program: string, _args: unknown, options?: { onLine?: (line: string, stream: 'stdout') => void }) {
      let finish: (value: never) => void = () => {};
      return {
        done: new Promise((resolve) => {
          finish = resolve;
        }),
        write: (text: string) => queueMicrotask(() => options?.onLine?.(text.trim(), 'stdout')),
        end: () => finish(undefined as never),
        kill: () => {},
      };
    },
  } as unknown as Host;
  const dockerOf = (name: keyof typeof aheadMs) =>
    ({
      run: async () => '',
      async try(args: string[], options: { input?: string; onLine?: (line: string) => void } = {}) {
        const command = args.join(' ');
        let stdout = '';
        if (command.includes('lib/distance.js')) {
          options.onLine?.(`bench-clock ${START + elapsedMs + aheadMs[name]}`);
          stdout = 'bench-way {"roundTripsMs":[1],"failed":[]}\n';
        } else if (command.includes('lib/main.js')) {
          const { startAtMs } = JSON.parse(options.input ?? '');
          hooks.begins();
          starts.push(startAtMs - aheadMs[name]);
          stdout = JSON.stringify({
            endedMs: startAtMs + 1000,
            durationMs: 1000,
            endpoints: [],
            metrics: {},
          });
        }
        return { code: 0, stdout, stderr: '' };
      },
    }) as unknown as Docker;
  const watch = (name: keyof typeof aheadMs) => {
    const samples = new Samples();
    samples.add(`clock ${(START + aheadMs[name]) / 1000} 0.00`);
    return { samples } as Watch;
  };
  const ready = (['a', 'b'] as const).map((name) => {
    const engine = { name, host, docker: dockerOf(name), arena: { name }, watch: watch(name) };
    return { ...engine, cpus: [0], memoryBytes: 2 ** 30 } as unknown as ReadyLoader;
  });
  const loaders = makeLoaders(ready, '10.0.0.5');
  const own = {
    host,
    docker: dockerOf('servers'),
    arena: { name: 'servers' },
    signal: new AbortController().signal,
  };
  const target = {
    ports: { a: 18080 },
    host: 'app',
    checkedOf: () => null,
    samples: watch('servers').samples,
  };
  const lines: string[] = [];
  const sink = { say: (line: string) => void lines.push(line), warn: () => {}, keepElsewhere: () => {} };
  return {
    hooks,
    lines,
    /** Makes a load. Returns its code, and when each engine began. */
    async load(clients = 4) {
      starts.length = 0;
      const { load } = await loadByEngines(own as never, loaders, sink, makeBatch(clients), target);
      return { code: load.code, starts: [...starts] };
    },
    samples: loaders.all.map(({ watch }) => watch.samples),
    /** The samplers of the load engines print samples for so long, ms. */
    sample(ms: number) {
      for (const endMs = elapsedMs + ms; elapsedMs < endMs; elapsedMs += 100) {
        const uptime = (elapsedMs / 1000).toFixed(2);
        for (const { watch } of loaders.all)
          for (const line of [`cpu ${uptime} 0`, `done ${uptime}`]) watch.samples.add(line);
      }
    },
    /** Somebody sets the clock of an engine, and its sampler finds that. */
    step(ms: number) {
      aheadMs.b += ms;
      loaders.all[1]?.watch.samples.add(`clock ${(START + aheadMs.b) / 1000} 0.00`);
    },
  };
}

test('load engines begin together before and after somebody has set the clock of one', async () => {
  const world = makeWorld();
  for (const ms of [0, 500, -700]) {
    if (ms !== 0) world.step(ms);
    const { code, starts } = await world.load();
    expect(code).toBeUndefined();
    expect(starts).toHaveLength(2);
    expect(Math.abs((starts[0] ?? 0) - (starts[1] ?? 0))).toBeLessThanOrEqual(1);
  }
});

test('a clock that is set once they have met, and before they have loaded, makes the load void', async () => {
  const world = makeWorld();
  world.hooks.begins = () => {
    world.hooks.begins = () => {};
    world.step(500);
  };
  expect(await world.load()).toMatchObject({ code: CLOCK_STEP });
  const { code, starts } = await world.load();
  expect(code).toBeUndefined();
  expect(Math.abs((starts[0] ?? 0) - (starts[1] ?? 0))).toBeLessThanOrEqual(1);
});

test('samples of load engines from before a load are dropped', async () => {
  const world = makeWorld();
  for (let n = 0; n < 10; n++) {
    world.sample(5000);
    await world.load();
    // From the last second before the load, and the last of before that.
    for (const { cpu } of world.samples) {
      expect(cpu.length).toBeGreaterThanOrEqual(10);
      expect(cpu.length).toBeLessThanOrEqual(12);
    }
  }
});

test('a pass with one client between loads of more shows once that one engine makes it', async () => {
  const world = makeWorld();
  const engines: number[] = [];
  for (const clients of [4, 1, 4, 1, 4, 1]) engines.push((await world.load(clients)).starts.length);
  expect(engines).toEqual([2, 1, 2, 1, 2, 1]);
  expect(world.lines.filter((line) => line.includes('too few clients'))).toEqual([
    'this load has too few clients for all load engines: it comes from a alone',
  ]);
});
