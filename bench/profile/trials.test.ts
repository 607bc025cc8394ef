import { expect, test } from 'vitest';
import { formatTrials, type Trial } from './trials.ts';

const trial = (share: number, us: number | null, more: object = {}): Trial => ({
  ...{ at: '2026-11-24', runtime: 'swoole', app: 'plain', seed: 1, share, function: 'work7', seconds: 150 },
  ...{ starts: 4, samples: { variant: 900, base: 900 }, perRequestUs: { variant: 4200, base: 4000 } },
  ...{ overhead: 0.03, every: { least: 1, most: 2 }, changeUs: 200, isSure: true },
  ...{ named: us === null ? [] : [{ function: 'work7', us }], first: us !== null },
  ...more,
});

test('a row shows how often the function was named, and how near its time is to that of the verdict', () => {
  const table = formatTrials([
    ...[trial(0.05, 190), trial(0.05, 130), trial(0.05, null), trial(0.1, 210), trial(0, null)],
    // There is no verdict to compare with.
    trial(0.1, 900, { isSure: false, overhead: 0.05 }),
  ]);
  expect(table.split('\n')[2]).toBe(
    '| plain | `swoole` | 2 of 3 | 2 of 2 | 0 of 1 | 2 of 3 | 0.95 | 3.0 % |',
  );
});

test('trials without a profile are counted below', () => {
  const { named: _, ...rest } = trial(0.05, 1) as Extract<Trial, { named: unknown }>;
  expect(formatTrials([trial(0.05, 190), { ...rest, failed: 'no server' } as Trial])).toContain(
    'Without a profile: 1',
  );
});
