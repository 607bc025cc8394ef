import { expect, test } from 'vitest';
import { makeRandom } from '../../stats/random.ts';
import { shareTurns } from './shares.ts';

/** Turns of 200 ms in random order; while one has its turn the service uses so many µs a ms; read every 100 ms. */
function record(rates: readonly number[], rounds: number, noise = 0, periodMs = 100) {
  const random = makeRandom(7);
  const turns = rates.map((): { fromMs: number; toMs: number }[] => []);
  const order: number[] = [];
  for (let round = 0; round < rounds; round++) {
    order.push(
      ...rates
        .map((_, i) => ({ i, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ i }) => i),
    );
  }
  order.forEach((i, turn) => {
    turns[i]?.push({ fromMs: 1000 + 200 * turn, toMs: 1000 + 200 * (turn + 1) });
  });
  const usedAt = (atMs: number) =>
    order.reduce((sum, i, turn) => {
      const ms = Math.min(200, Math.max(0, atMs - 1000 - 200 * turn));
      return sum + ms * (rates[i] as number);
    }, 0);
  const readings = [];
  // Off the grid of turns, as the sampler's clock is another.
  for (let atMs = 963; atMs < 1000 + 200 * order.length + periodMs; atMs += periodMs) {
    readings.push({ atMs, usedUs: usedAt(atMs) + noise * (random() - 0.5) });
  }
  return { turns, readings };
}

test.each([[[300, 100]], [[100, 100]], [[50, 0]], [[10, 400, 90, 200]]])(
  'rates %j are separated',
  (rates) => {
    const { turns, readings } = record(rates, 5);
    const whole = rates.reduce((sum, rate) => sum + rate, 0);
    expect(shareTurns(readings, turns)).toEqual(rates.map((rate) => expect.closeTo(rate / whole, 9)));
  },
);

test('also with readings as far apart as turns are long, and with noise', () => {
  const coarse = record([300, 100], 5, 0, 230);
  expect(shareTurns(coarse.readings, coarse.turns)).toEqual([
    expect.closeTo(0.75, 9),
    expect.closeTo(0.25, 9),
  ]);
  const noisy = record([300, 100], 25, 2000);
  expect(shareTurns(noisy.readings, noisy.turns)?.[0]).toBeCloseTo(0.75, 1);
});

test('there is no share with too few readings, idle services, or variants that cannot be separated', () => {
  const { turns, readings } = record([300, 100], 5);
  expect(shareTurns(readings.slice(0, 4), turns)).toBeNull();
  expect(
    shareTurns(
      readings.map(({ atMs }) => ({ atMs, usedUs: 5 })),
      turns,
    ),
  ).toBeNull();
  const [own = []] = turns;
  expect(shareTurns(readings, [own, own])).toBeNull();
});
