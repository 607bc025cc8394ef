import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectGit, type Git, GitError, lastWords, settingsEnv } from '../checkout/git.ts';
import { escapeText, quote } from '../config/text.ts';
import { UserError } from '../errors.ts';
import type { Finished, Host } from '../host.ts';
import { makeScratch } from '../temporary.ts';
import { appendRecords, type Corrupt } from './file.ts';
import type { HistoryRecord } from './history-record.ts';

/** The history on its branch. */
export const HISTORY_FILE = 'history.ndjson';
const AS_IT_IS = `${HISTORY_FILE} -text -ident -filter !working-tree-encoding\n`;
/** A writer that loses every race against this many others has some other trouble. */
const ATTEMPTS = 12;

/** The branch that keeps the history, with no other history than its own. */
export interface Keep {
  /** A URL or a folder that git can push to. */
  remote: string;
  branch: string;
  /** Git's settings for reaching it, such as a header with a token: never on a command line. */
  settings?: Readonly<Record<string, string>>;
  /** The message of the commit. */
  message: string;
}

export interface Kept {
  added: number;
  corrupt: Corrupt[];
  /** How often another writer was faster. */
  lost: number;
}

/**
 * Adds records to the history on a branch, which is created where there is none. Any number of writers may do so at
 * once: a push never overwrites, and who comes second reads again what is there by then.
 */
export async function keepHistory(records: readonly HistoryRecord[], keep: Keep, host: Host): Promise<Kept> {
  const folder = await makeScratch('history');
  try {
    const git = connectGit(host, folder);
    const env = settingsEnv(keep.settings ?? {});
    if ((await git.try(['check-ref-format', `refs/heads/${keep.branch}`])).code !== 0) {
      throw new UserError('not a valid name of a branch', { found: keep.branch });
    }
    await git.run(['init', '--quiet']);
    // Byte by byte: these come before the attributes of the branch.
    await mkdir(join(folder, '.git/info'), { recursive: true });
    await writeFile(join(folder, '.git/info/attributes'), AS_IT_IS);
    for (let lost = 0; ; lost++) {
      const tip = await fetchTip(git, keep, env);
      const file = await checkOut(git, tip, folder);
      const { lines, added, corrupt } = appendRecords(await read(file), records);
      if (added === 0) return { added, corrupt, lost };
      await appendFile(file, lines);
      const commit = await commitFile(git, tip, file, keep.message);
      const push = ['push', '--quiet', '--porcelain', keep.remote, `${commit}:refs/heads/${keep.branch}`];
      const pushed = await git.try(push, { env });
      if (pushed.code === 0) return { added, corrupt, lost };
      if (!wasLate(pushed) || lost + 1 === ATTEMPTS) throw refusal(keep.branch, pushed);
      // Not all at once again.
      await host.sleep(Math.random() * 250 * 2 ** Math.min(lost, 5));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Null: there is no such branch. */
async function fetchTip(
  git: Git,
  { remote, branch }: Keep,
  env: Record<string, string>,
): Promise<string | null> {
  const list = ['ls-remote', '--exit-code', remote, `refs/heads/${branch}`];
  const listed = await git.try(list, { env });
  if (listed.code === 2) return null;
  if (listed.code !== 0) throw new GitError(list, listed);
  await git.run(['fetch', '--quiet', '--depth', '1', '--no-tags', remote, `refs/heads/${branch}`], { env });
  return git.run(['rev-parse', 'FETCH_HEAD']);
}

/** Everything that is on the branch into the index, and the history, byte by byte, into a file. */
async function checkOut(git: Git, tip: string | null, folder: string): Promise<string> {
  const file = join(folder, HISTORY_FILE);
  await rm(file, { force: true });
  if (tip === null) return file;
  await git.run(['read-tree', tip]);
  const there = await git.run(['ls-files', '--', HISTORY_FILE]);
  // A link would lead elsewhere.
  if (there !== '') await git.run(['-c', 'core.symlinks=false', 'checkout-index', '--', HISTORY_FILE]);
  return file;
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

/** Anything else on the branch stays. */
async function commitFile(git: Git, tip: string | null, file: string, message: string): Promise<string> {
  const blob = await git.run(['hash-object', '-w', '--no-filters', '--', file]);
  await git.run(['update-index', '--add', '--cacheinfo', `100644,${blob},${HISTORY_FILE}`]);
  const parents = tip === null ? [] : ['-p', tip];
  const tree = await git.run(['write-tree']);
  return git.run(['commit-tree', tree, ...parents, '-m', message], { env: IDENTITY });
}

/** That of GitHub's own bot, so that nobody is credited. */
const NAME = 'github-actions[bot]';
const EMAIL = '41898282+github-actions[bot]@users.noreply.github.com';
const IDENTITY = {
  ...{ GIT_AUTHOR_NAME: NAME, GIT_AUTHOR_EMAIL: EMAIL },
  ...{ GIT_COMMITTER_NAME: NAME, GIT_COMMITTER_EMAIL: EMAIL },
};

/** Why the remote does not take a push, in its own words: git's last line names none of a ruleset's reasons. */
function refusal(branch: string, { stdout, stderr }: Finished): UserError {
  const said = stderr.split('\n').flatMap((line) => /^remote:\s*(\S.*?)\s*$/.exec(line)?.[1] ?? []);
  const rejected = /^!.*\[(?:remote )?rejected\] \((.+)\)/m.exec(stdout)?.[1] ?? '';
  const reasons = [...said, rejected].filter(Boolean).join(' · ');
  return new UserError(`the history could not be pushed to the branch ${quote(branch)}`, {
    found: escapeText((reasons || lastWords(stderr)).slice(0, 500)),
    hint: 'exempt the branch from rulesets that require pull requests or signatures, or that restrict who creates branches',
  });
}

/** Another writer came between: not a fast-forward any more, or both were at the ref in the same moment. */
function wasLate({ stdout, stderr }: Finished): boolean {
  return (
    /^!.*\[rejected\] \((fetch first|non-fast-forward|stale info)\)/m.test(stdout) ||
    /cannot lock ref|reference already exists|failed to update ref|incorrect old value|\.lock': File exists/i.test(
      stdout + stderr,
    )
  );
}
