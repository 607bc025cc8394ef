import type { Config } from '../../config/types.ts';

/** Fresh starts of a variant that hyperfine times. Those before them bring the image's files into memory. */
export const COLD_STARTS = { before: 1, timed: 10 } as const;
/** To start the containers of a variant until the first answer, and to remove those of the start before. */
export const COLD_START_SECONDS = 1;

/** The keys that decide whether cold starts are timed. */
export type ColdStarting = Pick<Config, 'coldStart' | 'setUp'>;

/**
 * An app may lead each path to its installer until `set-up` has run. Services keep what it did, but a fresh container
 * lacks the files that it made.
 */
export function timesColdStarts({ coldStart = false, setUp }: ColdStarting): boolean {
  return coldStart && setUp === undefined;
}

/** The starts of all variants for `cold-start`; 0: not wanted. */
export function countColdStarts(config: ColdStarting, variants: number): number {
  return timesColdStarts(config) ? (COLD_STARTS.before + COLD_STARTS.timed) * variants : 0;
}

/** To start the containers of one fresh start of a pass, to read what they wrote, and to remove them. */
const START_SECONDS = 3;
/** To empty a variant's database and to fill it, as far as nobody has seen it: the first start shows what it takes. */
const RESET_SECONDS = 0.5;
const SET_UP_SECONDS = 3;

/** The time for resets and set-up of one variant, in each of its starts. */
export function setUpSeconds({ services, setUp }: Pick<Config, 'services' | 'setUp'>): number {
  const resets = services ? Object.keys(services.reset).length : 0;
  return RESET_SECONDS * resets + (setUp === undefined ? 0 : SET_UP_SECONDS);
}

export function passStartSeconds(config: Pick<Config, 'services' | 'setUp'>, variants: number): number {
  return START_SECONDS + variants * setUpSeconds(config);
}
