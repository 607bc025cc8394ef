import { quote } from '../config/text.ts';
import {
  bringCommit,
  findBranch,
  findCommit,
  findDefaultBranch,
  findMergeBase,
  parentsOf,
  type Repository,
} from './repository.ts';

/** The two ends of a pull request, as the event has them. */
export interface PullEnds {
  /**
   * Commit at the tip of the branch that it goes into, and that branch's name. `isBelow`: the head is built on that
   * commit, as in a merge queue.
   */
  base: { commit: string; name: string; isBelow?: true };
  /** Commit at its own tip. */
  head: { commit: string };
  /** A commit with nothing of the pull request: the default of `actions/checkout` on `pull_request_target`. */
  without?: string;
}

/** The commit that `base` represents, or the reason why there is none. */
export type Base = { ref: string; commit: string } | { ref: string; reason: string; remedy: string };

/**
 * The base of a pull request or of a branch.
 *
 * On a pull request `actions/checkout` leaves one commit without history: GitHub's trial merge. Its first parent is
 * what it was merged into, so HEAD differs from that by the pull request and nothing else. Elsewhere it is the merge
 * base with the pull request's base, or with `branch` (null: the default branch, as far as git knows it).
 */
export async function findBase(
  repository: Repository,
  pull: PullEnds | null,
  branch: string | null,
): Promise<Base> {
  const head = await findCommit(repository, 'HEAD');
  if (head === null) return { ref: 'base', reason: 'there is no commit yet', remedy: 'commit first' };
  if (pull) {
    const [into, tip] = await parentsOf(repository, head);
    const ref = pull.base.name;
    if (into !== undefined && tip === pull.head.commit) {
      return {
        ref,
        ...(await orReason(repository, into, 'the commit that the pull request merges into')),
      };
    }
    if (pull.base.isBelow && head === pull.head.commit) {
      return {
        ref,
        ...(await orReason(repository, pull.base.commit, 'the commit that the queue merges into')),
      };
    }
    if (head === pull.without) return { ref, ...BASE_CHECKED_OUT };
    const found = await partedFrom(repository, head, pull.base.commit, ref);
    // Both sides would be the same.
    if ('commit' in found && found.commit === head) return { ref, ...BASE_CHECKED_OUT };
    return { ref, ...found };
  }
  const found = branch === null ? await findDefaultBranch(repository) : await findBranch(repository, branch);
  if (found === null) {
    const { remote } = repository;
    const sought =
      branch === null ? `${remote ?? 'origin'}/HEAD, main or master` : `the branch ${quote(branch)}`;
    return {
      ref: 'base',
      reason: `no branch to compare with: this clone lacks ${sought}`,
      remedy: `${SHALLOW}, or name a ref: compare-to: ${remote ?? 'origin'}/trunk`,
    };
  }
  return { ref: found, ...(await partedFrom(repository, head, found, found)) };
}

/** The default of `actions/checkout` on `pull_request_target`. */
const BASE_CHECKED_OUT = {
  reason: 'the checkout has no commit of the pull request, only its base',
  remedy: 'start the workflow on pull_request instead of pull_request_target',
};

const SHALLOW = "check out with 'fetch-depth: 0'";

/** Remedy for a missing commit. A plan fetches nothing, but a run may. */
export function remedyOf({ fetches, remote }: Repository): string {
  return fetches || remote === null ? SHALLOW : 'nothing to do: run fetches it';
}

async function partedFrom(repository: Repository, head: string, other: string, name: string) {
  const commit = await findMergeBase(repository, head, other);
  if (commit !== null) return orReason(repository, commit, `the commit where HEAD left ${name}`);
  if (repository.shallow) {
    return {
      reason: `this clone is shallow, and the commit where HEAD left ${name} is not in it`,
      remedy: SHALLOW,
    };
  }
  // Newer than the clone: the pull request's base may have moved on.
  const reason = await bringCommit(repository, other);
  const again = reason === null ? await findMergeBase(repository, head, other) : null;
  if (again !== null) return { commit: again };
  return {
    reason: reason === null ? `HEAD and ${name} have no commit in common` : `${name} is not here: ${reason}`,
    remedy: 'choose a ref with a common ancestor: compare-to: REF',
  };
}

async function orReason(repository: Repository, commit: string, what: string) {
  const reason = await bringCommit(repository, commit);
  return reason === null
    ? { commit }
    : { reason: `${what} is not here: ${reason}`, remedy: remedyOf(repository) };
}
