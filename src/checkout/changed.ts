import type { Git } from './git.ts';

/** So many files are named. */
const MOST = 2000;

/**
 * Files of the apps that differ between a commit and what is checked out, uncommitted ones included, relative to the app's
 * folder. Untrusted text.
 *
 * @param folders where the apps lie in the repository; '' is the top
 */
export async function listChanged(git: Git, commit: string, folders: readonly string[]): Promise<string[]> {
  const changed = new Set<string>();
  for (const folder of new Set(folders)) {
    const within = ['--', folder || '.'];
    const lists = [
      [
        '--literal-pathspecs',
        'diff',
        '--name-only',
        '-z',
        '--no-renames',
        '--no-ext-diff',
        commit,
        ...within,
      ],
      ['--literal-pathspecs', 'ls-files', '--others', '--exclude-standard', '-z', ...within],
    ];
    for (const args of lists) {
      const { code, stdout } = await git.try(args);
      if (code !== 0) continue;
      for (const path of stdout.split('\0').filter(Boolean)) {
        changed.add(folder === '' ? path : path.slice(folder.length + 1));
      }
    }
  }
  return [...changed].sort().slice(0, MOST);
}
