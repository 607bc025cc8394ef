import { mean } from 'simple-statistics';
import { QUANTILES, type Quantile } from '../../results/quantiles.ts';
import type { Latency, Measurement, ScenarioFacts, Step } from '../../results/results.ts';
import { estimate } from '../../stats/estimate.ts';
import { fromPercentiles } from '../../stats/histogram.ts';
import { DEFAULT_OK_RATIO } from '../../stats/limits.ts';
import type { Held, Limit, PooledLatency } from '../summary.ts';
import { byInstance, pointsOf, poolLatency, sum } from './pool.ts';

/** One level of a ramp. */
export interface Level {
  /** Requests per second. */
  offered: number;
  /** Right answers per second, less those that only wait longer than the ones before. */
  served: number;
  /** Within the pass criteria, and all but nothing was left over. */
  held: boolean;
  /** Nothing is wrong but that some of it was not even sent, as all clients were waiting for an answer. */
  short: boolean;
  /** How much it counts: its length in levels of the shortest kind. */
  weight: number;
}

/** The highest rate that one ramp, or one search, sustained. */
export interface Knee {
  /** `beyond`: all of it was held, or all that k6 had clients for; `below`: nothing was. */
  kind: Held['kind'];
  rps: number;
  /** The knee lies between these, even if one more level contradicts it. */
  low: number;
  high: number;
}

/** Below this share of what was offered a level was not held. */
export const SERVED = 0.98;
/** With fewer levels there is no ramp. */
const MIN_LEVELS = 4;
/** Levels on its far side that a knee needs: one alone is a stall. */
const MIN_EVIDENCE = 2;
/** A server that does so much more above its knee was not full there: k6 had too few clients. */
const MORE = 1.15;

/**
 * The rate up to which a ramp was sustained: the one split of its levels, into those below and those above, that the
 * fewest levels contradict. It is the most likely one if all levels are misjudged with the same chance: the maximum
 * likelihood estimate of a step function under symmetric misclassification. So a stall or a lucky level moves nothing.
 *
 * @returns null where there is no ramp
 */
export function findKnee(levels: readonly Level[]): Knee | null {
  const sorted = [...levels].sort((a, b) => a.offered - b.offered);
  const rates = sorted.map(({ offered }) => offered);
  if (new Set(rates).size < MIN_LEVELS) return null;
  // costs[k]: weight of what contradicts that the first k levels were held and no other.
  const costs = [sum(sorted, ({ held, weight }) => (held ? weight : 0))];
  for (const { held, weight } of sorted) costs.push((costs.at(-1) as number) + (held ? -weight : weight));
  const least = Math.min(...costs);
  const within = (slack: number) => costs.flatMap((cost, k) => (cost < least + slack + 1e-9 ? [k] : []));
  const [bottom, top] = [rates[0] as number, rates.at(-1) as number];
  const rateAt = (k: number) => rates[k - 1] ?? 0;
  const possible = within(MIN_EVIDENCE - 1);
  if (possible.includes(rates.length)) return { kind: 'beyond', rps: top, low: top, high: top };
  if (possible.includes(0)) return { kind: 'below', rps: bottom, low: 0, high: bottom };
  const best = within(0);
  const rps = (rateAt(best[0] as number) + rateAt(best.at(-1) as number)) / 2;
  const most = servedAbove(sorted.slice(best[0]));
  if (most > MORE * rps) return { kind: 'beyond', rps: most, low: most, high: most };
  return {
    ...{ kind: 'found', rps },
    low: rateAt(possible[0] as number),
    high: rateAt((possible.at(-1) as number) + 1),
  };
}

/** Served rate of levels that lacked only clients: the third best, as one or two prove nothing. */
function servedAbove(levels: readonly Level[]): number {
  const served = levels.flatMap((level) => (level.short ? [level.served] : []));
  return served.sort((a, b) => b - a)[MIN_EVIDENCE] ?? 0;
}

type Judged = Pick<Measurement, 'steps' | 'requests' | 'iterations'>;

/** The levels of a slice up to the end of its highest rate; empty in the closed model. */
export function levelsOf(slice: Judged, slo: ScenarioFacts['slo']): Level[] {
  const rising = risingSteps(slice);
  const shortest = Math.min(...rising.map(({ durationMs }) => durationMs));
  return rising.map((step, i): Level => {
    const seconds = step.durationMs / 1000;
    const offered = offeredBy(slice, step) as number;
    const right = step.requests - step.failures;
    const served = right / seconds / (1 + growthBetween(rising[i - 1], step));
    // One request may fall behind the level's end.
    const isServed = (rate: number) => served >= SERVED * rate - 1 / seconds;
    const kept = keeps(step, right, slo);
    return {
      ...{ offered, served, held: kept && isServed(offered), weight: step.durationMs / shortest },
      short: kept && !isServed(offered) && isServed(step.requests / seconds),
    };
  });
}

function risingSteps({ steps }: Judged): Step[] {
  const open = steps.filter(({ offeredRps }) => offeredRps !== null);
  const top = Math.max(...open.map(({ offeredRps }) => offeredRps as number));
  return open.slice(0, open.findLastIndex(({ offeredRps }) => offeredRps === top) + 1);
}

/**
 * Iterations are offered, requests are answered: how many of the one make one of the other. A script may end its
 * iteration at a wrong answer, so steps without one decide. They need enough iterations, as one may fall behind the end.
 */
function perIteration({ requests, iterations, steps }: Judged): number {
  if (iterations === 0) return 1;
  const whole = requests / iterations;
  if (whole === 1 || steps.every(({ failures }) => failures === 0)) return whole;
  const right = steps.filter(({ offeredRps, failures }) => offeredRps !== null && failures === 0);
  const begun = sum(right, (step) => ((step.offeredRps ?? 0) * step.durationMs) / 1000 - step.dropped);
  return begun * (1 - SERVED) < 1 ? whole : sum(right, (step) => step.requests) / begun;
}

/** Requests per second that a step offers; null for the closed model. */
export function offeredBy(slice: Judged, step: Step): number | null {
  return step.offeredRps === null ? null : step.offeredRps * perIteration(slice);
}

/**
 * By how much longer each request takes than the one a second before, in seconds. If a queue grows, that is exactly
 * arrivals ÷ service − 1. Requests that arrive at t are answered at t + W(t), so answers come at λ ÷ (1 + W′). A
 * server that is full shows it long before anything is refused.
 */
function growthBetween(before: Step | undefined, { offsetMs, durationMs, latency }: Step): number {
  if (!before?.latency || !latency) return 0;
  const apartMs = offsetMs + durationMs / 2 - (before.offsetMs + before.durationMs / 2);
  return apartMs > 0 ? Math.max(0, (latency.avgMs - before.latency.avgMs) / apartMs) : 0;
}

/** Whether so many requests, of which so many were answered right, are within the pass criteria. */
export function keeps(
  { requests, latency }: Pick<Step, 'requests'> & { latency: Pick<Latency, `${Quantile}Ms`> | null },
  right: number,
  slo: ScenarioFacts['slo'],
): boolean {
  const needed = slo.okRatio ?? DEFAULT_OK_RATIO;
  const late = QUANTILES.some((quantile) => {
    const limit = slo[`${quantile}Ms`];
    return latency !== null && limit !== undefined && latency[`${quantile}Ms`] > limit;
  });
  return !late && requests > 0 && right >= needed * requests;
}

/**
 * The knee of a variant from all its ramps: their mean, and whichever is wider of the t interval over fresh starts and
 * the levels between which the knees lie. It is a lower bound if most ramps were sustained to their end, or the load
 * generator gave in first.
 */
export function poolKnees(slices: readonly Measurement[], slo: ScenarioFacts['slo']): Held | null {
  const instances = byInstance(slices).map((own) =>
    own.flatMap((slice) => {
      const levels = levelsOf(slice, slo);
      const knee = findKnee(levels);
      if (knee === null) return [];
      const isBound = knee.kind === 'found' && slice.generator.bound;
      const isWhole = levels.every(({ offered }) => offered <= knee.rps);
      return [{ ...knee, ...(isBound && { kind: 'beyond' as const }), isWhole, slice }];
    }),
  );
  const pooled = poolLimits(instances);
  const ramps = instances.flat();
  // A start that sustained nothing has no point of its own: all of it counts, up to that of all.
  const own = new Map(
    ramps.flatMap(({ slice, rps, kind }) => (kind === 'below' ? [] : [[slice, rps] as const])),
  );
  return (
    pooled && {
      ...pooled,
      ramps: ramps.length,
      isWhole: ramps.every(({ isWhole }) => isWhole),
      upTo:
        pooled.kind === 'below'
          ? null
          : poolUpTo(slices, (slice) => Math.min(pooled.value, own.get(slice) ?? Infinity)),
    }
  );
}

/** Knees of each start together; null when there is none. */
export function poolLimits(instances: readonly (readonly Knee[])[]): Limit | null {
  const knees = instances.flat();
  const pooled = estimate(instances.map((own) => own.map(({ rps }) => rps)));
  if (pooled === null) return null;
  const most = (['beyond', 'below'] as const).find(
    (kind) => 2 * knees.filter((knee) => knee.kind === kind).length > knees.length,
  );
  const between = mean(knees.map(({ low, high }) => (high - low) / 2));
  return {
    ...pooled,
    kind: most ?? 'found',
    // A bound of all has no interval; where only most are, the others show how far starts lie apart.
    half: knees.every(({ kind }) => kind === most) ? null : Math.max(pooled.half ?? 0, between),
  };
}

/** Requests and answers on the levels up to the rate of each slice, in requests per second. */
function poolUpTo(slices: readonly Measurement[], rpsOf: (slice: Measurement) => number): Held['upTo'] {
  const steps = slices.flatMap((slice) => {
    const rps = rpsOf(slice);
    return risingSteps(slice).filter((step) => (offeredBy(slice, step) as number) <= rps);
  });
  const requests = sum(steps, (step) => step.requests);
  return {
    requests,
    okRatio: requests > 0 ? sum(steps, (step) => step.requests - step.failures) / requests : null,
    latency: poolSteps(steps),
  };
}

/** Latency of steps together. The distribution of each is known by its percentiles only. */
export function poolSteps(steps: readonly Step[]): PooledLatency | null {
  const parts = steps.flatMap(({ latency, requests: n }) => {
    if (latency === null) return [];
    return [{ latency, histogram: fromPercentiles(pointsOf(latency), n) }];
  });
  return poolLatency(parts);
}
