import { expect, test } from 'vitest';
import { type Reading, summarise } from './summarise.ts';

/** A round of `windows` × starts with these deviations of ln(CPU per request) in %. */
function round(name: string, deviations: readonly (readonly number[])[]): Reading[] {
  return deviations.flatMap((window, w) =>
    window.map((percent, start) => ({
      ...{ round: name, arm: 'apache', start, window: `w${w}`, turnMs: 100, requests: 1000 },
      // A level of its own for each window, as the machine's speed changes.
      cpuUs: 300_000 * (1 + w) * Math.exp(percent / 100),
    })),
  );
}

test('a start that is slower in every window is the whole spread', () => {
  const [line] = summarise(
    round('r', [
      [1, -1],
      [1, -1],
      [1, -1],
    ]),
  );
  expect(line?.totalPercent).toBeCloseTo(Math.SQRT2, 9);
  expect(line?.startPercent).toBeCloseTo(Math.SQRT2, 9);
});

test('what changes from window to window is not the start', () => {
  // Orthogonal: the covariance of any two of these windows is 0.
  const windows = [
    [1, -1, 1, -1],
    [1, 1, -1, -1],
    [1, -1, -1, 1],
  ];
  const [line] = summarise(round('r', windows));
  expect(line?.totalPercent).toBeCloseTo(Math.sqrt(4 / 3), 9);
  expect(line?.startPercent).toBeCloseTo(0, 9);
});

test('the interval is over rounds', () => {
  const steady = [
    [1, -1],
    [1, -1],
  ];
  const equal = [
    [0, 0],
    [0, 0],
  ];
  const lines = (rounds: number[][][]) => summarise(rounds.flatMap((windows, i) => round(`r${i}`, windows)));
  expect(lines([steady, steady])[0]).toMatchObject({
    rounds: 2,
    startBelowPercent: expect.closeTo(Math.SQRT2, 9),
  });
  // Variances 2 and 0 in %²: mean 1, SD √2, t(95 %, 1) = 6.3138.
  const [mixed] = lines([steady, equal]);
  expect(mixed?.startPercent).toBeCloseTo(1, 9);
  expect(mixed?.startBelowPercent).toBeCloseTo(Math.sqrt(1 + 6.313752), 4);
});

test('one window shows nothing of what stays', () => {
  expect(summarise(round('r', [[1, -1]]))[0]).toMatchObject({ startPercent: null, startBelowPercent: null });
});

test.each<[string, Partial<Reading>]>([
  ['was not asked', { requests: 0 }],
  ['failed once', { failures: 1 }],
])('a window in which a start %s is left out', (_, fault) => {
  const rows = round('r', [
    [1, -1],
    [5, -5],
    [1, -1],
  ]);
  const whole = rows.filter(({ window }) => window !== 'w1');
  const faulty = rows.map((row) => (row.window === 'w1' && row.start === 0 ? { ...row, ...fault } : row));
  expect(summarise(faulty)).toEqual(summarise(whole));
});
