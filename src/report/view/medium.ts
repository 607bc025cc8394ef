import type { Names } from '../words/changes.ts';
import type { Mark } from './answer/changerows.ts';

/** The output that shows the answer: how it formats text, and how it names the change. */
export interface Medium extends Names {
  /** A word of this tool, such as a key of the configuration. */
  code: (word: string) => string;
  commit: (commit: string) => string;
  /** A function, `App\Repository::find()`, and a place, `src/Repository.php:41`: text of others that can be long. */
  call: (name: string) => string;
  place: (file: string) => string;
  /** `This PR` in its comment, else `This change`. */
  subject: string;
  /** The same in the head of a table. */
  now: string;
  /** Consequence of a failing check in this medium, beside `This check fails`. */
  fails: (exitCode: number) => string;
  marks: Readonly<Record<Mark, string>>;
  /** A link to the ways to accept a slowdown once, in the documentation of a version; left out where links are not possible. */
  acceptOnce?: (version: string) => string;
  /** Shards that gave no results: whatever the others have, the check is not complete. */
  missing?: readonly number[];
  /** Several machines answer as one: others went on where one was stopped. */
  areSeveral?: boolean;
}

export const THIS_CHANGE = {
  ...{ subject: 'This change', now: 'this change' },
  fails: (exitCode: number) => ` (exit code ${exitCode})`,
};
/** In answers to `/bench`: the check of such a run belongs to the default branch and cannot block merging. */
export const ASKED_PULL = { ...THIS_CHANGE, subject: 'This PR', now: 'this PR' };
/** Whether the repository requires the check cannot be known here. */
export const THIS_PULL = { ...ASKED_PULL, fails: () => ', and blocks merging if it is required' };

/** As much of a commit as people read. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

/** Marks one column wide, in every font. Terminals disagree on the width of an emoji, and some machines have none. */
export const PLAIN_MARKS: Readonly<Record<Mark, string>> = { bad: '✗', warn: '!', open: '?', good: '✓' };
