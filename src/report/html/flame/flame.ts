/** A flame graph as the page's script reads it: made by `flame-data.ts`, drawn by `page/flame/`. */
export interface Flame {
  /** Whether there is a base. */
  isCompared: boolean;
  /** Two variants of one version: their labels, which are text of others. Else both sides are versions. */
  rows?: { variant: string; base: string };
  /** Names of functions; text of others. */
  names: string[];
  /** File and line of each; empty: built into PHP. */
  places: string[];
  /** `own`, `vendor`, `autoload`, `php`, `outside`. */
  groups: string[];
  /** Indexes of those in files that differ. */
  changed: number[];
  /** Caller (−1: the request), function, µs of CPU per request in itself: of the variant, of the base. */
  calls: [caller: number, name: number, variantUs: number, baseUs: number][];
}
