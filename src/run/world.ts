import type { CompareOptions, ReportOptions, RunOptions } from '../config/types.ts';
import type { Arena } from '../engine/arena.ts';
import type { Docker } from '../engine/docker.ts';
import type { Services } from '../engine/services.ts';
import type { Host } from '../host.ts';
import type { Built } from '../images/build.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlannedVariant } from '../plan/variants.ts';
import type {
  CheckedPage,
  ColdStart,
  Count,
  Duet,
  Elsewhere,
  Facts,
  Failure,
  Measurement,
  Profile,
  Search,
  Warning,
} from '../results/results.ts';
import type { LoadElsewhere } from './elsewhere/load-elsewhere.ts';

export interface VariantOutcome {
  facts: Facts | null;
  coldStartMs: number[];
  /** The message in what `set-up` printed, or the end of that; null: nothing. Untrusted text. */
  setUpSaid?: string | null;
  /** Files that PHP compiles again in each request; absent: not known. */
  recompiled?: number;
  /** Fresh starts timed by themselves. */
  coldStart?: ColdStart;
  failure: Failure | null;
}

/** The place in which a run works: its machine, Docker and arena. */
export interface Engine {
  host: Host;
  docker: Docker;
  arena: Arena;
  /** The run's id. */
  run: string;
  memoryBytes: number;
  /** By engines that load instead of the arena. */
  loadElsewhere?: LoadElsewhere;
  signal: AbortSignal;
}

/** Additions to the image of a variant, for a restart after all measuring. */
export interface Outfit {
  env: Readonly<Record<string, string>>;
  /** Lines of a php.ini, behind those of the app. A runtime that does not read BENCH_INI ignores them. */
  ini: readonly string[];
  /** Folder in the container, whose parent is there → folder on this machine that is copied to it. */
  folders: Readonly<Record<string, string>>;
}

/** The work of a run. */
export interface Job {
  config: RunOptions & Pick<CompareOptions, 'other' | 'reference' | 'shard'> & Pick<ReportOptions, 'failOn'>;
  plan: Plan;
  /** By image key; a variant without an image does not take part. */
  images: ReadonlyMap<string, Built>;
  /** By variant id. A run that is stopped keeps them. */
  outcomes: Map<string, VariantOutcome>;
  /** Services that the app needs; null: none. */
  services: Services | null;
  /** By variant id, in a pass after the verdict; left out: variants are started as they were measured. */
  outfits?: ReadonlyMap<string, Outfit>;
}

/** The variants that still take part: a base whose variant failed has nothing to be compared with, and no report shows it. */
export function listPresent({ plan, outcomes }: Pick<Job, 'plan' | 'outcomes'>): PlannedVariant[] {
  const needless = new Set(plan.variants.map(({ id, base }) => (outcomes.get(id)?.failure ? base : null)));
  return plan.variants.filter(({ id }) => outcomes.get(id)?.failure === null && !needless.has(id));
}

/** The receiver of the findings of a run. */
export interface Sink {
  /** Prints a line that stays on the screen. */
  say(line: string): void;
  /** Adds a warning to the report. */
  warn(warning: Warning): void;
  /** Shows the current step, and the share of the planned load that is done, 0…1. */
  at(what: string, share: number): void;
  keep(measurements: readonly Measurement[], duets: readonly Duet[]): Promise<void>;
  /** Records a new plan for the rest of the run. */
  keepPlan(plan: Plan): void;
  /** Records the answers that were checked before the load. */
  keepChecked(pages: readonly CheckedPage[]): void;
  /** Records from where the load came, and what lay between. */
  keepElsewhere(elsewhere: Elsewhere): void;
  keepSearch(search: Search): Promise<void>;
  keepProfile(profile: Profile): Promise<void>;
  keepCount(count: Count): Promise<void>;
  keepRaw(name: string, content: string | Uint8Array): Promise<void>;
  /** The same, piece by piece. */
  appendRaw(name: string, text: string): Promise<void>;
}

export interface World {
  engine: Engine;
  job: Job;
  sink: Sink;
}
