import type { Config, Scenario } from '../../config/types.ts';
import { UserError } from '../../errors.ts';
import { keepsWorkers, type PlannedVariant } from '../variants.ts';
import { defaultVus, type LoadStep } from './load-steps.ts';
import type { Batch } from './slices.ts';
import { DRAIN_MS, WHOLE } from './timeline.ts';

/** Searches that `capacity` adds to the first instance. The run picks the rates; the plan limits their number. */
export interface PlannedSearches {
  /** One for each variant and scenario. */
  searches: number;
  /** The most probes that one search makes. */
  probes: number;
  probeMs: number;
  /** All of them, with the time that late answers are waited for, ms. */
  atMostMs: number;
}

/** The start of a search: what a variant did in the load of its scenario. */
export interface Seed {
  /** Requests per second. */
  rps: number;
  /** Half of the requests take less where nothing waits. */
  typicalMs: number;
  /** A request takes so long on average where nothing waits: clients wait for the slow ones, too. */
  meanMs: number;
  /** Requests that one iteration makes, above 0. */
  perIteration: number;
}

/** A search makes at most so many probes. */
export const MAX_PROBES = 12;
/** How long a rate is tried, in steps of a second, so that a queue which grows shows; the first of them is not judged. */
export const PROBE_MS = 5000;
const STEP_MS = 1000;
/** Clients for so many times as long as a request takes on average: where all of them wait, it is the server that is late. */
const PATIENCE = 3;

/** Null: nothing is to be searched. Errors: a load of the script itself has no rate to begin with. */
export function planSearches(
  { capacity, scenarios }: Pick<Config, 'capacity' | 'scenarios'>,
  variants: readonly PlannedVariant[],
  overheadMs: number,
): PlannedSearches | null {
  if (!capacity) return null;
  const own = scenarios.find(({ load }) => load === null);
  if (own) {
    throw new UserError('does not work with a load that a k6 script defines', {
      where: { name: 'capacity' },
      found: `scenario '${own.name}'`,
      hint: "set a load, such as --load 'vus(8, 1s)'",
    });
  }
  const eachMs = scenarios.map(({ timeoutMs }) => overheadMs + PROBE_MS + timeoutMs);
  return {
    searches: variants.length * scenarios.length,
    probes: MAX_PROBES,
    probeMs: PROBE_MS,
    atMostMs: variants.length * MAX_PROBES * eachMs.reduce((sum, ms) => sum + ms, 0),
  };
}

/** How long the searches of an instance may take, ms. Only the first has some: the others are for comparing. */
export function searchesMs(
  { index }: { index: number },
  { searches }: { searches: PlannedSearches | null },
): number {
  return index === 0 ? (searches?.atMostMs ?? 0) : 0;
}

/**
 * One rate on one variant, by a k6 process of its own.
 *
 * @param rps requests per second
 */
export function planProbe(
  scenario: Scenario,
  variant: PlannedVariant,
  rps: number,
  { meanMs, perIteration }: Pick<Seed, 'meanMs' | 'perIteration'>,
  number: number,
): Batch {
  const load = { rps: rps / perIteration, vus: countClients(scenario, variant, rps, meanMs), requests: null };
  const steps = Array.from(
    { length: PROBE_MS / STEP_MS },
    (_, i): LoadStep => ({ offsetMs: i * STEP_MS, durationMs: STEP_MS, ...load }),
  );
  const slice = { ...WHOLE, number, variant: variant.id, block: 0, warmup: false, startMs: 0 };
  return { scenario, slices: [{ ...slice, durationMs: PROBE_MS, steps }], drainMs: DRAIN_MS };
}

/**
 * More clients than this only make a longer queue, which the next probe would find still there. If each kept connection
 * takes a worker, clients beyond the number of workers would wait at any rate.
 */
function countClients(scenario: Scenario, variant: PlannedVariant, rps: number, meanMs: number): number {
  const { timeoutMs, maxVus = Infinity } = scenario;
  const patient = Math.ceil((rps * Math.min(timeoutMs, PATIENCE * meanMs)) / 1000) + 1;
  return Math.min(Math.max(defaultVus(rps, timeoutMs), patient), maxVus, countServed(scenario, variant));
}

/** Clients that a server has workers for. Infinity: any number, as no connection keeps a worker. */
export function countServed({ reuse }: Pick<Scenario, 'reuse'>, variant: PlannedVariant): number {
  const workers = reuse && keepsWorkers(variant) ? Number(variant.options.workers) : NaN;
  return Number.isInteger(workers) ? workers : Infinity;
}
