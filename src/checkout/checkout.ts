import { cp, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecOptions, Host } from '../host.ts';
import { connectGit, settingsEnv } from './git.ts';

/** The files of another commit, in a folder of their own. */
export interface Checkout {
  folder: string;
  remove(): Promise<void>;
}

/** What to check out. */
export interface Source {
  /** Top folder of the repository. */
  top: string;
  commit: string;
  /** What git does not have: folders to copy, and where to, relative to the top of the checkout. */
  bring: readonly { from: string; to: string }[];
}

const NAME = /^php-runtime-bench-(\d{8}-\d{6}-[0-9a-f]{4})-base$/;
const folderOf = (run: string) => join(tmpdir(), `php-runtime-bench-${run}-base`);

/**
 * Writes the files of a commit into a temporary folder that carries the run's id.
 *
 * Not by `git worktree`: that writes into the repository, and what a killed run leaves there stays until somebody
 * prunes it. An index of our own and another work tree do the same, with no trace in the repository, no hook that
 * could run, no branch that is taken. Filters (Git LFS is one) run programs, so they are off: their files come as they
 * are stored. Submodules are not fetched. Errors: GitError.
 */
export async function checkOut(
  host: Host,
  { top, commit, bring }: Source,
  run: string,
  options: Pick<ExecOptions, 'signal'>,
): Promise<Checkout> {
  const folder = folderOf(run);
  const files = join(folder, 'files');
  const remove = () => rm(folder, { recursive: true, force: true });
  // Not recursive: a folder that is there already is somebody else's.
  await mkdir(folder, { mode: 0o700 });
  try {
    await writeFile(join(folder, 'owner'), JSON.stringify({ pid: process.pid, host: hostname() }));
    await mkdir(files);
    const git = connectGit(host, top);
    const filters = await git.try(['config', '--null', '--name-only', '--get-regexp', '^filter\\.']);
    const settings = {
      // All of it, also where the user's own work tree is sparse.
      'core.sparseCheckout': 'false',
      ...Object.fromEntries(
        filters.stdout
          .split('\0')
          .filter(Boolean)
          .map((key) => [key, key.endsWith('.required') ? 'false' : '']),
      ),
    };
    const env = { GIT_INDEX_FILE: join(folder, 'index'), ...settingsEnv(settings) };
    await git.run([`--work-tree=${files}`, 'read-tree', '--reset', '-u', '--no-recurse-submodules', commit], {
      ...options,
      env,
    });
    options.signal?.throwIfAborted();
    for (const { from, to } of bring) {
      await cp(from, join(files, to), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    }
  } catch (error) {
    await remove();
    options.signal?.throwIfAborted();
    throw error;
  }
  return { folder: files, remove };
}

/** Removes what a run has checked out. Returns whether there was anything. Never throws: it is what happens last. */
export async function removeCheckout(run: string): Promise<boolean> {
  const there = (await lstat(folderOf(run)).catch(() => null)) !== null;
  await rm(folderOf(run), { recursive: true, force: true }).catch(() => {});
  return there;
}

/** Removes what killed runs of this machine have left. */
export async function sweepCheckouts(host: Host, say: (line: string) => void): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const run = NAME.exec(name)?.[1];
    if (run === undefined || (await isInUse(host, join(tmpdir(), name)))) continue;
    if (await removeCheckout(run)) say(`removed what run ${run} had left behind: ${name}`);
  }
}

/** Whoever cannot be told to be dead lives: on another machine, or just about to say who it is. */
async function isInUse(host: Host, folder: string): Promise<boolean> {
  try {
    const { pid, host: machine } = JSON.parse(await readFile(join(folder, 'owner'), 'utf8'));
    return machine !== hostname() || host.isAlive(Number(pid));
  } catch {
    const made = (await lstat(folder).catch(() => null))?.mtimeMs ?? host.now();
    return host.now() - made < 60_000;
  }
}
