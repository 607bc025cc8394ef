import { mean } from 'simple-statistics';
import type { Comparison } from '../results/results.ts';
import { ALPHA } from '../stats/limits.ts';
import { tCritical } from '../stats/student.ts';
import type { TrendPoint } from './trend-model.ts';

/** The change on one kind of machine: the difference of its means of logarithms. */
interface Said {
  difference: number;
  before: readonly number[];
  behind: readonly number[];
}

/**
 * The values behind a change ÷ those before it. Each kind of machine has a level of its own and is taken by itself; the
 * more runs it has on both sides, the more it weighs. The 99 % interval is that of Welch (1947), with the variances on
 * either side pooled over the machines. It is null if it cannot be known. The ratio is null, too, if no machine was on
 * both sides.
 */
export function compareLevels(
  before: readonly TrendPoint[],
  behind: readonly TrendPoint[],
): Pick<Comparison, 'ratio' | 'interval'> {
  const logsOn = (points: readonly TrendPoint[], on: string) =>
    points.flatMap(({ machine, value }) => (machine === on ? [Math.log(value)] : []));
  const said = [...new Set(before.map(({ machine }) => machine))].flatMap((machine): Said[] => {
    const [a, b] = [logsOn(before, machine), logsOn(behind, machine)];
    return b.length === 0 ? [] : [{ difference: mean(b) - mean(a), before: a, behind: b }];
  });
  if (said.length === 0) return { ratio: null, interval: null };
  const weights = said.map((s) => (s.before.length * s.behind.length) / (s.before.length + s.behind.length));
  const whole = sum(weights);
  const shares = weights.map((weight) => weight / whole);
  const difference = sum(said.map((s, i) => s.difference * (shares[i] as number)));
  const ratio = Math.exp(difference);
  const sides = (['before', 'behind'] as const).map((side) => {
    const df = sum(said.map((s) => s[side].length - 1));
    const squares = sum(said.map((s) => sumSquares(s[side])));
    return {
      df,
      error: (squares / df) * sum(said.map((s, i) => (shares[i] as number) ** 2 / s[side].length)),
    };
  });
  const variance = sum(sides.map(({ error }) => error));
  // Not a number where every machine has but one run on a side.
  if (!(variance > 0)) return { ratio, interval: null };
  const df = variance ** 2 / sum(sides.map(({ error, df }) => error ** 2 / df));
  const half = Math.sqrt(variance) * tCritical(ALPHA, df);
  const [low, high] = [Math.exp(difference - half), Math.exp(difference + half)];
  return { ratio, interval: { low, high, level: 1 - ALPHA } };
}

function sumSquares(values: readonly number[]): number {
  const middle = mean([...values]);
  return sum(values.map((value) => (value - middle) ** 2));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
