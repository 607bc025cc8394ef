import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realFiles } from '../config/files.ts';
import { readComposer, vendorFolderOf } from '../config/parts/composer.ts';
import { idAt, type Repository, typeAt } from './repository.ts';

/** Composer has to install the packages of both sides. */
export const INSTALL = Symbol('install');

/**
 * Installed packages are hardly ever in git, so another commit comes without them. If composer.json and composer.lock
 * are the same on both sides, the packages of the checkout serve both. If they differ, both are installed anew. The
 * options of an earlier install, such as packages for development, must not affect one side alone.
 *
 * @param path the app's folder, relative to the top
 * @returns the folder to bring along, relative to the app's; null where none is needed
 */
export async function findVendor(
  repository: Repository,
  commit: string,
  app: { folder: string; path: string },
): Promise<string | typeof INSTALL | null> {
  const { git } = repository;
  const at = (name: string) => (app.path === '' ? name : `${app.path}/${name}`);
  const folder = vendorFolderOf(readComposer(app.folder, realFiles));
  // The app itself would take its code to the base.
  if (folder === null || folder === '.' || !existsSync(join(app.folder, folder, 'autoload.php'))) return null;
  if ((await typeAt(repository, commit, at('composer.json'))) === null) return null;
  if ((await typeAt(repository, commit, at(folder))) !== null) return null;
  for (const name of ['composer.json', 'composer.lock']) {
    const there = await idAt(repository, commit, at(name));
    const file = join(app.folder, name);
    // By its path, so that line ends count as git would store them.
    const here = existsSync(file) ? await git.run(['hash-object', '--end-of-options', file]) : null;
    if (here !== there) return INSTALL;
  }
  return folder;
}
