import type { FrameGroup } from './frame-groups.ts';

/** Parts of `summary.why`: how requests spend CPU time, as profiles show it. All times are µs of CPU per request. */

export interface FunctionName {
  /** Untrusted text, as are all names here. */
  name: string;
  /** Null: built into PHP. */
  file: string | null;
  /** In the version that was checked out, where it is known there. */
  line: number | null;
  group: FrameGroup;
  /** In a file that differs between both versions. */
  changed: boolean;
}

/** Base is 0 where there is no base. */
export interface Sides {
  variant: number;
  base: number;
}

export interface FunctionTime extends FunctionName {
  /** Itself, with what it calls that is built into PHP. */
  selfUs: Sides;
  /** With all that it calls. */
  inclusiveUs: Sides;
  /** The change of `selfUs`, variant − base; null: too rare to be tested, or nothing to compare with. */
  change: FunctionChange | null;
  /** The change of `inclusiveUs` likewise. */
  inclusiveChange: FunctionChange | null;
}

export interface FunctionChange {
  us: number;
  /** At 99 % for all functions together, so what does not contain 0 is sure. */
  low: number;
  high: number;
  /** Surely there, and large enough to matter. */
  sure: boolean;
}

/** A sure change: of an own function including its calls outside the own code, or of another function by itself. */
export interface Culprit {
  /** Null: autoloading. */
  function: FunctionName | null;
  us: Sides;
  change: FunctionChange;
  /** The function in a changed file by whose calls it changed, if it is in no such file itself. */
  caller: FunctionName | null;
  /** A function that it calls, which has most of the change. */
  within: FunctionName | null;
  /** Most of the change is in what it calls, in no function of that by itself. */
  isSpread: boolean;
}

/** A call tree of both sides; index of the caller stands before that of what it calls. */
export interface CallTree {
  frames: readonly FunctionName[];
  /** Caller or −1, frame, µs in the call itself on both sides. */
  calls: readonly (readonly [caller: number, frame: number, variantUs: number, baseUs: number])[];
}

/** Profiles of a variant in a scenario, against those of its base or of another row where there is one. */
export interface Why {
  scenario: string;
  variant: string;
  /** Id of the variant that it is compared with. */
  base: string | null;
  /** `row`: another variant of the same version, so no difference is one that a pull request made. Null: compared with nothing. */
  against: 'base' | 'row' | null;
  /** Fresh starts, of both sides alike where there are two. */
  starts: number;
  samples: Sides;
  /** µs of CPU from one sample to the next: the median of all starts. */
  periodUs: number;
  perRequestUs: Sides;
  /** CPU per request that the sampler adds, as a share: the median of all starts; null: not known. */
  overhead: number | null;
  /** One of how many requests was sampled, in the starts with the most and the fewest; null: not known. */
  every: { least: number; most: number } | null;
  /** As the verdict has it where that is sure, else as these profiles have it. */
  changeUs: number;
  /** Whether the verdict is sure of that. */
  isSure: boolean;
  /** Functions that were compared. */
  tests: number;
  /** Largest change first. Empty: nothing is sure. */
  culprits: readonly Culprit[];
  /** Own functions first of those that surely changed, then all others; bounded. */
  functions: readonly FunctionTime[];
  /** Functions that are left out of `functions`. */
  left: number;
  tree: CallTree;
}
