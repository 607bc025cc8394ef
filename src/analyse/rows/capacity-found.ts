import { linearRegression } from 'simple-statistics';
import { MAX_PROBES } from '../../plan/timeline/capacity-plan.ts';
import { eachQuantile, percentOf } from '../../results/quantiles.ts';
import {
  type Measurement,
  OTHER_ANSWERS,
  type Probe,
  type ScenarioFacts,
  type Search,
  type Step,
} from '../../results/results.ts';
import type { Capacity } from '../summary.ts';
import { type Knee, keeps, poolLimits, poolSteps, SERVED } from './knee.ts';
import { percentileOf, sum } from './pool.ts';

/** It is done when the lowest rate that was missed is at most so many times the highest that was held. */
const RESOLUTION = 1.04;
/** Until there is one of either, each rate is so many times the one before: this, its square, the square of that, … */
const STRIDE = 1.08;
const MAX_STRIDE = 4;
/** Requests per second between which a search stays: those that a load may ask for. */
const [LEAST_RPS, MOST_RPS] = [1, 1_000_000];
/**
 * The server had not given in if half of the requests took less than so many times the usual time. It matters if no
 * client was free.
 */
const SLOWER = 1.5;
const NO_CLIENT = 'all clients were busy, although answers were fast';

type Tried = Pick<Probe, 'offeredRps' | 'held'>;

/** The highest rate that was held (0: none yet), and the lowest above it that was missed (Infinity: none yet). */
function bracketOf(probes: readonly Tried[]): { low: number; high: number } {
  const low = Math.max(0, ...probes.map(({ held, offeredRps }) => (held ? offeredRps : 0)));
  const missed = probes.filter(({ held, offeredRps }) => !held && offeredRps > low);
  return { low, high: Math.min(Infinity, ...missed.map(({ offeredRps }) => offeredRps)) };
}

/**
 * The rate to try next. First it moves away from the first rate in growing strides, until one is sustained and one
 * above it missed. Then it is the geometric mean of the two, until they are close. One bad probe may be a stall, so the
 * rate that ends the search is tried a second time. If that succeeds, it counts as sustained, and the search goes on
 * above it.
 *
 * @param seedRps where to begin: what the variant did in its own load
 * @returns requests per second, three digits; null: the search is over
 */
export function nextRate(seedRps: number, probes: readonly Tried[]): number | null {
  if (probes.length === 0) return toRate(seedRps);
  if (probes.length >= MAX_PROBES) return null;
  const { low, high } = bracketOf(probes);
  const isDoubtful = high < Infinity && probes.filter(({ offeredRps }) => offeredRps === high).length === 1;
  const stride = Math.min(MAX_STRIDE, STRIDE ** (2 ** (countStrides(probes) - 1)));
  const next = toRate(high === Infinity ? low * stride : low === 0 ? high / stride : Math.sqrt(low * high));
  const isOpen = high > low * RESOLUTION && next > low && next < high;
  // The last probe is kept for the rate that ends the search.
  if (isOpen && !(isDoubtful && probes.length === MAX_PROBES - 1)) return next;
  return isDoubtful ? high : null;
}

/** Rates since the last one that was tried again: from there on the search is a new one. */
function countStrides(probes: readonly Tried[]): number {
  const rates = probes.map(({ offeredRps }) => offeredRps);
  const again = rates.findLastIndex((rps, i) => rates.indexOf(rps) < i);
  return new Set(rates.slice(Math.max(0, again))).size;
}

function toRate(rps: number): number {
  return Math.min(MOST_RPS, Math.max(LEAST_RPS, Number(rps.toPrecision(3))));
}

/**
 * Result of one probe. Its first step is left out: it is there for pools that grow on demand. As with a ramp
 * (`levelsOf`), answers of a growing queue come at λ ÷ (1 + W′); W′ is the slope of the steps' average latency.
 *
 * @param rps what was offered, requests per second
 * @param typicalMs how long a request takes where nothing waits
 * @param died what its server died of meanwhile
 * @param served clients that its server has workers for: if so many are busy, it is full
 */
export function judgeProbe(
  {
    steps,
    outcome,
    reason,
    code,
    generator,
  }: Pick<Measurement, 'steps' | 'outcome' | 'reason' | 'code' | 'generator'>,
  rps: number,
  slo: ScenarioFacts['slo'],
  typicalMs: number,
  died: string | null,
  served: number,
): Probe {
  const judged = steps.slice(1);
  const seconds = sum(judged, ({ durationMs }) => durationMs) / 1000;
  const requests = sum(judged, (step) => step.requests);
  const failures = sum(judged, (step) => step.failures);
  const latency = percentilesOf(judged);
  const right = requests - failures;
  const servedRps = seconds > 0 ? right / seconds / (1 + slopeOf(judged)) : 0;
  // One request may fall behind the end.
  const isServed = (offered: number) => seconds > 0 && servedRps >= SERVED * offered - 1 / seconds;
  const why = outcome === 'void' ? (reason ?? 'nothing was measured') : null;
  // That is the app's doing, as a page that shows it is busy.
  const others = code === OTHER_ANSWERS ? why : null;
  const isVoid = others === null ? why : null;
  // Nothing was wrong with what was sent, but some of it was not.
  const clients = Math.max(0, ...judged.map(({ vus }) => vus ?? 0));
  const isFast = latency !== null && latency.p50Ms < SLOWER * typicalMs;
  const isShort = !isServed(rps) && isServed(requests / seconds) && isFast && clients < served;
  const isKept = why === null && died === null && keeps({ requests, latency }, right, slo);
  return {
    ...{ offeredRps: rps, servedRps, requests, failures, latency, died },
    dropped: sum(judged, (step) => step.dropped),
    held: isKept && isServed(rps),
    generator: isVoid ?? (generator.bound ? generator.reasons.join('; ') : isShort ? NO_CLIENT : null),
    ...(others !== null && { others }),
  };
}

function percentilesOf(steps: readonly Step[]): Probe['latency'] {
  const pooled = poolSteps(steps);
  if (pooled === null) return null;
  return eachQuantile((quantile) => percentileOf(pooled, percentOf(quantile)) as number, 'Ms');
}

/** By how much longer requests take with every second, in seconds, over all steps: a line through their averages. */
function slopeOf(steps: readonly Step[]): number {
  const points = steps.flatMap(({ offsetMs, durationMs, latency }) =>
    latency ? [[offsetMs + durationMs / 2, latency.avgMs]] : [],
  );
  return points.length > 1 ? Math.max(0, linearRegression(points).m) : 0;
}

/**
 * Result of a search: the rates between which the capacity lies. If the server did not end the search, it is the
 * highest rate that was sustained. Null if it found nothing.
 */
export function findCapacity(probes: readonly Probe[]): Knee | null {
  const { low, high } = bracketOf(probes);
  const ends = probes.filter(({ offeredRps }) => offeredRps === high);
  const isItsEnd =
    (ends.length > 1 || ends.some(({ died }) => died !== null)) &&
    ends.every(({ generator }) => generator === null);
  if (low === 0) return isItsEnd ? { kind: 'below', rps: high, low: 0, high } : null;
  if (!isItsEnd) return { kind: 'beyond', rps: low, low, high: low };
  return { kind: 'found', rps: (low + high) / 2, low, high };
}

/** The capacity of a variant from all its searches; null where there is none. */
export function poolCapacity(searches: readonly Search[]): Capacity | null {
  const found = searches.flatMap(({ probes }) => findCapacity(probes) ?? []);
  const pooled = poolLimits(found.map((limit) => [limit]));
  return pooled && { ...pooled, probes: searches.flatMap(({ probes }) => probes) };
}
