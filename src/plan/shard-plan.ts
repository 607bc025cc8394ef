import { nameEngine } from '../config/engine-key.ts';
import type { Config, Shard } from '../config/types.ts';
import { UserError } from '../errors.ts';
import { COUNT_NAMES } from '../results/count-names.ts';
import { RESULTS_LIMITS } from '../results/results.ts';
import { findReference, type PlannedImage, type PlannedVariant } from './variants.ts';

export interface PlannedShard extends Shard {
  /** Labels of the variants that only this one has. */
  variants: readonly string[];
}

/** How variants are dealt. */
type Dealing = Pick<Config, 'failOn' | 'loadFrom' | 'reference' | 'tune'>;

/** As `planVariants` gives them. */
interface Planned {
  variants: readonly PlannedVariant[];
  images: readonly PlannedImage[];
}

/**
 * Deals the variants to so many shards, or one for each runtime name beside the reference. The reference is in all of them,
 * beside those that are only there, so that machines of unlike speed can be compared through it. Runtimes stay whole while there are enough
 * of them, as their variants share images, and always with `tune`, whose values are compared with each other on one
 * machine. Never more shards than there is to deal.
 */
export function planShards(planned: Planned, config: Dealing, wanted: number | 'runtimes'): PlannedShard[] {
  const dealt = deal(planned, config, wanted);
  if (config.loadFrom && dealt.length > 1) {
    throw new UserError('loads the servers of one machine', {
      ...{ where: { name: 'load-engines' }, found: `${dealt.length} shards`, allowed: 'one shard' },
      hint: 'measure all variants on one machine, or leave out `load-engines`',
    });
  }
  return dealt.map((heads, i) => ({
    index: i + 1,
    of: dealt.length,
    variants: heads.map(({ label }) => label),
  }));
}

/** Checks whether the results of each shard can be read by the jobs after it. Throws a UserError if not. */
export function checkSize(
  planned: Planned,
  config: Dealing & Pick<Config, 'compareTo' | 'scenarios'>,
  shards: readonly PlannedShard[],
): void {
  const { compareTo, scenarios } = config;
  if (scenarios.length > RESULTS_LIMITS.scenarios) {
    throw new UserError('too many scenarios', {
      ...{
        where: { name: 'scenarios' },
        found: `${scenarios.length}`,
        allowed: `up to ${RESULTS_LIMITS.scenarios}`,
      },
      hint: 'share them among several workflows',
    });
  }
  for (const { index, of } of shards) {
    // The base of a variant is one, too, and is not known yet.
    const count = takeShard(planned, config, { index, of }).variants.length * (compareTo ? 2 : 1);
    if (count <= RESULTS_LIMITS.variants) continue;
    throw new UserError('too many variants for one machine', {
      where: { name: 'input shards' },
      found: `${count} on machine ${index} of ${of}${compareTo ? ', with those of the base' : ''}`,
      allowed: `up to ${RESULTS_LIMITS.variants}`,
      hint: 'use fewer runtimes, PHP versions or tune values, or more shards',
    });
  }
}

/** A warning if jobs of all shards measure on one engine. Null: one shard, or each runner may have an engine of its own. */
export function warnOfSharedEngine(
  { engine }: Pick<Config, 'engine'>,
  { length }: readonly PlannedShard[],
): string | null {
  if (length < 2 || engine === undefined || !/^(?:ssh|tcp):/.test(engine)) return null;
  return `${length} shards use the engine ${nameEngine(engine)}, which measures one at a time. The others wait, and \`timeout-minutes\` includes that. Set \`shards: 1\`.`;
}

/** Variants of one shard and the reference, each with its twin, and their images. */
export function takeShard(
  planned: Planned,
  config: Dealing,
  { index, of }: Shard,
): { variants: PlannedVariant[]; images: PlannedImage[] } {
  const dealt = deal(planned, config, of);
  const own = dealt[index - 1];
  if (dealt.length !== of || !own) {
    throw new UserError('no such shard', {
      where: { name: 'shard' },
      found: `${index}/${of}`,
      allowed: `up to ${dealt.length} of them`,
      hint: 'php-runtime-bench plan --shards N lists them',
    });
  }
  const ids = new Set([referenceOf(planned, config), ...own].flatMap(({ id, base }) => [id, base]));
  const all = planned.variants.filter(({ id }) => ids.has(id));
  const counted = new Set(findCounted({ ...config, shard: { index, of } }, all).map(keyOfPages));
  // Another shard counts the instructions of the others.
  const variants = all.map((variant): PlannedVariant => {
    const { counter: _, ...uncounted } = variant;
    return counted.has(keyOfPages(variant)) ? variant : uncounted;
  });
  // A proxy before a variant has an image of its own, and so has the count of instructions.
  const keys = new Set(variants.flatMap(({ image, front, counter }) => [image, front, counter]));
  return { variants, images: planned.images.filter(({ key }) => keys.has(key)) };
}

/**
 * The gates that these variants are compared with; in a shard not those for a variant that another one measures. A rule on a
 * count is left out where a stronger source chose other counts, and a rule on instructions in a shard that counts none for it.
 */
export function gatesFor(
  config: Pick<Config, 'count' | 'failOn' | 'shard' | 'reference'>,
  variants: readonly PlannedVariant[],
): Config['failOn'] {
  const { shard, failOn, count: counters = [] } = config;
  const isCounted = (name: string) => counters.some((counter) => counter === COUNT_NAMES[name]?.by);
  const counted = new Set(findCounted(config, variants).map(keyOfPages));
  return failOn.filter(({ variant: name, count }) => {
    const own = variants.filter((variant) => name === null || isNamedBy(name, variant));
    if (shard && own.length === 0) return false;
    if (shard && count === 'instructions' && !own.some((one) => counted.has(keyOfPages(one)))) return false;
    return count === undefined || isCounted(count);
  });
}

/**
 * Variants whose instructions are counted: the first of each app and PHP version that is checked out. Every shard measures the
 * reference, and the first shard counts its app. Another one does so only for a rule that names a variant of its own.
 *
 * @param all with those that have failed: the reference may be one
 */
export function findCounted(
  config: Pick<Config, 'failOn' | 'shard' | 'reference'>,
  variants: readonly PlannedVariant[],
  all = variants,
): PlannedVariant[] {
  const { shard, failOn } = config;
  const heads = variants.filter(({ ref }) => ref === null);
  const reference =
    shard && shard.index > 1 ? (findReference(config, all) ?? all.find(({ ref }) => ref === null)) : null;
  const isRuled = (one: PlannedVariant) =>
    failOn.some(
      ({ count, variant }) => count === 'instructions' && variant !== null && isNamedBy(variant, one),
    );
  const own = heads.filter(
    (one) =>
      !reference || keyOfPages(one) !== keyOfPages(reference) || (one.id !== reference.id && isRuled(one)),
  );
  return own.filter((one, i) => own.findIndex((other) => keyOfPages(other) === keyOfPages(one)) === i);
}

const keyOfPages = ({ app, php }: Pick<PlannedVariant, 'app' | 'php'>) => `${php} ${app.name}`;

/** Whether this runtime, label or id means the variant. */
export const isNamedBy = (name: string, { id, label, runtime }: PlannedVariant) =>
  [id, label, runtime.name].includes(name);

function referenceOf({ variants }: Planned, config: Pick<Dealing, 'reference'>): PlannedVariant {
  return findReference(config, variants) ?? (variants[0] as PlannedVariant);
}

function deal(planned: Planned, config: Dealing, wanted: number | 'runtimes'): PlannedVariant[][] {
  const reference = referenceOf(planned, config);
  const others = planned.variants.filter((variant) => variant.ref === null && variant.id !== reference.id);
  if (others.length === 0) return [[reference]];
  const runtimes = [...Map.groupBy(others, ({ runtime }) => runtime.name).values()];
  const count = wanted === 'runtimes' ? runtimes.length : wanted;
  const units =
    config.tune || count <= runtimes.length ? runtimes : runtimes.flat().map((variant) => [variant]);
  const shards = Math.min(count, units.length);
  const cut = (i: number) => Math.floor((i * units.length) / shards);
  return Array.from({ length: shards }, (_, i) => units.slice(cut(i), cut(i + 1)).flat());
}
