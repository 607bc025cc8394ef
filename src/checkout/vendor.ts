import { existsSync, realpathSync } from 'node:fs';
import { basename, isAbsolute, join, relative } from 'node:path';
import { realFiles } from '../config/files.ts';
import { listClassFolders, listInstalled, readComposer, vendorFolderOf } from '../config/parts/composer.ts';
import { isIgnored } from '../config/parts/dockerignore.ts';
import type { Source } from './checkout.ts';
import type { Git } from './git.ts';
import { listChanged } from './head.ts';
import { idAt, type Repository, readAt, typeAt } from './repository.ts';

/** Composer has to install the packages of both sides. */
export const INSTALL = Symbol('install');

type Bring = Source['bring'];

/** The folder of an app on the disk, and its path in the repository. */
interface AppPlace {
  folder: string;
  path: string;
}

/** A map of 100,000 classes has some 15 MB. */
const MAX_MAP_BYTES = 64 * 2 ** 20;

/**
 * Installed packages are hardly ever in git, so another commit comes without them. If composer.json and composer.lock
 * are the same on both sides, the packages of the checkout serve both. If they differ, or `.dockerignore` leaves them out
 * of one side, or some are elsewhere in the app, both are installed anew. The options of an earlier install, such as
 * packages for development, must not affect one side alone. A composer.lock that git ignores is no difference.
 *
 * @returns the folders to bring along; empty where none is needed
 */
export async function findVendor(
  repository: Repository,
  commit: string,
  app: AppPlace,
): Promise<Bring | typeof INSTALL> {
  const { git } = repository;
  const at = (name: string) => (app.path === '' ? name : `${app.path}/${name}`);
  const folder = vendorFolderOf(readComposer(app.folder, realFiles));
  // The app itself would take its code to the base.
  if (folder === null || folder === '.') return [];
  const loader = join(folder, 'autoload.php');
  if (!existsSync(join(app.folder, loader))) return [];
  if ((await typeAt(repository, commit, at('composer.json'))) === null) return [];
  if ((await typeAt(repository, commit, at(loader))) !== null) return [];
  // Installed anew, the folder would lose code in it that git has.
  const list = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit, '--', at(folder)];
  const install: Bring | typeof INSTALL = hasCode((await git.try(list)).stdout) ? [] : INSTALL;
  const ignored = [
    realFiles.read(join(app.folder, '.dockerignore')),
    await readAt(repository, commit, at('.dockerignore')),
  ].filter((text) => isIgnored(text ?? '', loader));
  if (ignored.length > 0) return ignored.length === 1 ? install : [];
  // Code in it that git has belongs to the commit: the copy would put that of the checkout there.
  const differing = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', commit, '--', at(folder)];
  if (hasCode((await git.try(differing)).stdout)) return [];
  for (const name of ['composer.json', 'composer.lock']) {
    const there = await idAt(repository, commit, at(name));
    const file = join(app.folder, name);
    // An install would follow it in the checkout alone.
    if (there === null && (await isIgnoredByGit(git, at(name)))) continue;
    // By its path, so that line ends count as git would store them.
    const here = existsSync(file) ? await git.run(['hash-object', '--end-of-options', file]) : null;
    if (here !== there) return install;
  }
  if (await hasStaleClasses(repository, commit, app, folder)) return install;
  if (await lacksPackages(repository, commit, app, folder)) return install;
  const vendor = { from: join(app.folder, folder), to: at(folder) };
  return [vendor, ...(await findCopied(repository, commit, app, folder))];
}

async function isIgnoredByGit(git: Git, path: string): Promise<boolean> {
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '--', path];
  return (await git.try(list)).stdout !== '';
}

/** Whether a list of git's, with zeros between its paths, has PHP code. */
const hasCode = (paths: string) => paths.split('\0').some((path) => path.endsWith('.php'));

/** Whether Composer put packages beside its folder that the commit has not, as composer/installers does with WordPress. */
async function lacksPackages(
  repository: Repository,
  commit: string,
  app: AppPlace,
  vendor: string,
): Promise<boolean> {
  for (const { path } of listInstalled(app.folder, vendor, realFiles)) {
    if (path.startsWith(`${vendor}/`) || path.startsWith('..')) continue;
    if ((await typeAt(repository, commit, join(app.path, path))) === null) return true;
  }
  return false;
}

/**
 * The repository's own packages of which Composer made copies: those in the checkout are of the checkout. Links are none,
 * they lead to the package of either side.
 */
async function findCopied(
  repository: Repository,
  commit: string,
  app: AppPlace,
  vendor: string,
): Promise<Bring> {
  const copied: Bring[number][] = [];
  for (const { url, path } of listInstalled(app.folder, vendor, realFiles)) {
    if (url === null) continue;
    const from = isAbsolute(url) ? relative(repository.top, url) : join(app.path, url);
    const to = join(app.path, path);
    // A path out of the folder, and a package around it, are no copies.
    if (!path.startsWith(`${vendor}/`) || !isReal(app.folder, path) || !relative(from, to).startsWith('..'))
      continue;
    if ((await typeAt(repository, commit, from)) !== 'tree') continue;
    if ((await listChanged(repository.git, commit, from)).length > 0) copied.push({ from, to });
  }
  return copied;
}

/** Whether there is no link on the way. */
function isReal(folder: string, path: string): boolean {
  const real = join(realpathSync(folder), path);
  return existsSync(real) && realpathSync(real) === real;
}

/**
 * Whether the autoloader finds classes by its list of files alone, and the commit has files of them that are gone since. An
 * optimised autoloader looks by PSR-4, too, for what its list has not.
 */
async function hasStaleClasses(
  { git }: Repository,
  commit: string,
  app: AppPlace,
  vendor: string,
): Promise<boolean> {
  const read = (name: string) =>
    realFiles.read(join(app.folder, vendor, 'composer', name), MAX_MAP_BYTES) ?? '';
  if (!read('autoload_classmap.php').includes('$baseDir . ')) return false;
  const isWhole = read('autoload_real.php').includes('setClassMapAuthoritative(true)');
  const listed = listClassFolders(app.folder, realFiles).map((path) => join(app.path, path));
  const list = async (filter: string) => {
    const flags = ['--name-only', '-z', '--no-renames', '--no-ext-diff', `--diff-filter=${filter}`];
    const { stdout } = await git.try(['diff', ...flags, commit, '--', app.path || '.']);
    return stdout.split('\0').filter((file) => /\.(php|inc)$/.test(file));
  };
  const isListed = (file: string) =>
    listed.some((path) => path === '.' || file === path || file.startsWith(`${path}/`));
  // A class that moved is looked for in its new place alone.
  const added = new Set((await list('A')).map((file) => basename(file)));
  return (await list('D')).some((file) => isWhole || isListed(file) || added.has(basename(file)));
}
