import * as z from 'zod';
import { QUANTILES } from './quantiles.ts';

/** One variant against another, as `results.json` has it, and the gates on that. */

const count = z.int().nonnegative();

export const CompareMetric = z.enum(['rps', ...QUANTILES, 'cpu', 'memory', 'services']);

/** One variant against another in one metric; see docs/method.md. Ratios are variant ÷ reference. */
export const Comparison = z.object({
  variant: z.string(),
  reference: z.string(),
  /** `base`: the other ref; `reference`: another variant of this run; `earlier`: the same variant in an older results.json. */
  against: z.enum(['base', 'reference', 'earlier']),
  scenario: z.string(),
  metric: CompareMetric,
  /** The metric that fits the situation; its tests are corrected together (Holm), the rest as notes (Benjamini–Hochberg). */
  primary: z.boolean(),
  ratio: z.number().nullable(),
  /**
   * The numbers of both sides: RPS, ms, µs of CPU per request, bytes. Geometric means over the starts that were compared,
   * each side loaded alone; `variant` ÷ `reference` is `ratio`.
   */
  values: z.object({ variant: z.number(), reference: z.number() }).nullable().default(null),
  interval: z.object({ low: z.number(), high: z.number(), level: z.number() }).nullable(),
  /** `together`: both sides were loaded at once; `turns`: one soon after the other. */
  how: z.enum(['turns', 'together']).default('turns'),
  /** Pairs of fresh starts and of slices that it rests on, and pairs of slices that were left out. */
  pairs: count,
  slices: count,
  dropped: count,
  /** Disturbed ones among `slices`. They count, as duets do, or as too little would be left without them. */
  disturbed: count.default(0),
  /** SD of ln(ratio) between pairs of fresh starts. */
  spread: z.number().nullable(),
  p: z.number().nullable(),
  adjustedP: z.number().nullable(),
  /** Smallest change that this much data finds with 95 % power, as a share: 0.02 is 2 %. */
  detectable: z.number().nullable(),
  verdict: z.enum(['faster', 'slower', 'no-difference', 'inconclusive']),
  /** With `no-difference`: no difference above this share. */
  margin: z.number().nullable(),
  /** Why it is inconclusive or doubtful, in words. */
  reasons: z.array(z.string()),
});

/** `fail-on`: this much surely slower, or more of a count, fails the run. */
export const Gate = z.object({
  /** As written. */
  source: z.string(),
  /** Null: the primary metric of the scenario; or the gate is on a count. */
  metric: CompareMetric.nullable(),
  /** Name of a count, such as `queries`; absent: the gate is on a metric. */
  count: z.string().optional(),
  /** 0.03 is 3 %. */
  above: z.number(),
  /** So many more per request are allowed for a count; absent: the share in `above`. */
  more: z.number().optional(),
  /** Null: all. */
  scenario: z.string().nullable(),
  /** Name of a runtime, or label of a variant; null: all. */
  variant: z.string().nullable(),
});

export type CompareMetric = z.infer<typeof CompareMetric>;
export type Comparison = z.infer<typeof Comparison>;
export type Gate = z.infer<typeof Gate>;
