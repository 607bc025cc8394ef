import { cp, lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../errors.ts';
import type { ExecOptions, Host } from '../host.ts';
import { makeTemporary } from '../temporary.ts';
import { connectGit, settingsEnv } from './git.ts';

/** The files of another commit, in a folder of their own. */
export interface Checkout {
  folder: string;
  remove(): Promise<void>;
}

/** A commit to check out. */
export interface Source {
  /** Top folder of the repository. */
  top: string;
  commit: string;
  /**
   * Folders to copy that git does not have; `to` is relative to the top of the checkout, and so is `from` if it is a
   * folder of the commit.
   */
  bring: readonly { from: string; to: string }[];
}

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
  const folder = await makeTemporary(run, 'base');
  const files = join(folder, 'files');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await mkdir(files);
    const git = connectGit(host, top);
    const filters = await git.try(['config', '--null', '--name-only', '--get-regexp', '^filter\\.']);
    const settings = {
      // All of it, also where the user's own work tree is sparse.
      'core.sparseCheckout': 'false',
      // It would write a second index into the repository.
      'core.splitIndex': 'false',
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
      await refuseLinks(files, dirname(to));
      await rm(join(files, to), { recursive: true, force: true });
      await cp(resolve(files, from), join(files, to), {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
      });
    }
  } catch (error) {
    await remove();
    options.signal?.throwIfAborted();
    throw error;
  }
  return { folder: files, remove };
}

/** UserError if a link of the commit is on the way to a folder: it may lead anywhere. */
async function refuseLinks(files: string, folder: string): Promise<void> {
  for (let path = folder; path !== '.'; path = dirname(path)) {
    const found = await lstat(join(files, path)).catch(() => null);
    if (found?.isSymbolicLink()) throw new UserError(`${path} is a link, so no packages are copied there`);
  }
}
