import { tCritical } from '../../src/stats/student.ts';
import type { Turn } from './turns.ts';

/** Result of one k6 process: its turns, and how many bodies it read in those of the last arm. */
export interface Round {
  turns: Turn[];
  bodies: number;
}

export interface Estimate {
  value: number;
  /** Half of the 95 % interval. */
  half: number;
}

/** The lowest and highest fifth do not count: a neighbour on the machine took its time then. */
const TRIM = 0.2;

/** Trimmed mean with Yuen's standard error: that of the winsorized sample. */
export function trimmedMean(values: readonly number[]): Estimate {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  const cut = Math.floor(n * TRIM);
  const kept = sorted.slice(cut, n - cut);
  const [least, most] = [kept[0] as number, kept.at(-1) as number];
  const winsorized = sorted.map((value) => Math.min(most, Math.max(least, value)));
  const centre = meanOf(winsorized);
  const variance = winsorized.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (n - 1);
  const error = Math.sqrt(variance / n) / (1 - (2 * cut) / n);
  return { value: meanOf(kept), half: tCritical(0.05, kept.length - 1) * error };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** CPU µs per request of each arm, for each group of turns: every arm there and back. */
export function groupTurns(turns: readonly Turn[], arms: number): number[][] {
  const groups: number[][] = [];
  for (let at = 0; at + 2 * arms <= turns.length; at += 2 * arms) {
    const group = turns.slice(at, at + 2 * arms);
    const of = (arm: number, what: 'cpuSeconds' | 'requests') =>
      group.filter((turn) => turn.arm === arm).reduce((sum, turn) => sum + turn[what], 0);
    groups.push(
      Array.from({ length: arms }, (_, arm) => (1e6 * of(arm, 'cpuSeconds')) / of(arm, 'requests')),
    );
  }
  return groups.filter((group) => group.every(Number.isFinite));
}

/** Cost of an arm beyond that of another, % of the first arm. */
export function excessOf(groups: readonly (readonly number[])[], arm: number, beyond = 0): Estimate {
  return trimmedMean(
    groups.map(
      (group) => (100 * ((group[arm] as number) - (group[beyond] as number))) / (group[0] as number),
    ),
  );
}

/** Bodies that were read per second of load, and the CPU time of each, µs. */
export function readingOf(
  rounds: readonly Round[],
  groups: readonly (readonly number[])[],
  arm: number,
  turnSeconds: number,
): { bodiesASecond: number; us: Estimate } {
  const turns = rounds.flatMap((round) => round.turns.filter((turn) => turn.arm === arm));
  const bodies = rounds.reduce((sum, round) => sum + round.bodies, 0);
  const requests = turns.reduce((sum, turn) => sum + turn.requests, 0);
  const more = trimmedMean(groups.map((group) => (group[arm] as number) - (group[arm - 1] as number)));
  const each = requests / bodies;
  return {
    bodiesASecond: bodies / (turns.length * turnSeconds),
    us: { value: more.value * each, half: more.half * each },
  };
}
