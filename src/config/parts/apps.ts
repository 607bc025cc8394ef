import { basename, join, resolve } from 'node:path';
import { UserError } from '../../errors.ts';
import type { Files } from '../files.ts';
import { escapeText, NAME, quote, refuse, suggest } from '../text.ts';
import type { App, AppKind } from '../types.ts';
import { isIgnored } from './dockerignore.ts';
import { findVersions } from './package-versions.ts';

/** The folders in which frameworks keep their front controller, in the order we look. */
export const ROOTS = ['public', 'web', '.'];

/** The document root of a PHP app, relative to its folder; null when there is no index.php where one is looked for. */
export function findRoot(folder: string, files: Files): string | null {
  return ROOTS.find((root) => files.kind(join(folder, root, 'index.php')) === 'file') ?? null;
}

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

/** Extensions that the official images have without being asked, by `php -m`. */
const BUILT_IN = new Set(
  `core ctype curl date dom fileinfo filter hash iconv json libxml mbstring mysqlnd openssl pcre pdo pdo_sqlite phar
  posix random readline reflection session simplexml sodium spl sqlite3 standard tokenizer xml xmlreader xmlwriter
  opcache zlib`.split(/\s+/),
);

/** Names of the packages that composer.json requires; empty if there is no such file. */
function readRequirements(text: string | null): string[] {
  try {
    return Object.keys(JSON.parse(text ?? '{}').require ?? {}).map((name) => name.toLowerCase());
  } catch {
    // Composer will report what is wrong with it.
    return [];
  }
}

/** Kind and extensions of an app: as set, else from its requirements. */
export function judgeApp(
  requirements: readonly string[],
  handler: boolean,
  said: { kind?: AppKind | undefined; extensions?: readonly string[] | undefined },
): Pick<App, 'kind' | 'handler' | 'extensions' | 'packages'> {
  const framework = Object.entries(KINDS).find(([name]) => requirements.includes(name))?.[1];
  const own = handler && requirements.includes('psr/http-server-handler') ? 'psr15' : 'plain';
  const wanted = requirements.flatMap((name) => /^ext-([a-z][a-z0-9_]*)$/.exec(name)?.[1] ?? []);
  return {
    kind: said.kind ?? framework ?? own,
    handler,
    extensions: said.extensions ?? wanted.filter((name) => !BUILT_IN.has(name)),
    packages: requirements,
  };
}

/** As `judgeApp`, for an app on the disk. */
export function describeApp(folder: string, files: Files, said: Parameters<typeof judgeApp>[2]) {
  const requirements = readRequirements(files.read(join(folder, 'composer.json')));
  const judged = judgeApp(requirements, files.kind(join(folder, 'handler.php')) === 'file', said);
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

/**
 * As `findRoot`; throws a UserError when there is none.
 * @param written what `findApp` has for it, for a hint
 */
export function guessRoot(folder: string, written: string, files: Files): string {
  const root = findRoot(folder, files);
  if (root !== null) return root;
  const [below] = findBelow(folder, files);
  throw new UserError('no index.php in the app', {
    found: `folder ${quote(folder)}`,
    allowed: 'public/index.php, web/index.php or index.php',
    hint: hintAt(below, written),
  });
}

function hintAt(below: ReturnType<typeof findBelow>[number] | undefined, written: string): string {
  if (below && below.root !== '.') {
    const app = escapeText(join(written, below.name));
    return `found one in ${join(app, below.root)}: 'app: ${app}' in .bench.yml or --app ${app}`;
  }
  const root = below?.name ?? 'html';
  return `set the document root: 'root: ${root}' in .bench.yml or --root ${root}`;
}

/** Folders in this one that have an index.php where one is looked for: a project whose app lies further down. */
function findBelow(folder: string, files: Files): { name: string; root: string }[] {
  return files.list(folder).flatMap((name) => {
    // Names that a shell and a line of YAML take as they are; neither hidden ones nor what is installed.
    if (!NAME.test(name) || ['vendor', 'node_modules'].includes(name)) return [];
    const root = findRoot(join(folder, name), files);
    return root === null ? [] : [{ name, root }];
  });
}

/** Whether somebody's own PHP app is in a folder, be it that its index.php is not where one is looked for. */
export function hasApp(folder: string, files: Files): boolean {
  return (
    findRoot(folder, files) !== null ||
    files.kind(join(folder, 'composer.json')) === 'file' ||
    findBelow(folder, files).length > 0
  );
}

/** Composer's list of installed packages is long: some MB in the largest apps. */
const MAX_INSTALLED_BYTES = 64 * 2 ** 20;

/** The packages for development in an app's `vendor/`, by name; none where Composer installs anew, as it is left out. */
export function findDevPackages(folder: string, files: Files): string[] {
  const at = (name: string) => join(folder, name);
  if (files.kind(at('vendor/autoload.php')) !== 'file') return [];
  if (isIgnored(files.read(at('.dockerignore')) ?? '', 'vendor/autoload.php')) return [];
  try {
    const installed = JSON.parse(
      files.read(at('vendor/composer/installed.json'), MAX_INSTALLED_BYTES) ?? '{}',
    );
    const names = installed.dev === true ? installed['dev-package-names'] : [];
    return names.filter((name: unknown) => typeof name === 'string' && /^[\w.-]+\/[\w.-]+$/.test(name));
  } catch {
    // Not as Composer 2 writes it: nothing is known of it.
    return [];
  }
}

/** A document root that the user has given, tidied. */
export function checkRoot(folder: string, root: string, files: Files): string {
  // It ends up in the configuration of web servers: nothing there may need quoting.
  const clean = root.replace(/^\.\/(?=.)/, '').replace(/(?<=.)\/+$/, '');
  if (!/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(clean) || clean.split('/').includes('..')) {
    throw refuse('not a document root', root, "a folder within the app such as 'public', or '.'");
  }
  if (files.kind(join(folder, clean, 'index.php')) !== 'file') {
    throw refuse('no index.php in the document root', root, `a folder of ${quote(folder)} with an index.php`);
  }
  return clean;
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
