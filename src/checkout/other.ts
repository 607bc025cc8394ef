import { at } from '../config/document.ts';
import { COMPARE_TO } from '../config/keys/compare-key.ts';
import { displayPath, escapeText, parseImage, quote } from '../config/text.ts';
import type { App, CompareOptions, CompareTo, Other, ReportOptions, RunOptions } from '../config/types.ts';
import type { ImageFound } from '../engine/image-store.ts';
import { UserError } from '../errors.ts';
import type { Results, Warning } from '../results/results.ts';
import { findResults } from '../store/stored.ts';
import { findBase, remedyOf } from './base.ts';
import type { Found, Surroundings } from './found.ts';
import {
  findCommit,
  locate,
  openRepository,
  type Repository,
  type Resolved,
  resolveRef,
} from './repository.ts';
import { describeTree } from './tree.ts';

/** The configuration of a comparison: apps, runtimes, versions of PHP, environment, `compare-to`, rules and the results folder. */
type Compared = Pick<RunOptions, 'apps' | 'runtimes' | 'php' | 'env' | 'prepare'> &
  Pick<CompareOptions, 'compareTo'> &
  Pick<ReportOptions, 'failOn' | 'out'>;

/**
 * Finds out what `compare-to` means: `base`, else an older results.json, else a git ref, else an image. UserError
 * where it is none of them, or where the app lies in no repository. Writes nothing but what git fetches, where it may.
 */
export async function findOtherSide(config: Compared, around: Surroundings): Promise<Found | null> {
  const { compareTo } = config;
  if (!compareTo) return null;
  const { given } = compareTo;
  if (given === 'base') {
    const { repository, apps } = await findRepository(config, around);
    const base = await findBase(repository, around.pull, around.branch ?? null);
    if ('reason' in base) return missing(given, base.ref, base.reason, base.remedy);
    const found = await describeTree({ given, ...base }, { config, around, repository, apps });
    const isHead = base.commit === (await findCommit(repository, 'HEAD'));
    // As on the default branch by schedule: both sides would have the same files. Uncommitted changes are compared.
    if (!isHead || !found.notes.some(({ code }) => code === 'same-as-base')) return found;
    const reason = `HEAD is part of ${base.ref}, and no compared file has changed since`;
    return missing(
      given,
      base.ref,
      reason,
      'nothing to do, or name another ref: compare-to: HEAD~1',
      'same-as-base',
    );
  }
  const earlier = await findResults(compareTo.path);
  if (earlier) return compareWithEarlier(config, compareTo, earlier);

  const tried = [`results: none at ${displayPath(compareTo.path, process.cwd())}`];
  const place = await at(compareTo.where, () => findRepository(config, around)).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    return error;
  });
  if (place instanceof UserError) tried.push(`git: ${place.message}`);
  else {
    const { repository, apps } = place;
    const found: Resolved | null = await resolveRef(repository, given);
    if (found && 'commit' in found) {
      const { commit, unasked } = found;
      const tree = await describeTree({ given, ref: given, commit }, { config, around, repository, apps });
      return unasked ? { ...tree, notes: [...tree.notes, asFetched(given, unasked)] } : tree;
    }
    if (found && 'reason' in found) {
      const reason = `${given} is not in this clone: ${found.reason}`;
      return missing(given, given, reason, remedyOf(repository));
    }
    const { top, remote } = repository;
    const there = found ? `, and ${found.unasked}` : remote === null ? '' : ` or at ${remote}`;
    tried.push(`git: no such commit, branch or tag in ${top}${there}`);
  }

  const image = await findImage(given, around);
  if (image === 'here' || image === 'unknown') {
    const other: Other = { kind: 'image', given, ref: given, image: given };
    return { other, source: null, earlier: null, notes: image === 'here' ? [] : [unchecked(given)] };
  }
  throw new UserError('nothing to compare with', {
    where: compareTo.where,
    found: `${quote(given)} (${[...tried, `image: ${image.reason}`].join('; ')})`,
    allowed: COMPARE_TO,
  });
}

const asFetched = (given: string, why: string): Warning => ({
  code: 'as-fetched',
  message: `${given} is as this clone last fetched it: ${why}`,
  remedy: 'nothing to do in a fresh clone; else run git fetch, and measure again',
  variant: null,
});

const unchecked = (image: string): Warning => ({
  code: 'not-checked',
  message: `${image} is treated as an image: it is neither a git ref nor a results file`,
  remedy: 'a run looks for it in the Docker engine',
  variant: null,
});

/** Nothing to compare with, and nobody's mistake: what is checked out is measured all the same. */
function missing(given: string, ref: string, reason: string, remedy: string, code = 'no-base'): Found {
  return {
    other: { kind: 'none', given, ref, commit: null, reason },
    source: null,
    earlier: null,
    notes: [{ code, message: `nothing to compare with: ${reason}`, remedy, variant: null }],
  };
}

function compareWithEarlier(
  { failOn }: Pick<Compared, 'failOn'>,
  { given, where }: CompareTo,
  earlier: Results,
): Found {
  if (failOn.length > 0) {
    throw new UserError('`fail-on` does not work when `compare-to` is a results file', {
      where,
      found: quote(given),
      allowed: "'base', a git ref or an image, which are measured in the same run",
    });
  }
  const ref = `run ${earlier.run.id}`;
  const other: Other = { kind: 'none', given, ref, commit: null, reason: null };
  return { other, source: null, earlier, notes: [] };
}

/** The one repository that all apps lie in, and where in it. */
async function findRepository(
  { apps, compareTo }: Pick<Compared, 'apps' | 'compareTo'>,
  { host, fetches, signal }: Surroundings,
): Promise<{ repository: Repository; apps: ReadonlyMap<App, string> }> {
  const paths = new Map<App, string>();
  let top: string | null = null;
  for (const app of apps) {
    const place = await locate(host, app.folder);
    const refuse = (
      message: string,
      found: string,
      hint = 'compare with an image or an older results.json instead',
    ) => new UserError(message, { ...(compareTo && { where: compareTo.where }), found, hint });
    if ('reason' in place) {
      const { reason, trust } = place;
      const lack = trust ? 'in a git repository of another user' : 'not in a git repository';
      throw refuse(`the app '${app.name}' is ${lack}`, `${app.folder}: ${reason}`, trust);
    }
    if (top !== null && top !== place.top) {
      throw refuse('the apps are in different git repositories', `${top} and ${place.top}`);
    }
    top = place.top;
    paths.set(app, place.path);
  }
  const repository = await openRepository(host, top ?? '.', fetches, {
    ...(signal && { signal }),
  });
  return { repository, apps: paths };
}

async function findImage(name: string, { findImage: find }: Surroundings): Promise<ImageFound> {
  try {
    parseImage(name);
  } catch {
    return { reason: 'not the name of one' };
  }
  return find(name);
}

/** The base of `compare-to` as results name it. */
export function describeOther(other: Other): NonNullable<Results['plan']['compareTo']> {
  const { given, ref } = other;
  return {
    ...{ given, ref },
    commit: 'commit' in other ? other.commit : null,
    reason: other.kind === 'none' ? other.reason : null,
  };
}

/** The same for people: `base: main, 4c0f362682`. */
export function sayOther(other: Other): string {
  const { given, ref, commit, reason } = describeOther(other);
  if (reason !== null) return `nothing: ${reason}`;
  const meant = [...(ref === given ? [] : [ref]), ...(commit === null ? [] : [commit.slice(0, 10)])];
  // A branch's name may hold what should not colour a terminal.
  return escapeText(meant.length > 0 ? `${given}: ${meant.join(', ')}` : given);
}
