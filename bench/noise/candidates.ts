/** The rules for disturbed windows that were tried, as docs/evidence.md lists them. Pure. */
import { mean, median } from 'simple-statistics';

/** A block: one pair of slices in turns, or both windows of a duet. */
export interface Block {
  /** ln(head ÷ base). */
  diff: number;
  /** Readings of the guards as multiples of their limits; of two windows the worse. */
  foreign: number;
  steal: number;
  stall: number;
  /** Steal of the head less that of the base, as a share; 0 where both were read together. */
  stealDiff: number;
}

/** Blocks of each pair of fresh starts. */
export type Starts = readonly (readonly Block[])[];

/** One value for each pair of starts that is left; null: there is no verdict. */
export type Candidate = (starts: Starts) => number[] | null;

/** With a larger share gone there is no verdict. */
const MAX_GUARDED = 0.25;

const worst = ({ foreign, steal, stall }: Block) => Math.max(foreign, steal, stall);

function keep(starts: Starts, isGood: (block: Block) => boolean): Candidate {
  const all = starts.flat();
  const good = starts.map((blocks) => blocks.filter(isGood));
  return () => (all.length - good.flat().length > MAX_GUARDED * all.length ? null : meansOf(good));
}

function meansOf(starts: Starts): number[] {
  return starts.filter((blocks) => blocks.length > 0).map((blocks) => mean(blocks.map(({ diff }) => diff)));
}

export const candidates: Record<string, Candidate> = {
  drop: (starts) => keep(starts, (block) => worst(block) <= 1)(starts),
  all: meansOf,
  stall: (starts) => keep(starts, (block) => block.stall <= 1)(starts),
  fallback: (starts) => keep(starts, (block) => worst(block) <= 1)(starts) ?? meansOf(starts),
  weight: (starts) =>
    starts.map((blocks) => {
      const weights = blocks.map((block) => 1 / (1 + worst(block) ** 2));
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return blocks.reduce((total, { diff }, i) => total + diff * (weights[i] as number), 0) / sum;
    }),
  median: (starts) => starts.map((blocks) => median(blocks.map(({ diff }) => diff))),
  steal: takeSteal,
};

/** Subtracts the part that a difference in steal explains, by least squares over the starts. */
function takeSteal(starts: Starts): number[] {
  const y = meansOf(starts);
  const x = starts.map((blocks) => mean(blocks.map(({ stealDiff }) => stealDiff)));
  const [centerX, centerY] = [mean(x), mean(y)];
  const xx = x.reduce((sum, value) => sum + (value - centerX) ** 2, 0);
  const xy = x.reduce((sum, value, i) => sum + (value - centerX) * ((y[i] as number) - centerY), 0);
  const slope = xx > 0 ? xy / xx : 0;
  return y.map((value, i) => value - slope * (x[i] as number));
}
