import * as z from 'zod';

/** Results of passes after the verdict: profiles and counts. Units are in the names. Names are untrusted text, cut. */

const count = z.int().nonnegative();

/** A function of the app, or of what the app uses. */
export const Frame = z.object({
  /** `App\Repository::find`, `{closure}`, or a file that is included. */
  name: z.string().max(1000),
  /** Relative to the folder of the app; absolute outside of it; null: built into PHP. */
  file: z.string().max(1000).nullable(),
  /** The first line of the function; null if it is not known. */
  line: count.nullable(),
});

/** The functions in which one fresh start of a variant spent CPU time, sampled in a pass of its own. */
const WholeProfile = z.object({
  profile: z.literal(true),
  variant: z.string(),
  scenario: z.string(),
  /** Number of the fresh start within the pass. */
  instance: count,
  requests: count,
  failures: count,
  /** CPU of the variant's container over the load of the pass; null where it could not be read. */
  cpuUs: z.number().nullable(),
  /** CPU time between two samples. */
  periodUs: z.number(),
  samples: count,
  /** CPU per request with the sampler ÷ that of the same start without it, less 1; left out where either is not known. */
  overheadRatio: z.number().optional(),
  /** One of so many requests was sampled, chosen by chance; left out: not known. */
  every: z.int().positive().optional(),
  frames: z.array(Frame).max(2000),
  /**
   * The call tree: index of the caller in this list (−1: none), which stands before it; index of the frame; samples in it
   * itself. Samples in calls that are too rare to be kept count for their caller.
   */
  tree: z.array(z.tuple([z.int().min(-1), count, count])).max(5000),
});

/** A tree whose calls name callers and frames that are not there cannot be walked. */
export const Profile = WholeProfile.refine(
  ({ frames, tree }) => tree.every(([caller, frame], i) => caller < i && frame < frames.length),
  'a call whose caller or function is not there',
);

/** Counts of work per request, from a pass in which one client asks and nothing else is loaded. */
export const Count = z.object({
  count: z.literal(true),
  variant: z.string(),
  scenario: z.string(),
  /** Number of the fresh start within the pass. */
  instance: count,
  /** Source of the counts: the databases, PHP itself, or callgrind. */
  by: z.enum(['services', 'php', 'instructions']),
  /** Path or step that was asked for; null: all of the scenario. */
  endpoint: z.string().nullable(),
  /** Requests of each repeat. */
  requests: count,
  failures: count,
  values: z
    .array(
      z.object({
        /** `queries`, `deprecations`, `instructions`, … */
        name: z.string(),
        /** Per request, one number a repeat. */
        perRequest: z.array(z.number()).max(1000),
      }),
    )
    .max(50),
  /** The share by which equal counts of this page differ; only for instructions. */
  floorRatio: z.number().optional(),
  /**
   * The functions of PHP and its libraries that differ most from the other version in one request; only for
   * instructions.
   */
  functions: z
    .array(
      z.object({
        name: z.string(),
        /** Instructions in it itself. */
        perRequest: z.number(),
        calls: count,
      }),
    )
    .max(100)
    .optional(),
});

export type Frame = z.infer<typeof Frame>;
export type Profile = z.infer<typeof Profile>;
export type Count = z.infer<typeof Count>;
