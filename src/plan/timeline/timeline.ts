import { loadMs } from '../../config/parts/load.ts';
import type { Scenario } from '../../config/types.ts';
import { compileLoad, compileWarmup, type LoadStep } from './load-steps.ts';
import type { Batch, Slice } from './slices.ts';
import { allowsDuets, countRounds, dealTurns, takesTurns } from './turns.ts';

type Draft = Omit<Slice, 'startMs'>;

/** A k6 process measures at most this long (but a long profile stays whole), so that a killed run keeps the rest. */
const BATCH_MS = 30_000;
/** Between the end of the drain and the next slice: the CPU counters, sampled every 100 ms, are read here. */
export const SETTLE_MS = 150;
/** Expected once the first instance has shown how long requests take; what it showed is what counts. */
export const DRAIN_MS = 100;
/** The drain is this many times the longest that was seen. */
const DRAIN_FACTOR = 2;
/** So much later the second of a duet begins, so that it is known who was first. */
export const DUET_LAG_MS = 20;
/** Load before each slice of a variant whose pool shrinks while others are loaded. */
export const LEAD_IN_MS = 1000;
/** From asking generators on several machines for a load to its beginning: k6 reads scripts and makes its clients. */
export const COMMON_START_MS = 4000;

/** Orders of the variants, as `makeOrders` draws them. */
interface Orders {
  warmup: () => string[];
  block: () => string[];
  /** The order of each round of turns after the first, which has the order of the block. */
  round: () => string[];
  /** The order of the two in each pair that may be loaded at once, by the id of its variant. */
  duets: ReadonlyMap<string, () => readonly string[]>;
}

/**
 * Warm-up of each variant, then blocks: one slice of every variant, a warm-up before it where the pool is elastic.
 * Behind each block the duets, one pair after the other.
 */
export function planSlices(
  scenario: Scenario,
  orders: Orders,
  isElastic: (variant: string) => boolean,
): Omit<Draft, 'number'>[] {
  const { load, warmupMs } = scenario;
  const steps = load ? compileLoad(load, scenario) : [];
  const durationMs = load ? loadMs(load) : null;
  const slices: Omit<Draft, 'number'>[] = [];
  const warm = (variant: string, block: number, ms: number) => {
    const steps = load && warmupMs > 0 ? compileWarmup(load, { ...scenario, warmupMs: ms }) : [];
    if (steps.length > 0) slices.push({ ...WHOLE, variant, block, warmup: true, durationMs: ms, steps });
  };
  for (const variant of orders.warmup()) warm(variant, 0, warmupMs);
  for (let block = 0; block < scenario.blocks; block++) {
    const order = orders.block();
    // A slice of an elastic pool needs a warm-up directly before it.
    const isSteady = order.length > 1 && !order.some(isElastic);
    if (isSteady && takesTurns(scenario, steps, durationMs)) {
      slices.push(...planTurns(order, orders.round, block, durationMs as number, steps));
    } else {
      for (const variant of order) {
        if (isElastic(variant)) warm(variant, block, LEAD_IN_MS);
        slices.push({ ...WHOLE, variant, block, warmup: false, durationMs, steps });
      }
    }
    if (!isSteady || !allowsDuets(scenario, steps, durationMs)) continue;
    for (const [duet, draw] of orders.duets) {
      // Twice, so that each of the two has been first.
      for (const variant of [...draw(), ...draw()]) slices.push(planDuet(variant, duet, block, steps));
    }
  }
  return slices;
}

/** A slice of each variant, each with one turn in every round. */
function planTurns(
  order: readonly string[],
  nextRound: () => string[],
  block: number,
  durationMs: number,
  steps: readonly LoadStep[],
): Omit<Draft, 'number'>[] {
  const rounds = countRounds(durationMs);
  const turns = new Map<string, number[]>(order.map((variant) => [variant, []]));
  let next = 0;
  for (let round = 0; round < rounds; round++) {
    for (const variant of round === 0 ? order : nextRound()) turns.get(variant)?.push(next++);
  }
  const own = { block, warmup: false, durationMs, turnMs: durationMs / rounds, duet: null, steps };
  return order.map((variant) => ({ ...own, variant, turns: turns.get(variant) ?? [] }));
}

/** A slice in one piece, on one variant alone. */
export const WHOLE = { turns: null, turnMs: null, duet: null } as const;

/** Both together have as many clients, or as high a rate, as one alone. At least a second of each, as turns reach into the next. */
function planDuet(
  variant: string,
  duet: string,
  block: number,
  steps: readonly LoadStep[],
): Omit<Draft, 'number'> {
  const half = steps.map((step): LoadStep => {
    const durationMs = Math.max(1000, step.durationMs ?? 0) + DUET_LAG_MS;
    const rps = step.rps === null ? null : step.rps / 2;
    return { ...step, durationMs, rps, vus: Math.max(1, Math.ceil(step.vus / 2)) };
  });
  const durationMs = half[0]?.durationMs ?? null;
  return { ...WHOLE, variant, block, warmup: false, durationMs, duet, steps: half };
}

/**
 * Cuts slices into k6 processes. A user's own script is bound to one target, so it gets a process per slice; so does
 * a slice whose end only the run knows. The first instance's warm-up has a process of its own: it shows how long
 * requests take, and so how long turns must be.
 */
export function cutIntoBatches(
  scenario: Scenario,
  drafts: readonly Draft[],
  drainMs: number,
  warmupApart = false,
): Batch[] {
  const batches: Batch[] = [];
  let current: Slice[] = [];
  const close = () => {
    if (current.length > 0) batches.push(retime({ scenario, slices: current, drainMs }, drainMs));
    current = [];
  };
  for (const group of joinLeadIns(scenario, groupTurns(drafts))) {
    const last = group.at(-1) as Draft;
    const alone = standsAlone(scenario, last);
    const added = group.map((draft) => ({ ...draft, startMs: 0 }));
    const grown = retime({ scenario, slices: [...current, ...added], drainMs }, drainMs);
    if (alone || batchMs(grown) > BATCH_MS || (warmupApart && current.at(-1)?.warmup && !last.warmup))
      close();
    current.push(...added);
    if (alone) close();
  }
  close();
  return batches;
}

function standsAlone({ journey }: Scenario, { durationMs }: Draft): boolean {
  return durationMs === null || journey.kind === 'script';
}

/** A warm-up of a variant that was warmed up before is its slice's: between two processes its pool would shrink. */
function joinLeadIns(scenario: Scenario, groups: readonly Draft[][]): Draft[][] {
  const warmed = new Set<string>();
  const joined: Draft[][] = [];
  let leadsIn = false;
  for (const group of groups) {
    const [{ warmup, variant }] = group as [Draft];
    if (leadsIn && !standsAlone(scenario, group[0] as Draft)) joined.at(-1)?.push(...group);
    else joined.push([...group]);
    leadsIn = warmup && warmed.has(variant);
    if (warmup) warmed.add(variant);
  }
  return joined;
}

/** Slices that begin together, as they take turns or are a duet, or a slice by itself. */
export function groupTurns<S extends Omit<Slice, 'startMs'>>(slices: readonly S[]): S[][] {
  const groups: S[][] = [];
  for (const slice of slices) {
    const last = groups.at(-1);
    const other = last?.[0];
    const inTurns = slice.turns && other?.turns && other.block === slice.block;
    const isOther = slice.duet !== null && other?.duet === slice.duet && other.variant !== slice.variant;
    if (last && (inTurns || (isOther && last.length === 1))) last.push(slice);
    else groups.push([slice]);
  }
  return groups;
}

/** Time under load of slices that begin together: turns follow each other, a duet's two are loaded at once. */
function loadedMs(group: readonly Pick<Slice, 'durationMs' | 'duet'>[]): number {
  const each = group.map(({ durationMs }) => durationMs ?? 0);
  return group[0]?.duet != null ? Math.max(...each) : each.reduce((sum, ms) => sum + ms, 0);
}

/** From the start of a slice to the end of its last turn or its own end, those it takes turns with included. */
export function spanMs(slice: Slice, batch: Pick<Batch, 'slices'>): number {
  if (!slice.turns) return slice.durationMs ?? 0;
  const together = batch.slices.filter((other) => other.turns && other.startMs === slice.startMs);
  return together.reduce((sum, other) => sum + (other.durationMs ?? 0), 0);
}

/**
 * The same slices, one after the other with this drain between them, their turns dealt anew; who lost the other of its
 * duet has none. A slice whose end only the run knows is over with its last answer, as k6 waits for that. Its drain is
 * only the time in which its counters are read.
 *
 * @param typicalMs how long a request of the slowest variant takes; null: not known yet
 */
export function retime(batch: Batch, drainMs: number, typicalMs: number | null = null): Batch {
  const slices = groupTurns(batch.slices)
    .filter((group) => group[0]?.duet === null || group.length === 2)
    .flatMap((group) => dealTurns(group, typicalMs));
  const isEnded = slices.some(({ durationMs }) => durationMs === null);
  const waitMs = isEnded ? Math.min(drainMs, DRAIN_MS) : drainMs;
  let startMs = 0;
  const groups = groupTurns(slices);
  const timed = groups.flatMap((group, i) => {
    const at = startMs;
    startMs += loadedMs(group);
    startMs += gapMs(group[0] as Slice, groups[i + 1]?.[0], waitMs);
    return group.map((slice) => ({ ...slice, startMs: at }));
  });
  return { ...batch, slices: timed, drainMs: waitMs };
}

/** From the start of its first slice to the end of the last one's drain. Counts of requests are not known and count 0. */
export function batchMs({ scenario, slices, drainMs }: Batch): number {
  const groups = groupTurns(slices);
  // A script's own load is all that its k6 process does.
  const ownMs = scenario.load === null ? (scenario.script?.loadMs ?? 0) : 0;
  return groups.reduce(
    (sum, group, i) => sum + loadedMs(group) + gapMs(group[0] as Slice, groups[i + 1]?.[0], drainMs),
    ownMs,
  );
}

function gapMs(slice: Slice, next: Slice | undefined, drainMs: number): number {
  if (next === undefined) return drainMs;
  // Nothing of a warm-up is kept: the next one may begin while its last requests end.
  return slice.warmup && next.warmup ? 0 : drainMs + SETTLE_MS;
}

/**
 * How long to let requests end after a slice, once it is known how long they take. Twice that, at least DRAIN_MS, at
 * most the timeout, after which none of them is in flight. `seenMs` null: not known yet.
 */
export function drainFor(scenario: Pick<Scenario, 'timeoutMs'>, seenMs: number | null): number {
  if (seenMs === null) return scenario.timeoutMs;
  return Math.min(scenario.timeoutMs, Math.max(DRAIN_MS, Math.ceil(DRAIN_FACTOR * seenMs)));
}
