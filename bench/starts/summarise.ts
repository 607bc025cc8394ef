import { tCritical } from '../../src/stats/student.ts';

/** Numbers of one start in one window, a line of study.ts. */
export interface Reading {
  round: string;
  arm: string;
  start: number;
  window: string;
  /** Length of a turn, ms; 0: all starts were loaded together. */
  turnMs: number;
  requests: number;
  failures?: number;
  cpuUs: number;
}

export interface Line {
  arm: string;
  turnMs: number;
  rounds: number;
  usPerRequest: number;
  /** SD of ln(CPU per request) of one start in one window about the mean of the starts in it, %. */
  totalPercent: number;
  /** The part of it that the same start shows in every window, %; null with one such window in a round. */
  startPercent: number | null;
  /** Upper end of its 95 % interval (one-sided), %. */
  startBelowPercent: number | null;
}

/**
 * Only windows in which all starts answered. A start without requests has no pair in other windows, and a failed request
 * costs less than an answer.
 */
function answered(rows: readonly Reading[]): Reading[] {
  return [...Map.groupBy(rows, (row) => `${row.turnMs} ${row.round} ${row.window}`).values()]
    .filter((window) => window.every(({ requests, failures = 0 }) => requests > 0 && failures === 0))
    .flat();
}

/**
 * Splits the spread between starts into a part of the start and a part of the window. The part of a start appears in
 * all windows. Its variance is thus the covariance of the same start's deviations in two windows. Noise of one
 * window is not in it, however it is distributed. Each round gives an estimate; the interval is Student's over rounds.
 */
export function summarise(rows: readonly Reading[]): Line[] {
  const lines: Line[] = [];
  for (const [arm, ofArm] of Map.groupBy(rows, (row) => row.arm)) {
    for (const [turnMs, ofTurn] of Map.groupBy(answered(ofArm), (row) => row.turnMs)) {
      const rounds = [...Map.groupBy(ofTurn, (row) => row.round).values()].map(splitRound);
      const shares = rounds.flatMap(({ start }) => (start === null ? [] : [start]));
      lines.push({
        arm,
        turnMs,
        rounds: rounds.length,
        usPerRequest: sum(ofTurn.map((row) => row.cpuUs)) / sum(ofTurn.map((row) => row.requests)),
        totalPercent: root(mean(rounds.map(({ total }) => total))),
        startPercent: shares.length > 0 ? root(mean(shares)) : null,
        startBelowPercent: shares.length > 1 ? root(upperEnd(shares)) : null,
      });
    }
  }
  return lines.sort((a, b) => a.arm.localeCompare(b.arm) || b.turnMs - a.turnMs);
}

/** Upper end of the one-sided 95 % interval of a mean. */
function upperEnd(values: readonly number[]): number {
  return mean(values) + (tCritical(0.1, values.length - 1) * sd(values)) / Math.sqrt(values.length);
}

/** Variances of ln(CPU per request) in one round: of a start in a window, and of what it keeps from window to window. */
function splitRound(rows: readonly Reading[]): { total: number; start: number | null } {
  const windows = [...Map.groupBy(rows, (row) => row.window).values()].map((window) => {
    const logs = window
      .toSorted((a, b) => a.start - b.start)
      .map((row) => Math.log(row.cpuUs / row.requests));
    const middle = mean(logs);
    return logs.map((log) => log - middle);
  });
  const df = (windows[0]?.length ?? 0) - 1;
  const product = (a: readonly number[], b: readonly number[]) =>
    sum(a.map((x, i) => x * (b[i] as number))) / df;
  const pairs = windows.flatMap((a, i) => windows.slice(i + 1).map((b) => product(a, b)));
  return { total: mean(windows.map((a) => product(a, a))), start: pairs.length > 0 ? mean(pairs) : null };
}

/** Root of a variance in %; an estimate of a variance can fall below 0, where there is none. */
function root(variance: number): number {
  return 100 * Math.sqrt(Math.max(0, variance));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sd(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
}
