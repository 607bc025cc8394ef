import type { Profile } from '../../results/results.ts';
import { ALPHA } from '../../stats/limits.ts';
import { type Differences, testDifferences } from '../../stats/moderated.ts';
import { type Charged, chargeSamples } from './charge.ts';
import type { FunctionChange, Sides } from './why-model.ts';

/** A fresh start of one side: samples, and what one of them is worth. */
export interface ProfiledStart extends Charged {
  perRequestUs: number;
  /** µs of CPU per request that a sample represents. */
  worth: number;
}

/** Null: nothing was sampled, or the CPU time is not known. */
export function readStart(profile: Profile): ProfiledStart | null {
  const charged = chargeSamples(profile);
  const { cpuUs, requests } = profile;
  if (charged.samples === 0 || requests === 0 || cpuUs === null || cpuUs <= 0) return null;
  const perRequestUs = cpuUs / requests;
  return { ...charged, perRequestUs, worth: perRequestUs / charged.samples };
}

/** Starts of both sides, the first with the first; no bases: nothing to compare with. */
export interface Paired {
  variants: readonly ProfiledStart[];
  bases: readonly ProfiledStart[];
}

/** One way to group samples. */
type SampleSplit = 'self' | 'inclusive' | 'charged' | 'cells';

/** With fewer pairs nothing is tested. */
const MIN_STARTS = 3;
/** Samples per start, on the side that has more: with fewer a function is not tested. */
const MIN_SAMPLES = 10;
/** From this share of a change on, that is most of it. */
export const MOST = 0.5;

/** A change that is smaller than this share of a request is not named, as it matters to nobody. */
export const MIN_SHARE = 0.005;

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const meanOf = (values: readonly number[]): number => (values.length > 0 ? sumOf(values) / values.length : 0);

/** Mean over the starts of each side. */
export function timesOf({ variants, bases }: Paired, way: SampleSplit): Map<string, Sides> {
  const keys = new Set([...variants, ...bases].flatMap((start) => [...start[way].keys()]));
  const us = (starts: readonly ProfiledStart[], key: string) =>
    meanOf(starts.map((start) => (start[way].get(key) ?? 0) * start.worth));
  return new Map([...keys].map((key) => [key, { variant: us(variants, key), base: us(bases, key) }]));
}

/** Changes of all functions that were sampled often enough, corrected for the number of tests of all ways together. */
export function testChanges<W extends SampleSplit>(
  paired: Paired,
  ways: readonly W[],
): Record<W, Map<string, FunctionChange>> {
  const found = Object.fromEntries(ways.map((way) => [way, new Map()])) as Record<
    W,
    Map<string, FunctionChange>
  >;
  const { variants, bases } = paired;
  if (variants.length < MIN_STARTS || bases.length < MIN_STARTS) return found;
  const tested = ways.flatMap((way) => listTestable(paired, way).map((key) => ({ way, key })));
  const least = MIN_SHARE * meanOf([...variants, ...bases].map(({ perRequestUs }) => perRequestUs));
  const tests = testDifferences(tested.map(({ way, key }) => differencesOf(paired, way, key)));
  for (const [i, { mean, interval, p }] of tests.entries()) {
    const { way, key } = tested[i] as (typeof tested)[number];
    found[way].set(key, { us: mean, ...interval, sure: p < ALPHA && Math.abs(mean) >= least });
  }
  return found;
}

function listTestable({ variants, bases }: Paired, way: SampleSplit): string[] {
  const keys = new Set([...variants, ...bases].flatMap((start) => [...start[way].keys()]));
  return [...keys].filter((key) => {
    const most = [variants, bases].map((starts) => meanOf(starts.map((start) => start[way].get(key) ?? 0)));
    return Math.max(...most) >= MIN_SAMPLES;
  });
}

function differencesOf({ variants, bases }: Paired, way: SampleSplit, key: string): Differences {
  const us = (start: ProfiledStart) => (start[way].get(key) ?? 0) * start.worth;
  // Half a sample more, as of none at all counting would seem to be sure.
  const noise = (start: ProfiledStart) => ((start[way].get(key) ?? 0) + 0.5) * start.worth ** 2;
  return {
    variant: variants.map(us),
    reference: bases.map(us),
    noise: variants.map((start, i) => noise(start) + noise(bases[i] as ProfiledStart)),
  };
}
