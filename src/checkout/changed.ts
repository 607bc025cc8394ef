import type { Git } from './git.ts';

/** So many files are named. */
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
