import { join, posix } from 'node:path';
import { UserError } from '../../errors.ts';
import type { Files } from '../files.ts';
import { quote } from '../text.ts';
import type { App } from '../types.ts';
import { isIgnored } from './dockerignore.ts';

export type Entries = Readonly<Record<string, unknown>>;

/** Parts of an app's composer.json. Names of packages are in lower case. */
export interface Composer {
  require: Entries;
  extra: Entries;
  config: Entries;
}

type Versions = NonNullable<App['versions']>;

/** A lock file of the largest apps has some MB. */
const MAX_LOCK_BYTES = 64 * 2 ** 20;

/** Reads composer.json; empty if there is none, or none that can be read: Composer will report what is wrong with it. */
export function readComposer(folder: string, files: Files): Composer {
  const { require, extra, config } = readJson(files.read(join(folder, 'composer.json'))) ?? {};
  return { require: lower(entriesOf(require)), extra: entriesOf(extra), config: entriesOf(config) };
}

/** Packages of composer.lock without those for development; null if there is no such file. */
export function readLocked(folder: string, files: Files): Entries[] | null {
  const locked = readLock(folder, files);
  if (!locked) return null;
  return Array.isArray(locked.packages) ? locked.packages.filter(isObject) : [];
}

/** Requirements on the platform that composer.json had when composer.lock was written. Names are in lower case. */
export function readLockedPlatform(folder: string, files: Files): Entries {
  return lower(readLock(folder, files)?.platform);
}

function readLock(folder: string, files: Files): Entries | null {
  return readJson(files.read(join(folder, 'composer.lock'), MAX_LOCK_BYTES));
}

/** The folder of the packages, relative to composer.json; null: outside the app, which only the container can see. */
export function vendorFolderOf({ config }: Pick<Composer, 'config'>): string | null {
  const folder = posix.normalize(String(config['vendor-dir'] ?? 'vendor')).replace(/(?<=.)\/$/, '');
  return folder.startsWith('/') || folder.split('/').includes('..') ? null : folder;
}

/** Files and folders, relative to composer.json, whose classes the autoloader knows by their list alone. */
export function listClassFolders(folder: string, files: Files): string[] {
  const { autoload } = readJson(files.read(join(folder, 'composer.json'))) ?? {};
  const { classmap } = entriesOf(autoload);
  return (Array.isArray(classmap) ? classmap : []).flatMap((path) =>
    typeof path === 'string' ? posix.normalize(path).replace(/\/?\*.*$|\/$/, '') : [],
  );
}

/** The folder of packages that are served: they are there, and `.dockerignore` does not leave them out. Null: none. */
export function findServedVendor(folder: string, files: Files): string | null {
  const vendor = vendorFolderOf(readComposer(folder, files));
  if (vendor === null) return null;
  const loader = join(vendor, 'autoload.php');
  if (files.kind(join(folder, loader)) !== 'file') return null;
  return isIgnored(files.read(join(folder, '.dockerignore')) ?? '', loader) ? null : vendor;
}

/** Packages of composer.lock that are in folders outside the app's: `'acme/shared' from '../../packages/shared'`. */
export function listOutside(folder: string, files: Files): string[] {
  return (readLocked(folder, files) ?? []).flatMap(({ name, dist }) => {
    const { type, url } = entriesOf(dist);
    const isOutside =
      type === 'path' && typeof url === 'string' && /^(\/|\.\.(\/|$))/.test(posix.normalize(url));
    return isOutside ? [`${quote(String(name))} from ${quote(url)}`] : [];
  });
}

/**
 * The build sees the app's folder alone: Composer could not install packages of others, and links to them would lead nowhere.
 *
 * @param real the path of a file or folder without links on the way; throws if there is none
 * @throws UserError a package of the app, or the folder of all of them, is elsewhere
 */
export function checkPathPackages(folder: string, files: Files, real: (path: string) => string): void {
  const ignored = files.read(join(folder, '.dockerignore')) ?? '';
  if (files.kind(join(folder, 'composer.json')) !== 'file' || isIgnored(ignored, 'composer.json')) return;
  const vendor = findServedVendor(folder, files);
  checkVendorPlace(folder, vendor, files, real);
  const outside = vendor === null ? listOutside(folder, files) : listLinked(folder, vendor, files, real);
  if (outside.length === 0) return;
  const where = vendor === null ? 'packages of composer.lock' : `linked packages in ${vendor}/`;
  throw new UserError(`${where} are outside the app's folder`, {
    found: outside.slice(0, 4).join(', '),
    allowed: 'packages within it: the build sees nothing else',
    hint: "copy them into vendor/ in a step before, with 'COMPOSER_MIRROR_PATH_REPOS=1 composer install --no-dev': it is used as it is. To compare commits, see 'A monorepo' in docs/apps.md",
  });
}

/** Throws a UserError if Composer's folder would not be in the image: only `/app` of the build gets there. */
function checkVendorPlace(
  folder: string,
  served: string | null,
  files: Files,
  real: (path: string) => string,
): void {
  const composer = readComposer(folder, files);
  const wanted = posix.normalize(String(composer.config['vendor-dir'] ?? ''));
  const isOutside = vendorFolderOf(composer) === null && !wanted.startsWith('/app/');
  const place = served === null ? null : real(join(folder, served));
  const isLink = place !== null && !`${place}/`.startsWith(`${real(folder)}/`);
  if (!isOutside && !isLink) return;
  throw new UserError("the folder of the packages is outside the app's folder", {
    found: isLink
      ? `${served}/ is a link to ${quote(place)}`
      : `vendor-dir ${quote(wanted)} in composer.json`,
    allowed: 'a folder within it: the build sees nothing else',
    hint: isLink
      ? 'remove the link, and run composer install'
      : 'set `vendor-dir` in composer.json to a folder of the app, such as vendor',
  });
}

/** Installed packages that are links out of the app's folder. */
function listLinked(folder: string, vendor: string, files: Files, real: (path: string) => string): string[] {
  const top = real(folder);
  return listInstalled(folder, vendor, files).flatMap(({ url, path }) => {
    const place = join(folder, path);
    if (url === null) return [];
    if (files.kind(place) !== 'folder' || real(place).startsWith(`${top}/`)) return [];
    return [`${quote(path)} to ${quote(url)}`];
  });
}

/** Installed packages: where they are in the app, and `url`, as composer.json has it, of those from folders on this machine. */
export function listInstalled(
  folder: string,
  vendor: string,
  files: Files,
): { path: string; url: string | null }[] {
  const file = join(folder, vendor, 'composer/installed.json');
  const { packages } = readJson(files.read(file, MAX_LOCK_BYTES)) ?? {};
  return (Array.isArray(packages) ? packages : []).flatMap((one) => {
    const { dist, 'install-path': path } = entriesOf(one);
    const { type, url } = entriesOf(dist);
    if (typeof path !== 'string') return [];
    const isLocal = type === 'path' && typeof url === 'string';
    return [{ path: join(vendor, 'composer', path), url: isLocal ? url : null }];
  });
}

/** Keys in lower case, of what should be an object. */
export function lower(value: unknown): Entries {
  return Object.fromEntries(Object.entries(entriesOf(value)).map(([key, one]) => [key.toLowerCase(), one]));
}

function entriesOf(value: unknown): Entries {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readJson(text: string | null): Entries | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The major versions of an app's packages, by name: those of composer.lock. Without such a file they are what composer.json
 * allows, as far as its constraints begin with a number.
 */
export function findVersions(folder: string, files: Files): Versions {
  const locked = readLocked(folder, files);
  if (locked) return versionsOf(locked);
  const { require: wanted, extra } = readComposer(folder, files);
  const symfony = (extra.symfony as { require?: unknown } | undefined)?.require;
  const entries = Object.entries(wanted).flatMap(([name, own]) => {
    // Symfony's plugin Flex narrows all constraints to that one.
    const constraint = symfony !== undefined && name.startsWith('symfony/') ? symfony : own;
    const ranges = typeof constraint === 'string' ? rangesOf(constraint) : [];
    if (ranges.length === 0) return [];
    const from = Math.min(...ranges.map((range) => range.from));
    const to = Math.max(...ranges.map((range) => range.to));
    return [[name, { from, to, written: `${constraint} in composer.json` }] as const];
  });
  return Object.fromEntries(entries);
}

function versionsOf(locked: readonly Entries[]): Versions {
  const entries = locked.flatMap(({ name, version }) => {
    if (typeof name !== 'string' || typeof version !== 'string') return [];
    const [range] = rangesOf(version);
    if (range === undefined) return [];
    return [[name.toLowerCase(), { ...range, written: `${version} in composer.lock` }] as const];
  });
  return Object.fromEntries(entries);
}

/** The major versions of each alternative; empty if one of them does not begin with one. */
function rangesOf(constraint: string): { from: number; to: number }[] {
  const ranges = constraint.split(/\|\|?/).map(rangeOf);
  return ranges.every((range) => range !== null) ? ranges : [];
}

function rangeOf(part: string): { from: number; to: number } | null {
  const [, operator = '', major] = /^\s*([\^~=]|>=?)?\s*v?(\d{1,5})\b/.exec(part) ?? [];
  if (major === undefined) return null;
  const from = Number(major);
  const last = /\s-\s+v?(\d{1,5})\b/.exec(part)?.[1];
  if (last !== undefined) return { from, to: Number(last) };
  if (!operator.startsWith('>')) return { from, to: from };
  const [, end, bound, minor] = /(<=?)\s*v?(\d{1,5})((?:\.\d+)*)/.exec(part) ?? [];
  if (bound === undefined) return { from, to: Number.POSITIVE_INFINITY };
  // `<8` and `<8.0` end with 7.
  const isWhole = end === '<' && /^[.0]*$/.test(minor ?? '');
  return { from, to: Number(bound) - (isWhole ? 1 : 0) };
}
