import { describe, expect, test } from 'vitest';
import { fixtures, makeResults } from '../../../../test/fixtures/results/make.ts';
import { makeProfile, ramp } from '../../../../test/fixtures/results/profile.ts';
import { analyse } from '../../../analyse/analyse.ts';
import type { Measurement, Results, Step } from '../../../results/results.ts';
import type { Chart, DotChart, LineChart } from './chart.ts';
import { chartsOf, variantCharts } from './charts.ts';
import { thin } from './thin.ts';

function draw(results: Results): Chart[] {
  const [scenario] = analyse(results).scenarios;
  if (!scenario) throw new Error('no scenario');
  const numbers = new Map(results.variants.map(({ id }, i) => [id, i]));
  return [
    ...chartsOf(scenario, results.measurements, numbers, 2),
    ...variantCharts(results.variants, numbers),
  ];
}

function find<K extends Chart['kind']>(charts: readonly Chart[], id: string, kind: K) {
  const chart = charts.find((found) => found.id === id);
  if (chart?.kind !== kind) throw new Error(`no chart ${id} of ${kind}`);
  return chart as Extract<Chart, { kind: K }>;
}
const lines = (charts: readonly Chart[], id: string): LineChart => find(charts, id, 'lines');
const dots = (charts: readonly Chart[], id: string): DotChart => find(charts, id, 'dots');

describe('of short slices', () => {
  const results = fixtures.quick?.() as Results;
  const charts = draw(results);

  test('there is what was measured, and nothing of ramps and errors', () => {
    expect(charts.map(({ id }) => id)).toEqual([
      'slices',
      'cpu-per-request',
      'percentiles',
      'latency-time',
      'rate-time',
      'resources-time',
      'cold-start',
    ]);
  });

  test('of one time there is nothing over time', () => {
    const once = structuredClone(results);
    const [first] = once.measurements;
    once.measurements = once.measurements.filter(
      ({ block, instance }) => block === first?.block && instance === first.instance,
    );
    for (const slice of once.measurements) slice.startedMs = first?.startedMs ?? 0;
    const ids = draw(once).map(({ id }) => id);
    expect(ids).toContain('slices');
    expect(ids.filter((id) => id.endsWith('-time'))).toEqual([]);
  });

  test('every slice is a dot, by fresh start', () => {
    const [view] = dots(charts, 'slices').views;
    expect(view?.name).toBe('RPS');
    const own = results.measurements.filter(
      ({ variant, instance }) => variant === results.variants[0]?.id && instance === 1,
    );
    expect(view?.rows[0]?.starts).toHaveLength(3);
    expect(view?.rows[0]?.starts[1]).toEqual(
      own.map(({ achievedRps }) => Number(achievedRps.toPrecision(4))),
    );
  });

  test('each start keeps its number if another one has no dots', () => {
    const failed = structuredClone(results);
    const id = failed.variants[0]?.id;
    for (const slice of failed.measurements) {
      if (slice.variant === id && slice.instance === 1) slice.outcome = 'failed';
    }
    const instances = (chart: string) =>
      dots(draw(failed), chart).views.map(({ rows }) => rows[0]?.instances);
    expect(instances('slices')).toEqual(Array(4).fill([0, 2]));
    expect(instances('cpu-per-request')).toEqual([[0, 2]]);
    expect(instances('cold-start')).toEqual([[], [], []]);
  });

  test('the percentile curve rises, and ends where fewer than ten requests lie beyond', () => {
    const { xs, views } = lines(charts, 'percentiles');
    for (const { y, x } of views[0]?.lines ?? []) {
      const known = y.filter((value) => value !== null);
      expect(known).toEqual(known.toSorted((a, b) => a - b));
      const last = xs[x]?.[known.length - 1] as number;
      const n = 12 * 2000;
      expect(n * 10 ** -last).toBeGreaterThan(8);
      expect(n * 10 ** -last).toBeLessThan(20);
    }
  });
});

describe('of a ramp', () => {
  const results = ramp();
  const charts = draw(results);

  test('there is all of it', () => {
    expect(charts.map(({ id }) => id)).toEqual([
      'offered-answered',
      'load-levels',
      'slices',
      'cpu-per-request',
      'percentiles',
      'latency-time',
      'rate-time',
      'errors-time',
      'resources-time',
      'cold-start',
    ]);
  });

  test('errors refer to their table where there is one', () => {
    const noteOf = (of: Results) => lines(draw(of), 'errors-time').note;
    expect(noteOf(results)).toContain('see ‘Errors’ below');
    const dropping = structuredClone(results);
    for (const slice of dropping.measurements) slice.errors = [];
    expect(noteOf(dropping)).toMatch(/could not start in time\.$/);
  });

  test('the knee is marked where a server gives in, and only there', () => {
    const { marks } = lines(charts, 'offered-answered');
    expect(marks?.map(({ variant }) => variant)).toEqual([0, 1]);
    // Full at 520 and 640, in steps of 17 rps.
    expect(marks?.[0]?.x).toBeGreaterThan(490);
    expect(marks?.[0]?.x).toBeLessThan(545);
    expect(marks?.[0]?.text).toMatch(/^4\d\d ± \d+ rps$/);
    expect(marks?.[1]?.x).toBeGreaterThan(600);
    expect(marks?.[1]?.x).toBeLessThan(670);
  });

  test('CPU of a level is that of its samples: 1.9 ms of each request', () => {
    const view = lines(charts, 'load-levels').views.find(({ name }) => name === 'CPU per request');
    const known = (view?.lines[0]?.y ?? []).filter((value) => value !== null).slice(10);
    for (const value of known) expect(value).toBeCloseTo(1.9, 0);
  });

  test('memory of a level is the most that its samples saw', () => {
    const { views } = lines(charts, 'load-levels');
    const names = ['p95', 'p99', 'p50', 'CPU in use', 'CPU per request', 'Memory'];
    expect(views.map(({ name }) => name)).toEqual(names);
    const drawn = views.at(-1)?.lines ?? [];
    expect(drawn).toHaveLength(results.measurements.length);
    for (const [i, { series }] of results.measurements.entries()) {
      // Two samples in a step, the second after more requests.
      const most = series.filter((_, sample) => sample % 2 === 1).map(({ memoryBytes }) => memoryBytes);
      expect(drawn[i]?.y).toEqual(most.map((bytes) => Number(bytes.toPrecision(4))));
    }
  });

  test('of clients that wait for their answers the levels are how many there are', () => {
    const closed = ramp();
    for (const slice of closed.measurements) {
      slice.offeredRps = null;
      slice.steps = slice.steps.map((step, i) => ({ ...step, offeredRps: null, vus: 2 * (i + 1) }));
    }
    const drawn = draw(closed);
    expect(drawn.map(({ id }) => id)).not.toContain('offered-answered');
    const { x, xs, views } = lines(drawn, 'load-levels');
    expect(x).toEqual({ label: 'clients at once', unit: 'vus' });
    for (const name of ['p95', 'CPU in use', 'Memory']) {
      const found = views.find((view) => view.name === name)?.lines ?? [];
      expect(found).toHaveLength(closed.measurements.length);
      for (const line of found) {
        expect(xs[line.x]).toEqual(Array.from({ length: 60 }, (_, i) => 2 * (i + 1)));
        expect(line.y).not.toContain(null);
      }
    }
  });

  test('a load that rises and falls again has one value for each level', () => {
    const both = ramp();
    for (const slice of both.measurements) {
      const { steps, series, durationMs } = slice;
      const down = steps.toReversed().map((step, i): Step => {
        return { ...step, offsetMs: durationMs + 1000 * i, latency: null };
      });
      // Down it takes three times the CPU.
      const falling = series.toReversed().map((sample, i) => {
        return { ...sample, atMs: durationMs + 500 * (i + 1), cpuUs: 3 * sample.cpuUs };
      });
      slice.steps = [...steps, ...down];
      slice.series = [...series, ...falling];
      slice.durationMs *= 2;
    }
    const [drawn, once] = [lines(draw(both), 'load-levels'), lines(charts, 'load-levels')];
    expect(drawn.xs).toEqual(once.xs);
    for (const [i, { name, lines: found }] of drawn.views.entries()) {
      const factor = name.startsWith('CPU') ? 2 : 1;
      found.forEach((line, j) => {
        const expected = once.views[i]?.lines[j]?.y as number[];
        line.y.forEach((value, k) => {
          expect((value as number) / (factor * (expected[k] as number)), name).toBeCloseTo(1, 2);
        });
      });
    }
  });

  test('lines are thinned, so that a long run of ten variants stays small', () => {
    const servers = Array.from({ length: 10 }, (_, i) => ({
      ...{ id: `s${i}@8.4`, rps: 1, capacity: 400 + 60 * i },
    }));
    const long = draw(makeProfile({ servers, seconds: 300, instances: 3 }));
    expect(JSON.stringify(long).length).toBeLessThan(1_000_000);
    const { xs } = lines(long, 'latency-time');
    expect(Math.max(...xs.map((x) => x.length))).toBeLessThanOrEqual(200);
  });
});

describe('of slices of 6 s, each of one step', () => {
  const server = { rps: 100, okRatio: 0.9 };
  const results = makeResults({
    servers: ['a', 'b'].map((id) => ({ ...server, id })),
    ...{ instances: 1, seconds: 6, scenario: { blocks: 2 } },
    change({ measurements }) {
      for (const slice of measurements) {
        const { requests, latency, offeredRps } = slice;
        const counts = { requests, failures: requests - slice.okCount, dropped: 0, latency };
        slice.steps = [{ offsetMs: 0, durationMs: 6000, offeredRps, vus: 8, ...counts }];
        // Half a CPU, busy for 6 s.
        slice.cpu = slice.cpu && { ...slice.cpu, usedUs: 3_000_000 };
        slice.series = sampled(6000, 250_000);
      }
    },
  });
  function sampled(durationMs: number, cpuUs: number): Measurement['series'] {
    return Array.from({ length: durationMs / 500 }, (_, i) => {
      return { atMs: 500 * (i + 1), cpuUs, memoryBytes: 1e6, processes: 8, throttledUs: 0 };
    });
  }

  test('response time, answers and errors have a dot for each slice', () => {
    const charts = draw(results);
    for (const id of ['latency-time', 'rate-time', 'errors-time']) {
      const { dotted, x, views } = lines(charts, id);
      expect({ dotted, unit: x.unit }, id).toEqual({ dotted: true, unit: 'minutes' });
      expect(views[0]?.lines.map(({ y }) => y.length)).toEqual([2, 2]);
    }
  });

  test('CPU and memory are lines within each slice', () => {
    const { dotted, x, views } = lines(draw(results), 'resources-time');
    expect({ dotted, unit: x.unit }).toEqual({ dotted: false, unit: 'seconds' });
    expect(views[0]?.lines).toHaveLength(4);
    for (const { y } of views[0]?.lines ?? []) expect(y).toEqual(Array(12).fill(0.5));
  });

  test('in turns CPUs in use are those of the turns, which the samples do not show apart', () => {
    const inTurns = structuredClone(results);
    for (const slice of inTurns.measurements) {
      slice.turnMs = 200;
      // Both are there for 12 s, each busy for half of them.
      slice.startedMs = slice.block * 13_000;
      slice.series = sampled(12_000, 125_000);
    }
    const { dotted, views } = lines(draw(inTurns), 'resources-time');
    expect(dotted).toBe(true);
    expect(views[0]?.lines.map(({ y }) => y)).toEqual([
      [0.5, 0.5],
      [0.5, 0.5],
    ]);
  });
});

test('RPS is a lower bound, without an interval, if the load generator was the limit', () => {
  const results = fixtures.mixed?.() as Results;
  const bound = results.variants.findIndex(({ label }) => label === 'swoole');
  const { views } = dots(draw(results), 'slices');
  const rowIn = (name: string) =>
    views.find((view) => view.name === name)?.rows.find(({ variant }) => variant === bound);
  expect(rowIn('RPS')).toMatchObject({ text: expect.stringMatching(/^≥ 5,\d\d0$/), half: null });
  expect(rowIn('p95')).toMatchObject({ text: expect.stringContaining(' ± '), half: expect.any(Number) });
});

test('errors are lines by kind', () => {
  const [view] = lines(draw(fixtures.mixed?.() as Results), 'errors-time').views;
  expect(new Set(view?.lines.map(({ name }) => name))).toEqual(new Set(['http 500', 'http 503']));
});

test('thinning keeps the highest where asked to, and gaps only where nothing is known', () => {
  expect(thin([1, 9, 2, null, null, null], 3, 'max')).toEqual([9, 2, null]);
  expect(thin([1, 3, 2, null], 2, 'mean')).toEqual([2, 2]);
  expect(thin([1.23456], 2, 'mean')).toEqual([1.235]);
});
