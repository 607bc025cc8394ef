import { join, relative } from 'node:path';
import { isSettings, realFiles } from '../config/files.ts';
import { listInstalled, readComposer, vendorFolderOf } from '../config/parts/composer.ts';
import { isIgnored, listResultFolders } from '../config/parts/dockerignore.ts';
import type { App } from '../config/types.ts';
import type { Git } from './git.ts';

/** No request reads them, or both sides get their own. */
const UNSERVED = [
  /(^|\/)(node_modules|\.git|\.idea|\.vscode|\.DS_Store|\.phpunit\.result\.cache|auth\.json|.*\.log|var\/(cache|log))\/?$/,
  /(^|\/)(bootstrap\/cache|storage\/(framework|logs|debugbar))\//,
];

/** The packages of both sides: the checkout's, those that Composer installs anew, or what each side has. */
export type Packages = 'brought' | 'installed' | 'unlike';

/**
 * Lists the files of an app that git ignores, such as `.env` and built assets: only the checkout is built with them.
 *
 * @param path of the app in the repository
 * @param made `out`: our own results; `prepare`: commands that both sides run, which make the files that they name
 * @returns paths in the repository, those of folders with a slash at their end
 */
export async function listOnlyHere(
  git: Git,
  { folder }: Pick<App, 'folder'>,
  path: string,
  made: { out: string; prepare: readonly string[]; packages: Packages },
): Promise<string[]> {
  const { out, prepare, packages } = made;
  const { code, stdout } = await git.try([
    ...['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z', '--', path || '.'],
  ]);
  if (code !== 0) return [];
  const ignored = realFiles.read(join(folder, '.dockerignore')) ?? '';
  const results = listResultFolders(folder, realFiles);
  const vendor = vendorFolderOf(readComposer(folder, realFiles));
  const installs = prepare.some((command) => /\bcomposer\b/.test(command));
  const installed =
    packages !== 'unlike' && vendor !== null && vendor !== '.'
      ? [vendor, ...listInstalled(folder, vendor, realFiles).map((one) => one.path)]
      : [];
  const isVendor = (own: string) =>
    own === vendor ||
    // No build reads it if vendor/ is there.
    (own === 'composer.lock' && packages === 'brought' && !installs) ||
    (installs && /(^|\/)vendor$/.test(own)) ||
    installed.some((one) => own === one || own.startsWith(`${one}/`));
  // In a Symfony app git ignores all of it: the caches of both sides, and perhaps a database.
  const openVar = (found: string) =>
    /(^|\/)var\/$/.test(found)
      ? realFiles.list(join(folder, relative(path || '.', found))).map((name) => found + name)
      : found;
  // Git names the outermost folder, in which there may be more than packages.
  const open = (found: string): string[] => {
    const own = relative(path || '.', found);
    if (!installed.some((one) => one.startsWith(`${own}/`))) return [found];
    return realFiles.list(join(folder, own)).flatMap((name) => open(join(found, name)));
  };
  return stdout
    .split('\0')
    .flatMap(openVar)
    .flatMap(open)
    .filter((found) => {
      const own = relative(path || '.', found);
      if (
        found === '' ||
        UNSERVED.some((names) => names.test(found)) ||
        isVendor(own) ||
        results.includes(own.split('/', 1)[0] as string) ||
        isSettings(own)
      )
        return false;
      if (`${out}/`.startsWith(found.replace(/\/?$/, '/')) || found.startsWith(`${out}/`)) return false;
      return !isIgnored(ignored, own) && !prepare.some((command) => names(command, own));
    });
}

/** Whether a command has the path as a word of its own: `touch database/database.sqlite`, not `.env.example` for `.env`. */
function names(command: string, path: string): boolean {
  return command.split(/[\s;&|<>'"]+/).some((word) => word.replace(/^\.\//, '') === path);
}
