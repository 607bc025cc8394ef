import { posix, relative } from 'node:path';
import { isSettings } from '../config/files.ts';
import type { Config } from '../config/types.ts';
import type { Host } from '../host.ts';
import type { Results } from '../results/results.ts';
import { connectGit, type Git } from './git.ts';
import { locate } from './repository.ts';

/** So many of the changed files are named. */
const NAMED = 3;

/** The commit that is checked out, and what of the apps differs from it; null where they lie in no repository, or in several. */
export async function describeHead(
  config: Pick<Config, 'apps' | 'out'>,
  host: Host,
): Promise<NonNullable<Results['run']['head']> | null> {
  const places = await Promise.all(config.apps.map(({ folder }) => locate(host, folder)));
  const found = places.flatMap((place) => ('top' in place ? [place] : []));
  const [first] = found;
  if (!first || found.length < places.length || found.some(({ top }) => top !== first.top)) return null;
  const git = connectGit(host, first.top);
  const { code, stdout } = await git.try(['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (code !== 0) return null;
  const paths = found.map(({ path }) => path);
  const changed = await listUncommitted(git, paths, relative(first.top, config.out));
  const apps = Object.fromEntries(config.apps.map(({ name }, i) => [name, paths[i] || '.']));
  return { commit: stdout.trim(), uncommitted: changed.length, files: changed.slice(0, NAMED), apps };
}

/**
 * Files that differ from HEAD, in order, without our settings, which are no part of an app.
 *
 * @param paths folders to look in, '' is the top
 * @param out our own results, which are no change of the app's
 */
export async function listUncommitted(git: Git, paths: readonly string[], out: string): Promise<string[]> {
  const { stdout } = await git.try([
    ...['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal', '--'],
    ...paths.map((path) => path || '.'),
  ]);
  const changed = stdout.split('\0').flatMap((entry) => (entry ? [entry.slice(3)] : []));
  return changed.filter((path) => !isWithin(path, out) && !isSettingsIn(paths, path)).sort();
}

/** The most files of an app that are listed. */
const MOST = 2000;

/**
 * Files of an app that differ between a commit and what is checked out, uncommitted ones included, relative to the app's
 * folder. Untrusted text.
 *
 * @param folder where the app lies in the repository; '' is the top
 */
export async function listChanged(git: Git, commit: string, folder: string): Promise<string[]> {
  const changed = new Set<string>();
  const within = ['--', folder || '.'];
  const diff = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', commit];
  const lists = [diff, ['ls-files', '--others', '--exclude-standard', '-z']];
  for (const args of lists) {
    const { code, stdout } = await git.try(['--literal-pathspecs', ...args, ...within]);
    if (code !== 0) continue;
    for (const path of stdout.split('\0').filter(Boolean)) {
      changed.add(folder === '' ? path : path.slice(folder.length + 1));
    }
  }
  return [...changed].sort().slice(0, MOST);
}

/** Whether a file is our settings, directly in one of these folders. */
export function isSettingsIn(folders: readonly string[], file: string): boolean {
  return isSettings(posix.basename(file)) && folders.some((path) => posix.dirname(file) === (path || '.'));
}

/** Git names only an untracked folder itself, not the files in it. */
function isWithin(path: string, out: string): boolean {
  return path.endsWith('/') ? `${out}/`.startsWith(path) : path.startsWith(`${out}/`);
}
