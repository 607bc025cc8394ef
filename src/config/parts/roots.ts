import { basename, dirname, join } from 'node:path';
import { UserError } from '../../errors.ts';
import type { Files } from '../files.ts';
import { escapeText, NAME, quote, refuse } from '../text.ts';
import type { App } from '../types.ts';
import { findServedVendor, readComposer } from './composer.ts';

/** The folders in which frameworks keep their front controller, in the order we look. */
export const ROOTS = ['public', 'web', 'webroot', 'pub', 'public_html', '.'];

/** An app's document root, relative to its folder, and whether the build makes its index.php. */
type Root = Pick<App, 'root' | 'makesIndex'>;

type Extra = Readonly<Record<string, unknown>>;

/** Packages that make index.php as Composer installs them, with its folder as `extra` of composer.json has it. */
const MAKERS: Readonly<Record<string, (extra: Extra) => unknown>> = {
  'drupal/core-composer-scaffold': (extra) => dig(extra, 'drupal-scaffold', 'locations', 'web-root') ?? '.',
  'typo3/cms-core': (extra) => dig(extra, 'typo3/cms', 'web-dir') ?? 'public',
  'magento/product-community-edition': () => 'pub',
  'magento/product-enterprise-edition': () => 'pub',
  'magento/magento-cloud-metapackage': () => 'pub',
  'mage-os/product-community-edition': () => 'pub',
};

function dig(value: unknown, ...names: string[]): unknown {
  return names.reduce((inner, name) => (inner as Extra | undefined)?.[name], value);
}

/** Whether Composer makes the index.php of an app with these packages. */
export function makesIndex(packages: readonly string[]): boolean {
  return packages.some((name) => Object.hasOwn(MAKERS, name));
}

/** The document root of a PHP app, relative to its folder; null when there is no index.php where one is looked for. */
function findRoot(folder: string, files: Files): string | null {
  return ROOTS.find((root) => hasIndex(folder, root, files)) ?? null;
}

function hasIndex(folder: string, root: string, files: Files): boolean {
  return files.kind(join(folder, root, 'index.php')) === 'file';
}

/** Whether Composer installs packages in the build: there are none, or they are left out. */
function isInstalled(folder: string, files: Files): boolean {
  return files.kind(join(folder, 'composer.json')) === 'file' && findServedVendor(folder, files) === null;
}

/**
 * The document root where an index.php is looked for, or where Composer makes one.
 * @param written what `findApp` has for the folder, for a hint
 * @throws UserError there is none
 */
export function guessRoot(folder: string, written: string, files: Files): Root {
  const root = findRoot(folder, files);
  if (root !== null) return { root };
  const { require, extra } = readComposer(folder, files);
  const maker = Object.keys(require).find((name) => Object.hasOwn(MAKERS, name));
  const made = maker === undefined ? undefined : tidy(String(MAKERS[maker]?.(extra)));
  if (made !== undefined && isRoot(made) && hasIndex(folder, made, files)) return { root: made };
  if (made !== undefined && isRoot(made) && isInstalled(folder, files))
    return { root: made, makesIndex: true };
  throw new UserError('no index.php in the app', {
    found: `folder ${quote(folder)}`,
    allowed: ROOTS.map((at) => join(at, 'index.php')).join(', '),
    hint: hintAt(sortByDepth(findBelow(folder, files)), { folder, written, files }),
  });
}

function hintAt(
  below: readonly string[],
  { folder, written, files }: { folder: string; written: string; files: Files },
): string {
  const isApp = files.kind(join(folder, 'composer.json')) === 'file';
  const [first] = below;
  if (first === undefined) {
    const made = isApp ? ', also if Composer or a command of prepare makes its index.php' : '';
    return `set the document root: 'root: FOLDER' in .bench.yml or --root FOLDER${made}; the demo is --app plain`;
  }
  const found = `found in ${below
    .slice(0, 4)
    .map((one) => escapeText(join(written, one)))
    .join(', ')}`;
  const last = first.split('/').at(-1) ?? '';
  const above = ROOTS.includes(last) ? join(first, '..') : null;
  const own = [first, above].find(
    (one) => one !== null && files.kind(join(folder, one, 'composer.json')) === 'file',
  );
  // Without one of its own, it is a document root of the app above.
  const app = own ?? (isApp ? null : above);
  const isServed = app === null && files.list(folder).some((name) => /^\w[\w.-]*\.php$/.test(name));
  const front = isServed
    ? '; if requests go to another file of the app, add an index.php that includes it'
    : '';
  if (app === null) return `${found}: 'root: ${first}' in .bench.yml or --root ${first}${front}`;
  const folderOfApp = escapeText(join(written, app));
  return `${found}: 'app: ${folderOfApp}' in .bench.yml or --app ${folderOfApp}`;
}

/** Neither hidden folders nor installed packages, and only names that a shell and a line of YAML take as they are. */
function listFolders(folder: string, files: Files): string[] {
  return files
    .list(folder)
    .filter((name) => NAME.test(name) && !['vendor', 'node_modules'].includes(name))
    .filter((name) => files.kind(join(folder, name)) === 'folder');
}

/** Folders with an index.php up to two levels below, or in a document root there: `backend/web`, `apps/shop/public`. */
function findBelow(folder: string, files: Files, levels = 2): string[] {
  return listFolders(folder, files).flatMap((name) => {
    const root = findRoot(join(folder, name), files);
    if (root !== null) return [join(name, root)];
    if (levels === 1) return [];
    return findBelow(join(folder, name), files, levels - 1).map((below) => join(name, below));
  });
}

/** The shallowest first: what is deeper is often a tool of the repository. A document root's own name counts as no level. */
function sortByDepth(below: readonly string[]): string[] {
  const depth = (path: string) => (ROOTS.includes(basename(path)) ? dirname(path) : path).split('/').length;
  return [...below].sort((a, b) => depth(a) - depth(b));
}

/** Whether somebody's own PHP app is in a folder, be it that its index.php is not where one is looked for. */
export function hasApp(folder: string, files: Files): boolean {
  return (
    findRoot(folder, files) !== null ||
    files.kind(join(folder, 'composer.json')) === 'file' ||
    findBelow(folder, files).length > 0
  );
}

const tidy = (root: string) => root.replace(/^\.\/+(?=.)/, '').replace(/(?<=.)\/+$/, '');

/** It ends up in the configuration of web servers: nothing there may need quoting. */
const isRoot = (root: string) =>
  /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(root) && !root.split('/').includes('..');

/**
 * A document root that the user has given, tidied. It may have no index.php yet if the build can make it.
 * @param prepared whether commands run in the build
 * @throws UserError it is no folder in the app, or its index.php is missing while there is one elsewhere
 */
export function checkRoot(folder: string, written: string, prepared: boolean, files: Files): Root {
  const root = tidy(written);
  if (!isRoot(root))
    throw refuse('not a document root', written, "a folder within the app such as 'public', or '.'");
  if (hasIndex(folder, root, files)) return { root };
  const elsewhere = findRoot(folder, files);
  const composed =
    isInstalled(folder, files) &&
    (elsewhere === null || makesIndex(Object.keys(readComposer(folder, files).require)));
  if (prepared || composed) return { root, makesIndex: true };
  const found = [...new Set([...(elsewhere === null ? [] : [elsewhere]), ...findBelow(folder, files)])];
  throw refuse(
    'no index.php in the document root',
    written,
    `a folder of ${quote(folder)} with an index.php`,
    found[0] === undefined ? undefined : `found in ${found.slice(0, 4).map(escapeText).join(', ')}`,
  );
}

/**
 * The build sees the app's folder alone: a link out of it would lead nowhere.
 *
 * @param real the path of a file or folder without links on the way; throws if there is none
 * @throws UserError the document root, or its index.php, is such a link
 */
export function checkRootPlace(
  { folder, root }: Pick<App, 'folder' | 'root'>,
  files: Files,
  real: (path: string) => string,
): void {
  if (!hasIndex(folder, root, files)) return;
  const index = join(root, 'index.php');
  const place = real(join(folder, index));
  if (place.startsWith(`${real(folder)}/`)) return;
  throw new UserError("the document root is outside the app's folder", {
    found: `${quote(index)} leads to ${quote(place)}`,
    allowed: 'a folder within it: the build sees nothing else',
    hint: 'set `app` to the folder that has both, and `root` to the document root in it',
  });
}
