import { basename, join, resolve } from 'node:path';
import { UserError } from '../../errors.ts';
import type { Files } from '../files.ts';
import { NAME, quote, refuse, suggest } from '../text.ts';
import type { App, AppKind } from '../types.ts';
import {
  type Composer,
  findServedVendor,
  findVersions,
  lower,
  readComposer,
  readLocked,
} from './composer.ts';

/** Names of the apps that come with us. */
export function bundledApps(packageRoot: string, files: Files): string[] {
  const folder = join(packageRoot, 'apps');
  return files.list(folder).filter((name) => files.kind(join(folder, name)) === 'folder');
}

/** The kind of app that a requirement of composer.json shows, the first one that is there. */
const KINDS: Readonly<Record<string, AppKind>> = {
  'laravel/framework': 'laravel',
  'laravel/lumen-framework': 'lumen',
  'symfony/framework-bundle': 'symfony',
};

/** Frameworks require these, also where no composer.lock names them. */
const REQUIRED: Partial<Record<AppKind, readonly string[]>> = {
  laravel: ['ext-mbstring'],
  lumen: ['ext-mbstring'],
};

/** Extensions that the official images have without being asked, by `php -m`. */
const BUILT_IN = new Set(
  `core ctype curl date dom fileinfo filter hash iconv json libxml mbstring mysqlnd openssl pcre pdo pdo_sqlite phar
  posix random readline reflection session simplexml sodium spl sqlite3 standard tokenizer xml xmlreader xmlwriter
  opcache zlib`.split(/\s+/),
);

/** Those that images lack from a version of PHP on: mbstring was there for PECL, which is gone. */
const DROPPED: ReadonlyMap<string, string> = new Map([['mbstring', '8.6']]);

/** Extensions to compile for an app on a version of PHP. */
export function extensionsFor(
  { extensions, dropped = [] }: Pick<App, 'extensions' | 'dropped'>,
  php: string,
): string[] {
  const lacks = (name: string) => php.localeCompare(DROPPED.get(name) ?? '', 'en', { numeric: true }) >= 0;
  return [...extensions, ...dropped.filter(lacks)].sort();
}

/** `ext-intl` → `intl`; undefined: it is no extension. */
const extensionOf = (name: string) => /^ext-([a-z][a-z0-9_]*)$/.exec(name)?.[1];

/** Extensions that locked packages require, unless one of them or composer.json stands in for it. */
function findLockedExtensions(folder: string, { config }: Composer, files: Files): string[] {
  const locked = readLocked(folder, files) ?? [];
  const namesOf = (...values: unknown[]) => values.flatMap((value) => Object.keys(lower(value)));
  const replaced = new Set([
    ...namesOf(config.platform),
    ...locked.flatMap(({ provide, replace }) => namesOf(provide, replace)),
  ]);
  return locked.flatMap(({ require }) => namesOf(require)).filter((name) => !replaced.has(name));
}

/** Facts about an app that its kind and extensions follow from. */
interface Found {
  /** Packages that it requires, by name. */
  requirements: readonly string[];
  /** Names such as `ext-intl` that its packages require. */
  below?: readonly string[];
  handler: boolean;
  /** Whether it has the list of bundles that each Symfony app has, whatever package brings the framework. */
  bundles?: boolean;
}

/** Kind and extensions of an app: as set, else from what was found. Extensions are added to those that were found. */
export function judgeApp(
  { requirements, below = [], handler, bundles = false }: Found,
  said: { kind?: AppKind | undefined; extensions?: readonly string[] | undefined },
): Pick<App, 'kind' | 'handler' | 'extensions' | 'dropped' | 'leftOut' | 'packages'> {
  const framework =
    Object.entries(KINDS).find(([name]) => requirements.includes(name))?.[1] ??
    (bundles ? 'symfony' : undefined);
  const own = handler && requirements.includes('psr/http-server-handler') ? 'psr15' : 'plain';
  const given = said.extensions ?? [];
  const named = new Set(given.map((name) => name.replace(/^:|-.*$/g, '')));
  const leftOut = given.filter((name) => name.startsWith(':'));
  const kind = said.kind ?? framework ?? own;
  const required = [...requirements, ...below, ...(REQUIRED[kind] ?? [])].flatMap(
    (name) => extensionOf(name) ?? [],
  );
  const wanted = [...new Set(required)].filter((name) => !named.has(name));
  const dropped = wanted.filter((name) => DROPPED.has(name));
  return {
    kind,
    handler,
    extensions: [
      ...wanted.filter((name) => !BUILT_IN.has(name)),
      ...given.filter((name) => !name.startsWith(':')),
    ],
    ...(dropped.length > 0 && { dropped }),
    ...(leftOut.length > 0 && { leftOut }),
    packages: requirements,
  };
}

/** As `judgeApp`, for an app on the disk. */
export function describeApp(folder: string, files: Files, said: Parameters<typeof judgeApp>[1]) {
  const composer = readComposer(folder, files);
  const isFile = (name: string) => files.kind(join(folder, name)) === 'file';
  const judged = judgeApp(
    {
      requirements: Object.keys(composer.require),
      below: findLockedExtensions(folder, composer, files),
      handler: isFile('handler.php'),
      bundles: isFile('config/bundles.php'),
    },
    said,
  );
  const versions = findVersions(folder, files);
  return { ...judged, ...(Object.keys(versions).length > 0 && { versions }) };
}

/** The app's environment; by default the production mode of its framework. */
export function frameworkEnvironment(
  { kind }: Pick<App, 'kind'>,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const preset: Partial<Record<App['kind'], Record<string, string>>> = {
    symfony: { APP_ENV: 'prod', APP_DEBUG: '0' },
    laravel: { APP_ENV: 'production', APP_DEBUG: 'false' },
    lumen: { APP_ENV: 'production', APP_DEBUG: 'false' },
  };
  return { ...preset[kind], ...env };
}

/**
 * Name and folder of an app from what the user wrote: a folder relative to `base`, the name of a bundled app, or `name=folder`.
 * A folder comes before a bundled app of the same name. `written`: the folder as it was given.
 */
export function findApp(
  text: string,
  base: string,
  packageRoot: string,
  files: Files,
): Pick<App, 'name' | 'folder'> & { written: string } {
  const named = /^([^=/\\]+)=(.+)$/.exec(text);
  const isFolder = files.kind(resolve(base, text)) === 'folder';
  const [as, where] = named?.[1] && named[2] && !isFolder ? [named[1], named[2]] : [undefined, text];
  if (as !== undefined && !NAME.test(as))
    throw refuse('invalid name of an app', as, 'letters, digits, dot, _ and -');
  const bundled = bundledApps(packageRoot, files);
  const own = resolve(base, where);
  const folder =
    files.kind(own) !== 'folder' && bundled.includes(where) ? join(packageRoot, 'apps', where) : own;
  if (files.kind(folder) !== 'folder') {
    throw refuse(
      'no such app',
      where,
      `an existing folder, or a bundled app: ${bundled.join(', ')}`,
      suggest(where, bundled),
    );
  }
  return { name: as ?? nameOf(folder), folder, written: where };
}

/** Composer's list of installed packages is long: some MB in the largest apps. */
const MAX_INSTALLED_BYTES = 64 * 2 ** 20;

/** The packages for development that an app is served with, by name; none where Composer installs anew. */
export function findDevPackages(folder: string, files: Files): string[] {
  const vendor = findServedVendor(folder, files);
  if (vendor === null) return [];
  const list = join(folder, vendor, 'composer/installed.json');
  try {
    const installed = JSON.parse(files.read(list, MAX_INSTALLED_BYTES) ?? '{}');
    const names = installed.dev === true ? installed['dev-package-names'] : [];
    return names.filter((name: unknown) => typeof name === 'string' && /^[\w.-]+\/[\w.-]+$/.test(name));
  } catch {
    // Not as Composer 2 writes it: nothing is known of it.
    return [];
  }
}

function nameOf(folder: string): string {
  const name = basename(folder)
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 64);
  return NAME.test(name) ? name : 'app';
}

/** Throws when two apps would have one name. */
export function checkAppNames(apps: readonly App[]): void {
  const twice = apps.find(({ name }, i) => apps.findIndex((other) => other.name === name) !== i);
  if (twice) {
    throw new UserError('two apps have the same name', {
      found: quote(twice.name),
      allowed: 'different names',
      hint: "name them: 'base=../base,head=.'",
    });
  }
}
