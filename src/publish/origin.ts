import { at } from '../config/document.ts';
import { parseInteger, quote } from '../config/text.ts';
import { UserError } from '../errors.ts';
import type { PullRequest, Pulls } from './api/pulls.ts';
import { describeApiError, type Failed, isLimited } from './api/retry.ts';

/** Parts of the event `workflow_run` that we need. */
interface Event {
  pull_request?: { number?: unknown; head?: { sha?: unknown } };
  workflow?: { name?: unknown };
  workflow_run?: {
    id?: unknown;
    event?: unknown;
    name?: unknown;
    head_sha?: unknown;
    head_branch?: unknown;
    head_repository?: { owner?: { login?: unknown } } | null;
  };
}

export interface Origin {
  /** Null, with `why`, where it was about none, or is outdated. */
  pull: PullRequest | null;
  why: string;
  /** GitHub failed: whether there is one is not known. */
  isFailure?: boolean;
  /** Id and name of the workflow run that measured; null: this one. */
  measured: { run: number; workflow: string } | null;
}

/** The pull request that was asked for by `pull` and `commit`, if they are not empty. */
interface Asked {
  pull: string;
  commit: string;
}

/**
 * The pull request to comment on: that which was asked for, or that of a finished workflow run. Null: that of the event,
 * which is not known to be outdated. An error of GitHub is the reason for none. UserError: an input is wrong.
 */
export async function lookUpOrigin(
  event: unknown,
  asked: Asked,
  repository: string,
  pulls: Pulls,
): Promise<Origin | null> {
  try {
    return (
      (await findAsked(asked, repository, pulls)) ??
      (await findOrigin(event, repository, pulls)) ??
      (await findOutdated(event, pulls))
    );
  } catch (error) {
    if ((error as Failed).status === undefined) throw error;
    const why = `the pull request could not be looked up (${describeApiError(error as Failed)})`;
    return { measured: null, pull: null, why, isFailure: true };
  }
}

/**
 * The pull request that a finished workflow run was about; null where the event is not `workflow_run`. The artifact
 * does not decide it. Branch and commit come from GitHub's event, and the pull request must still have that commit on
 * top. So numbers of other code never appear on it.
 */
export async function findOrigin(event: unknown, repository: string, pulls: Pulls): Promise<Origin | null> {
  const { workflow_run: run, workflow } = (event ?? {}) as Event;
  if (!run) return null;
  const [owner = '', repo = ''] = repository.split('/');
  // With `run-name:` the run has a name of its own, another one each time.
  const name = String(workflow?.name ?? run.name ?? '');
  const found = { measured: { run: Number(run.id), workflow: name } };
  const none = (why: string): Origin => ({ ...found, pull: null, why });
  if (run.event !== 'pull_request') return none('the workflow run does not belong to a pull request');
  const login = run.head_repository?.owner?.login;
  const { head_branch: branch, head_sha: commit } = run;
  if (typeof login !== 'string' || typeof branch !== 'string' || typeof commit !== 'string') {
    return none('the branch of the workflow run no longer exists');
  }
  const open = await pulls.openFrom(`${login}:${branch}`);
  const fitting = open.filter(({ head }) => head === commit);
  const [pull] = fitting;
  if (!pull) {
    return none(
      open.length > 0 ? 'the pull request has newer commits' : 'its pull request is no longer open',
    );
  }
  if (fitting.length > 1) return none(`${fitting.length} pull requests have this commit on top`);
  return { ...found, pull: { owner, repo, number: pull.number }, why: '' };
}

/**
 * An origin without a pull request, with the reason, if the event's pull request has a newer commit by now. Null
 * otherwise, also for any other event, or if GitHub fails other than by a limit of requests. A run that a newer one has ended may still come this far.
 */
export async function findOutdated(event: unknown, pulls: Pulls): Promise<Origin | null> {
  const { pull_request: pull } = (event ?? {}) as Event;
  if (typeof pull?.number !== 'number' || typeof pull.head?.sha !== 'string') return null;
  const open = await pulls.open(pull.number).catch((error: Failed) => {
    // The comment would wait for the same limit again.
    if (isLimited(error)) throw error;
    return null;
  });
  if (!open || open.head === pull.head.sha) return null;
  return { measured: null, pull: null, why: 'the pull request has newer commits' };
}

/**
 * The reason why results of this event must not take the place of newer ones: a slow run, or one that is repeated, of an
 * older push. Null where none is known.
 */
export async function whyOutdated(event: unknown, pulls: Pulls): Promise<string | null> {
  const outdated = await findOutdated(event, pulls).catch(() => null);
  return outdated?.why ?? null;
}

/** The number of the pull request that is asked for; null: none is. Throws a UserError where it or the commit is none. */
export function readAsked({ pull, commit }: Asked): number | null {
  if (pull === '') return null;
  const number = at({ name: 'input pull-request' }, () => parseInteger(pull, { min: 1 }));
  if (/^[0-9a-f]{40,64}$/.test(commit)) return number;
  throw new UserError('not a commit', {
    where: { name: 'input ref' },
    found: quote(commit),
    allowed: 'with pull-request, the full hash of the measured commit',
  });
}

/**
 * The pull request that was asked for by number, for a commit that was measured; null where none was. A number alone is
 * not believed: the pull request must be open and have that commit on top.
 */
export async function findAsked(
  { pull, commit }: Asked,
  repository: string,
  pulls: Pulls,
): Promise<Origin | null> {
  const number = readAsked({ pull, commit });
  if (number === null) return null;
  const [owner = '', repo = ''] = repository.split('/');
  const found = await pulls.open(number);
  if (!found) return { measured: null, pull: null, why: `there is no open pull request ${number}` };
  if (found.head !== commit) {
    return { measured: null, pull: null, why: 'the pull request has newer commits' };
  }
  return { measured: null, pull: { owner, repo, number }, why: '' };
}
