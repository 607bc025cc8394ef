/** CPU time of a process so far, s, and requests that were answered, at a time, ms. */
export interface Reading {
  atMs: number;
  cpuSeconds: number;
  served: number;
}

/** One turn of one arm. */
export interface Turn {
  arm: number;
  cpuSeconds: number;
  requests: number;
}

/** Turns of `arms` arms: in random order and back again, so that what drifts falls to all alike. */
export function drawTurns(arms: number, turns: number, random: () => number = Math.random): number[] {
  const order: number[] = [];
  while (order.length < turns) {
    const there = Array.from({ length: arms }, (_, arm) => ({ arm, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ arm }) => arm);
    order.push(...there, ...there.toReversed());
  }
  return order.slice(0, turns);
}

/**
 * CPU time and requests of each turn. At `pauseMs` before the end of a turn its clients stop, so any reading from within the
 * pause is exact. The middle of the pause lies between two readings.
 */
export function cutTurns(
  readings: readonly Reading[],
  order: readonly number[],
  { startMs, turnMs, pauseMs }: { startMs: number; turnMs: number; pauseMs: number },
): Turn[] {
  const bounds = Array.from({ length: order.length + 1 }, (_, turn) =>
    readAt(readings, startMs + turn * turnMs - pauseMs / 2),
  );
  return order.map((arm, turn) => {
    const [from, to] = [bounds[turn], bounds[turn + 1]] as [Reading, Reading];
    return { arm, cpuSeconds: to.cpuSeconds - from.cpuSeconds, requests: to.served - from.served };
  });
}

function readAt(readings: readonly Reading[], atMs: number): Reading {
  const i = readings.findIndex((reading) => reading.atMs >= atMs);
  const [before, after] = [readings[i - 1], readings[i]];
  if (!before || !after) throw new Error(`no CPU time was read around ${atMs} ms`);
  return atMs - before.atMs < after.atMs - atMs ? before : after;
}
