import type { CompareOptions, Other, RunOptions } from '../config/types.ts';
import { makeRandom } from '../stats/random.ts';
import type { Effort, SliceOrder } from './timeline/budget.ts';
import { makeOrders } from './timeline/orders.ts';
import { setUpSeconds } from './timeline/pass-seconds.ts';
import type { Batch } from './timeline/slices.ts';
import {
  batchMs,
  COMMON_START_MS,
  cutIntoBatches,
  drainFor,
  planSlices,
  retime,
} from './timeline/timeline.ts';
import type { PlannedVariant } from './variants.ts';

/** A fresh start of all containers. */
export interface Instance {
  index: number;
  startOrder: readonly string[];
  /** Variant id → port in the arena. */
  ports: Readonly<Record<string, number>>;
  batches: readonly Batch[];
}

export const FIRST_PORT = 18_080;

/** Options for the timeline, beside the variants. */
export type Timeline = RunOptions & Pick<CompareOptions, 'other' | 'shard'>;

/** @param limit only so many of them */
export function layOutInstances(
  { seed, scenarios, other }: Pick<Timeline, 'seed' | 'scenarios' | 'other'>,
  variants: readonly PlannedVariant[],
  effort: Effort,
  limit = effort.instances,
): Instance[] {
  const random = makeRandom(seed);
  const ids = variants.map((v) => v.id);
  const elastic = new Set(variants.filter(isElastic).map(({ id }) => id));
  const orders = () => makeOrders(ids, random);
  // Which port and which place in an order a variant gets must not favour one: each gets each equally often.
  const [portOrder, startOrder] = [orders(), orders()];
  const pairs = findDuets(other, variants);
  const sliceOrders = scenarios.map(() => ({
    ...{ warmup: orders(), block: orders(), round: orders() },
    duets: new Map(pairs.map((pair) => [pair[0], makeOrders(pair, random)])),
  }));
  let number = 0;
  return Array.from({ length: limit }, (_, index): Instance => {
    const ports = portOrder().map((id, i) => [id, FIRST_PORT + i] as const);
    const batches = scenarios.flatMap((scenario, i) => {
      const order = sliceOrders[i] as (typeof sliceOrders)[number];
      const blocks = effort.blocks[i] as number;
      const planned = { ...scenario, blocks };
      const slices = planSlices(planned, order, (id) => elastic.has(id));
      const numbered = slices.map((slice) => ({ ...slice, number: number++ }));
      const cut = cutIntoBatches(planned, numbered, drainFor(scenario, index === 0 ? null : 0), index === 0);
      // The first shows how long requests take. Only it waits for the timeout.
      return cut.map((batch, i) => (i === 0 ? batch : retime(batch, drainFor(scenario, 0))));
    });
    return { index, startOrder: startOrder(), ports: Object.fromEntries(ports), batches };
  });
}

/**
 * Pairs that may be loaded at once: one app on one runtime at two commits, so that both take their share of the CPUs in
 * the same way. The server of another image is unknown.
 */
function findDuets(other: Other | undefined, variants: readonly PlannedVariant[]): [string, string][] {
  if (other?.kind === 'image') return [];
  return variants.flatMap(({ id, base }): [string, string][] => (base === null ? [] : [[id, base]]));
}

export function orderOf(other: Other | undefined, variants: readonly PlannedVariant[]): SliceOrder {
  if (variants.some(isElastic)) return 'slices';
  return findDuets(other, variants).length > 0 ? 'duets' : 'turns';
}

/** Whether its pool shrinks while others are loaded, by the options in force. */
function isElastic({ runtime, options }: PlannedVariant): boolean {
  return Object.entries(runtime.elastic).some(([option, values]) => {
    const value = String(options[option]);
    return values.length > 0 ? values.includes(value) : Number(value) > Number(options.workers);
  });
}

/** Seen on two cores, half as much again: the run, an instance, each of its containers, and each k6 process. */
export const RUN_SECONDS = 1.5;
const INSTANCE_SECONDS = 0.5;
const START_SECONDS = 0.25;
const BATCH_SECONDS = 0.4;

/** @param slower so many times longer does a start take without its load */
export function instanceSeconds(
  instance: Instance,
  config: Pick<RunOptions, 'loadFrom' | 'services' | 'setUp'>,
  slower: number,
): number {
  return loadSeconds(instance, config) + slower * startSeconds(instance, config);
}

/** Generators on several machines wait for a common start. */
export const batchSeconds = ({ loadFrom }: Pick<RunOptions, 'loadFrom'>) =>
  BATCH_SECONDS + (loadFrom ? COMMON_START_MS / 1000 : 0);

export function loadSeconds({ batches }: Instance, config: Pick<RunOptions, 'loadFrom'>): number {
  return batches.reduce((sum, batch) => sum + batchSeconds(config) + batchMs(batch) / 1000, 0);
}

export function startSeconds(
  { startOrder }: Instance,
  config: Pick<RunOptions, 'services' | 'setUp'>,
): number {
  return INSTANCE_SECONDS + (START_SECONDS + setUpSeconds(config)) * startOrder.length;
}
