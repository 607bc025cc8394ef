import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, expect, test, vi } from 'vitest';

const main = join(import.meta.dirname, '../../scenarios/lib/main.js');

const NO_CHECKS = { path: '', checks: [], groups: [] };

/** Length of a turn, ms; a block has two, one of each slice. */
const TURN_MS = 1000;

afterEach(() => vi.useRealTimers());

interface Main {
  setup(): unknown;
  teardown(data: unknown): unknown;
  benchTurn(data: unknown): void;
  options: { blacklistIPs: string[]; tags: object; teardownTimeout: string };
  handleSummary(data: object): { stdout: string };
}

/** A script whose files take `readMs` to read, for each client. */
type Script = { setup?: () => unknown; teardown?: () => unknown; options?: object; readMs?: number };

/**
 * Runs main.js outside of k6, with a plan of two slices in turns, or of one slice that ends by itself. Each iteration of its
 * journey takes `tookMs`.
 */
function loadMain({ readMs = 0, ...script }: Script = {}, isOpenEnded = false) {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [main], bundle: true, write: false, format: 'cjs' },
    // In the order of the imports, as k6 reads them.
    external: ['k6', 'k6/*', '../journey.js', './created.js'],
  });
  const added: { metric: string; value: number }[] = [];
  class Metric {
    readonly name: string;
    constructor(name: string) {
      this.name = name;
    }
    add(value: number) {
      added.push({ metric: this.name, value });
    }
  }
  const slice = (id: string) => ({
    ...{ id, block: 'b0', checked: null, baseUrl: 'http://app.test', warmup: false, startMs: 0 },
    ...{ durationMs: 2 * TURN_MS, steps: [{ offsetMs: 0, durationMs: 2 * TURN_MS, vus: 2, rps: 10 }] },
  });
  const open = { ...slice('s0'), block: null, durationMs: null };
  const plan = {
    slices: isOpenEnded ? [open] : [slice('s0'), slice('s1')],
    blocks: isOpenEnded ? [] : [{ id: 'b0', startMs: 0, turnMs: TURN_MS, order: ['s0', 's1'] }],
    ...{
      host: null,
      checked: [],
      ownScenarios: isOpenEnded,
      userOptions: isOpenEnded,
      reuse: true,
      startAtMs: null,
    },
    ...{
      paths: [],
      hosts: {},
      blockedIps: ['192.0.2.0/24'],
      kinds: [],
      failures: [],
      labels: [],
      trendStats: [],
      otherKinds: [],
    },
    timeoutMs: 1000,
  };
  const journey = { tookMs: 0 };
  const tags: Record<string, string> = {};
  // In a package of modules esbuild takes what is required for the default export.
  const modules: Record<string, unknown> = {
    k6: { sleep: () => {} },
    'k6/execution': {
      // The load of a lane begins 1 ms later.
      scenario: { startTime: -1 },
      vu: { idInTest: 1, metrics: { tags } },
      test: { options: {} },
    },
    'k6/http': {},
    'k6/metrics': { Counter: Metric, Gauge: Metric, Rate: Metric, Trend: Metric },
    '../journey.js': Object.assign(() => void vi.setSystemTime(Date.now() + journey.tookMs), script),
  };
  /** k6 reads a script anew for each client, and for the summary. */
  const makeClient = (): Main => {
    const module = { exports: {} as Main };
    let unreadMs = readMs;
    const read = (name: string) => {
      if (name === './created.js') return { createdMs: Date.now() };
      if (name !== '../journey.js') return modules[name];
      vi.setSystemTime(Date.now() + unreadMs);
      unreadMs = 0;
      return modules[name];
    };
    const run = new Function('module', 'require', 'open', '__ENV', outputFiles[0]?.text ?? '');
    run(module, read, () => JSON.stringify(plan), { LANE: '0', BASE_URL: 'http://site.test' });
    return module.exports;
  };
  return {
    tags,
    /** What k6 does with a script: its setup, a load of so many ms, its teardown, and the summary of all. */
    summarise(loadMs: number): { durationMs: number; endedMs: number } {
      const fromMs = Date.now();
      makeClient().setup();
      vi.setSystemTime(Date.now() + loadMs);
      makeClient().teardown(undefined);
      const metrics = Object.fromEntries(added.map(({ metric, value }) => [metric, { values: { value } }]));
      const testRunDurationMs = Date.now() - fromMs;
      const summary = makeClient().handleSummary({
        metrics,
        state: { testRunDurationMs },
        root_group: NO_CHECKS,
      });
      return JSON.parse(summary.stdout);
    },
    options: () => makeClient().options,
    print: (data: object) => makeClient().handleSummary(data).stdout,
    /** The values of `bench_late` of an iteration. */
    late(fromMs: number, tookMs: number): number[] {
      added.length = 0;
      journey.tookMs = tookMs;
      vi.useFakeTimers({ now: fromMs, toFake: ['Date'] });
      makeClient().benchTurn(undefined);
      return added.flatMap(({ metric, value }) => (metric === 'bench_late' ? [value] : []));
    },
  };
}

test.each([
  ['that ends in time is not late', 1500, 500, []],
  ['that ends behind the end is late by its part that lies there', 1900, 400, [0.75]],
  ['that begins behind the end is late as a whole', 2001, 10, [1]],
  ['that begins behind the end and takes no time is late as a whole', 2001, 0, [1]],
])('an iteration %s', (_, fromMs, tookMs, expected) => {
  expect(loadMain().late(fromMs, tookMs)).toEqual(expected);
});

test('blocks the addresses that a script blocks, too', () => {
  const options = { blacklistIPs: ['198.51.100.0/24'] };
  expect(loadMain({ options }, true).options().blacklistIPs).toEqual(['198.51.100.0/24', '192.0.2.0/24']);
  expect(loadMain({}, true).options().blacklistIPs).toEqual(['192.0.2.0/24']);
});

test('a tag that a script calls slice is not that of this tool', () => {
  const { tags } = loadMain({ options: { tags: { slice: 'pizza' } } }, true).options();
  expect(tags).toEqual({ slice: 'pizza', bench_slice: 's0' });
});

test('a teardown ends before k6 is killed', () => {
  const options = { teardownTimeout: '10m' };
  expect(loadMain({ options }, true).options().teardownTimeout).toBe('60s');
});

test('the teardown of a script is no part of its load, and its requests are of no slice', () => {
  vi.useFakeTimers({ now: 1000, toFake: ['Date'] });
  const wait = () => void vi.setSystemTime(Date.now() + 5000);
  const alone = loadMain({ teardown: wait });
  expect(alone.summarise(10_000)).toMatchObject({ durationMs: 10_000, endedMs: 11_000 });
  expect(alone.tags.bench_slice).toBe('none');
  expect(loadMain({ setup: wait, teardown: wait }).summarise(10_000)).toMatchObject({ durationMs: 10_000 });
});

test('the setup of a script is no part of its load, and its requests are of no slice', () => {
  vi.useFakeTimers({ now: 1000, toFake: ['Date'] });
  const main = loadMain({ setup: () => void vi.setSystemTime(Date.now() + 5000) });
  expect(main.summarise(10_000)).toMatchObject({ durationMs: 10_000, endedMs: 16_000 });
  expect(main.tags.bench_slice).toBe('none');
  expect(loadMain().summarise(10_000)).toMatchObject({ durationMs: 10_000 });
});

test('the clients of setup and teardown, which k6 makes in its own time, are no part of a load that ends by itself', () => {
  vi.useFakeTimers({ now: 1000, toFake: ['Date'] });
  const main = loadMain({ readMs: 3000 }, true);
  expect(main.summarise(10_000)).toMatchObject({ durationMs: 10_000, endedMs: 14_000 });
  const wait = () => void vi.setSystemTime(Date.now() + 5000);
  const both = loadMain({ readMs: 3000, setup: wait, teardown: wait }, true);
  expect(both.summarise(10_000)).toMatchObject({ durationMs: 10_000 });
});

test('the summary names the site, and ends its line', () => {
  const printed = loadMain().print({ metrics: {}, state: { testRunDurationMs: 1 } });
  expect(JSON.parse(printed)).toMatchObject({ baseUrl: 'http://site.test' });
  expect(printed).toMatch(/^[^\n]*\n$/);
});

test('the summary has requests without an answer only if there are some', () => {
  const answered = { values: { count: 0, 'p(50)': 0 } };
  const metrics = {
    'http_req_duration{bench_slice:s0}': answered,
    'http_req_duration{bench_slice:s0,status:0}': answered,
    'http_req_duration{bench_slice:s1,status:0}': { values: { count: 1, 'p(50)': 500 } },
  };
  const printed = loadMain().print({ metrics, state: { testRunDurationMs: 1 } });
  expect(Object.keys(JSON.parse(printed).metrics)).toEqual([
    'http_req_duration{slice:s0}',
    'http_req_duration{slice:s1,status:0}',
  ]);
});
