import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import type { Results } from '../../results/results.ts';
import { analyse } from '../analyse.ts';

/** Starts go up and down together, by far more than the variants differ; the rest deviates by 0.4 %. */
function run(speeds: Record<string, number>, instances = 6): Results {
  return makeResults({
    servers: Object.keys(speeds).map((id) => ({ id, rps: 60 })),
    instances,
    scenario: { blocks: 2 },
    change({ measurements }) {
      const ids = Object.keys(speeds);
      for (const slice of measurements) {
        const own = Math.sin(7 * slice.instance + 3 * ids.indexOf(slice.variant));
        slice.achievedRps =
          (speeds[slice.variant] as number) * (1 + 0.1 * slice.instance) * (1 + 0.004 * own);
        if (slice.cpu) slice.cpu.perRequestUs = 1e6 / slice.achievedRps;
      }
    },
  });
}
const places = (results: Results) => {
  const [scenario] = analyse(results).scenarios;
  return scenario?.rows.map(({ variant, state }) =>
    state.kind === 'ranked' ? `${state.shared ? '=' : ''}${state.rank} ${variant}` : variant,
  );
};

describe('ranks from paired tests', () => {
  const results = run({ slow: 900, fast: 1000, tied: 994 });
  test('find what the scatter of the starts would hide', () => {
    const [scenario] = analyse(results).scenarios;
    expect(scenario?.basis).toBe('paired');
    expect(places(results)).toEqual(['=1 fast', '=1 tied', '3 slow']);
    // The intervals of the rows overlap widely.
    const [fast, , slow] = scenario?.rows ?? [];
    expect((fast?.rps?.value as number) - (fast?.rps?.half as number)).toBeLessThan(
      (slow?.rps?.value as number) + (slow?.rps?.half as number),
    );
  });
  test('with fewer than four starts: intervals that do not overlap', () => {
    const few = run({ slow: 900, fast: 1000, tied: 994 }, 3);
    expect(analyse(few).scenarios[0]?.basis).toBe('intervals');
    expect(places(few)).toEqual(['=1 fast', '=1 tied', '=1 slow']);
  });
  test('from one start each: intervals that do not overlap even if another start differs by 1 %', () => {
    expect(places(run({ fast: 1000, near: 985, slow: 970 }, 1))).toEqual(['=1 fast', '=1 near', '2 slow']);
    expect(places(run({ fast: 1000, near: 985, slow: 970 }, 2))).toEqual(['=1 fast', '=1 near', '=1 slow']);
    expect(analyse(run({ fast: 1000, near: 985 }, 1)).scenarios[0]?.best).toBeNull();
    expect(analyse(run({ fast: 1000, slow: 970 }, 1)).scenarios[0]?.best).toBe('fast');
  });
  test.each([48, 300])('p95 and p99 of one start each, at %i rps: nobody is surely better', (offeredRps) => {
    const tails = (instances: number) => {
      const servers = [4, 8].map((ms) => ({ id: `${ms} ms`, rps: 60, p50Ms: ms, sigma: 0.1, cpuMs: ms }));
      return makeResults({ servers, offeredRps, instances, seconds: 5, scenario: { blocks: 4 } });
    };
    expect(places(tails(4))).toEqual(['1 4 ms', '2 8 ms']);
    expect(places(tails(1))).toEqual(['=1 4 ms', '=1 8 ms']);
    expect(analyse(tails(1)).scenarios[0]).toMatchObject({
      best: null,
      metric: offeredRps === 48 ? 'p95' : 'p99',
    });
  });
  test('nobody is best in a tie; who is ahead of all is', () => {
    expect(analyse(results).scenarios[0]?.best).toBeNull();
    expect(analyse(run({ a: 900, b: 1000, c: 950 })).scenarios[0]).toMatchObject({
      best: 'b',
      cheapest: 'b',
    });
    expect(analyse(run({ a: 900 })).scenarios[0]).toMatchObject({ best: null, cheapest: null });
  });
  test('a difference below 1 % is a tie, however sure', () => {
    expect(places(run({ a: 1000, b: 991.5 }, 30))).toEqual(['=1 a', '=1 b']);
    expect(places(run({ a: 1000, b: 985 }, 30))).toEqual(['1 a', '2 b']);
  });
  test('neighbours that do not surely differ do not lift each other', () => {
    // a is surely ahead of c; b surely differs from neither.
    expect(places(run({ a: 1000, b: 993, c: 986 }, 30))).toEqual(['=1 a', '=1 b', '2 c']);
  });
  test('who is behind one that is behind is behind the first, too', () => {
    // a and c have only four starts in common, in which they go apart; b is surely between them.
    const results = makeResults({
      servers: ['a', 'b', 'c'].map((id) => ({ id, rps: 60 })),
      instances: 12,
      scenario: { blocks: 1 },
      change({ measurements }) {
        for (const slice of measurements) {
          const turn = 0.005 * (-1) ** slice.instance;
          const log = { a: 0.013 + turn, b: 0, c: -0.013 - turn }[slice.variant] as number;
          slice.achievedRps = 1000 * Math.exp(log);
          const used = { a: slice.instance < 8, b: true, c: slice.instance > 3 }[slice.variant];
          if (!used) slice.guards.stallMs = 99;
        }
      },
    });
    expect(analyse(results).scenarios[0]).toMatchObject({ basis: 'paired', best: 'a' });
    expect(places(results)).toEqual(['1 a', '2 b', '3 c']);
  });
});
