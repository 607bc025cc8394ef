import type { App, Config, Other } from '../config/types.ts';
import type { ImageFound } from '../engine/image-store.ts';
import type { ExecOptions, Host } from '../host.ts';
import type { Results, Warning } from '../results/results.ts';
import type { PullEnds } from './base.ts';
import type { Source } from './checkout.ts';
import type { Repository } from './repository.ts';

/** Findings about the base, before anything starts. */
export interface Found {
  other: Other;
  /** The commit to check out for it, and folders to copy. */
  source: Source | null;
  /** An older results.json. */
  earlier: Results | null;
  notes: readonly Warning[];
  /** By app: its files that differ, relative to its folder; left out: not known. */
  changed?: Readonly<Record<string, string[]>>;
}

/** The environment in which the base is looked for. */
export interface Surroundings extends Pick<ExecOptions, 'signal'> {
  host: Host;
  packageRoot: string;
  /** Null: no pull request. */
  pull: PullEnds | null;
  /** The branch that `base` starts from where there is no pull request; null: git's default branch. */
  branch?: string | null;
  findImage: (name: string) => Promise<ImageFound>;
  /** Whether git may fetch commits that are missing. */
  fetches: boolean;
}

/** The project whose base is looked for. */
export interface Subject {
  config: Pick<Config, 'out' | 'runtimes' | 'php' | 'env' | 'prepare'>;
  around: Surroundings;
  repository: Repository;
  /** The path of each app in the repository. */
  apps: ReadonlyMap<App, string>;
}

/** A commit, what was given for it, and what that means. */
export interface Tree {
  given: string;
  ref: string;
  commit: string;
}

/** A commit, as messages name it. */
export const nameTree = ({ given, commit }: Tree) => `${given} (${commit.slice(0, 10)})`;
