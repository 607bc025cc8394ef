import { median } from 'simple-statistics';
import { compareLevels } from './trend-levels.ts';
import type { ChangedSide, LevelChange, Trend, TrendPoint } from './trend-model.ts';

/** Share of a change that the others must have made as well, or not made, for it to be clear whose it is. */
const CLEAR = 2 / 3;

/** Absolute numbers of both sides of a ratio, of all machines. */
interface Sides {
  variant: readonly TrendPoint[];
  reference: readonly TrendPoint[];
}

/**
 * Which side of a ratio has changed. A change of the reference shows in the ratio of every variant to it. A change of
 * a variant shows only in its own. So the median of the others decides. If there are no others, or they
 * differ, it is the side whose own numbers surely changed on machines of the same kind, if the other's did not.
 *
 * @param peers ratios of other variants to the same reference
 */
export function findChangedSide(
  trend: Trend,
  change: LevelChange,
  peers: readonly (readonly TrendPoint[])[],
  own: Sides,
): ChangedSide {
  const size = Math.log(change.ratio ?? 1);
  const around = windowOf(trend, change);
  const seen = peers.flatMap((points) => compare(points, around).ratio ?? []).map(Math.log);
  const share = seen.length > 0 ? median(seen) / size : 0.5;
  if (share >= CLEAR) return 'reference';
  if (share <= 1 - CLEAR) return 'variant';
  const variant = moved(compare(own.variant, around), size);
  const reference = moved(compare(own.reference, around), -size);
  if (variant === reference) return 'unclear';
  return variant ? 'variant' : 'reference';
}

/** Whether it surely changed in that direction. */
function moved({ interval }: Pick<LevelChange, 'interval'>, direction: number): boolean {
  return interval !== null && (direction > 0 ? interval.low > 1 : interval.high < 1);
}

/** Unix ms: from the begin of the level before a change to the end of the level behind it. */
interface Around {
  from: number;
  at: number;
  to: number;
}

/** In the middle between runs, as others may have been measured on other machines some minutes apart. */
function windowOf({ points, changes }: Trend, { at }: LevelChange): Around {
  const starts = [0, ...changes.map((change) => change.at), points.length];
  const i = starts.indexOf(at);
  const time = (point: TrendPoint | undefined, none: number) => (point ? Date.parse(point.date) : none);
  const [first, last] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const edge = (start = 0) => (time(points[start - 1], first) + time(points[start], last)) / 2;
  return { from: i > 1 ? edge(starts[i - 1]) : first, at: edge(at), to: edge(starts[i + 1]) };
}

function compare(points: readonly TrendPoint[], { from, at, to }: Around) {
  const within = (low: number, high: number) =>
    points.filter(({ date }) => Date.parse(date) >= low && Date.parse(date) < high);
  return compareLevels(within(from, at), within(at, to));
}
