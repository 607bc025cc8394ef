import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { PullEnds } from '../checkout/base.ts';
import { at } from '../config/document.ts';
import { MAX_SHARDS } from '../config/keys/compare-key.ts';
import { keysOf } from '../config/keys/key-sources.ts';
import { parseInteger, quote } from '../config/text.ts';
import { UserError } from '../errors.ts';
import type { PullRequest } from './api/pulls.ts';
import { readAsked } from './origin.ts';

/** The job of a workflow run that we are a step of, and what it wants published. */
export interface WorkflowJob {
  /** Null where the event has no pull request. */
  pull: PullRequest | null;
  /** This run is a check of the pull request. A run that a comment on it starts belongs to the default branch. */
  isCheck: boolean;
  /** Separates our comments on one pull request; null: no comment is wanted. */
  key: string | null;
  /** The key comes from the input `comment`. It is no default. */
  isKeyGiven: boolean;
  token: string;
  artifactName: string;
  /** `https://github.com/octo/shop/actions/runs/42` */
  runUrl: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Parts of an event's payload that we need. */
interface Event {
  pull_request?: { number?: unknown; base?: End; head?: End; merged?: unknown };
  merge_group?: { base_sha?: unknown; base_ref?: unknown; head_sha?: unknown };
  issue?: { number?: unknown; pull_request?: unknown };
  repository?: { default_branch?: unknown };
}

interface End {
  sha?: unknown;
  ref?: unknown;
}

/** Events whose runs are checks of their pull request. */
const CHECK_EVENTS = ['pull_request', 'pull_request_target'];

/** The time limit of a machine in bench.yml. An empty input means it, too. */
const DEFAULT_MINUTES = '60';

/** Inputs that are not keys of the configuration. */
const OWN_INPUTS = ['comment', 'token', 'artifact-name', 'working-directory'];

/**
 * The inputs that are keys of the configuration, and where their paths start. Misspelt ones are among them: the
 * configuration suggests the right one, where the runner would only warn.
 */
export function readInputs(env: Env): { inputs: Record<string, string>; cwd: string } {
  const inputs: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const input = /^INPUT_(.+)$/.exec(name)?.[1]?.toLowerCase();
    if (input && value && !OWN_INPUTS.includes(input)) inputs[input] = value;
  }
  const folder = (env['INPUT_WORKING-DIRECTORY'] ?? '').trim();
  const cwd = resolve(env.GITHUB_WORKSPACE ?? '.', folder);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError('no such folder', { where: { name: 'input working-directory' }, found: folder });
  }
  return { inputs, cwd };
}

/**
 * Reads the inputs of the reusable workflow from one JSON: keys of the configuration, the number of shards, and the
 * most minutes for a machine (null: not given). Its other inputs are for the workflow alone.
 */
export function readWorkflow(
  env: Env,
): ReturnType<typeof readInputs> & { shards: number | 'runtimes'; minutes: number | null } {
  const given = z.record(z.string(), z.unknown()).parse(JSON.parse(env.INPUT_INPUTS ?? '{}'));
  const known: readonly string[] = [...keysOf('input'), 'working-directory'];
  const inputs = Object.entries(given).flatMap(([name, value]) =>
    known.includes(name) ? [[`INPUT_${name.toUpperCase()}`, String(value)] as const] : [],
  );
  const wanted = String(given.shards ?? '').trim() || 'runtimes';
  const shards = at({ name: 'input shards' }, () =>
    wanted === 'runtimes' ? wanted : parseInteger(wanted, { min: 1, max: MAX_SHARDS }),
  );
  const limit = given['timeout-minutes'];
  const minutes = at({ name: 'input timeout-minutes' }, () =>
    limit === undefined ? null : parseInteger(String(limit).trim() || DEFAULT_MINUTES, { min: 1 }),
  );
  if (String(given.comment) !== 'false')
    readAsked({ pull: String(given['pull-request'] ?? ''), commit: String(given.ref ?? '') });
  if (given['artifact-name'] !== undefined) checkPattern(String(given['artifact-name']));
  return {
    ...readInputs({ ...Object.fromEntries(inputs), GITHUB_WORKSPACE: env.GITHUB_WORKSPACE }),
    ...{ shards, minutes },
  };
}

/** Reads the action's own inputs (`comment`, `token`, `artifact-name`) and where it runs. */
export function readJob(env: Env, event: unknown): WorkflowJob {
  const [owner = '', repo = ''] = (env.GITHUB_REPOSITORY ?? '').split('/');
  const number = pullNumber((event ?? {}) as Event);
  return {
    pull: number === null ? null : { owner, repo, number },
    isCheck: number !== null && CHECK_EVENTS.includes(env.GITHUB_EVENT_NAME ?? ''),
    ...readKey(env),
    token: env.INPUT_TOKEN ?? '',
    artifactName: readArtifactName(env),
    runUrl: `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`,
  };
}

function pullNumber({ pull_request, issue }: Event): number | null {
  const number = pull_request?.number ?? (issue?.pull_request ? issue.number : undefined);
  return typeof number === 'number' ? number : null;
}

/** Commits or branch that `compare-to: base` starts from. */
export function readBase(env: Env, event: unknown): { pull: PullEnds | null; branch: string | null } {
  return { pull: readPullEnds(env, event), branch: readBranch(env, event) };
}

/** The commits that the event's pull request or group of a merge queue lies between; null where it has neither. */
function readPullEnds(env: Env, event: unknown): PullEnds | null {
  const { pull_request: pull, merge_group: group } = (event ?? {}) as Event;
  if (isCommit(group?.base_sha) && isCommit(group.head_sha)) {
    const name = String(group.base_ref ?? group.base_sha).replace(/^refs\/heads\//, '');
    return { base: { commit: group.base_sha, name, isBelow: true }, head: { commit: group.head_sha } };
  }
  const { base, head } = pull ?? {};
  const [from, to] = [base?.sha, head?.sha];
  if (!isCommit(from) || !isCommit(to)) return null;
  // The commit of this event is on the default branch, which may have moved on or be another than the base.
  const isTarget = env.GITHUB_EVENT_NAME === 'pull_request_target' && pull?.merged !== true;
  return {
    // The name is only shown: whoever may name a branch may put anything into it.
    base: { commit: from, name: String(base?.ref ?? from) },
    head: { commit: to },
    ...(isTarget && isCommit(env.GITHUB_SHA) && { without: env.GITHUB_SHA }),
  };
}

/**
 * The branch that `compare-to: base` starts from where the event is about no pull request: what the workflow hands on
 * for a request in a comment, else the repository's default branch. A schedule always runs on that one, and its event may not
 * name it. Null where none is known.
 */
function readBranch(env: Env, event: unknown): string | null {
  const asked = env.PHP_RUNTIME_BENCH_BASE?.trim();
  if (asked) return asked;
  const branch = ((event ?? {}) as Event).repository?.default_branch;
  if (typeof branch === 'string' && branch !== '') return branch;
  return env.GITHUB_EVENT_NAME === 'schedule' ? env.GITHUB_REF_NAME || null : null;
}

const isCommit = (sha: unknown): sha is string =>
  typeof sha === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha);

function readKey(env: Env): Pick<WorkflowJob, 'key' | 'isKeyGiven'> {
  const comment = (env.INPUT_COMMENT ?? '').trim() || 'true';
  if (comment === 'false') return { key: null, isKeyGiven: false };
  if (comment !== 'true') return { key: comment, isKeyGiven: true };
  // Two steps, jobs or workflows that measure the same pull request each keep a comment of their own.
  const key = [env.GITHUB_WORKFLOW, env.GITHUB_JOB, env.GITHUB_ACTION].join('/');
  return { key, isKeyGiven: false };
}

/** Later jobs of the reusable workflow find artifacts by patterns that begin with the name, after all was measured. */
function checkPattern(name: string): void {
  if (name.trim() !== '' && !/^[!#]|["<>:|*?\r\n\\/[\]{}()]/.test(name)) return;
  throw new UserError('not a valid name of an artifact', {
    where: { name: 'input artifact-name' },
    found: quote(name),
    allowed: 'any characters but " < > : | * ? \\ / [ ] { } ( ) and line breaks; no ! or # in front',
  });
}

function readArtifactName(env: Env): string {
  const name = (env['INPUT_ARTIFACT-NAME'] ?? '').trim() || 'php-runtime-bench';
  if (/["<>:|*?\r\n\\/]/.test(name)) {
    throw new UserError('not a valid name of an artifact', {
      where: { name: 'input artifact-name' },
      found: name,
      allowed: 'any characters but " < > : | * ? \\ / and line breaks',
    });
  }
  return name;
}
