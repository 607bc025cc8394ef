import { join } from 'node:path';
import type { Files } from '../files.ts';
import {
  type Composer,
  lower,
  readComposer,
  readLocked,
  readLockedPlatform,
  vendorFolderOf,
} from '../parts/composer.ts';
import { isIgnored } from '../parts/dockerignore.ts';
import type { PhpNeed } from './constraint.ts';

/** Variables by which Composer reads another file or compares no versions. */
const OVERRULES = ['COMPOSER', 'COMPOSER_IGNORE_PLATFORM_REQ', 'COMPOSER_IGNORE_PLATFORM_REQS'];

/**
 * Requirements on the version of PHP that the build or the first request would fail at. Packages that are there are not
 * installed: only the check in their autoloader counts.
 *
 * @param env the app's environment, which Composer has in the build
 */
export function findPhpNeeds(folder: string, env: Readonly<Record<string, string>>, files: Files): PhpNeed[] {
  const ignored = files.read(join(folder, '.dockerignore')) ?? '';
  const isServed = (name: string) => files.kind(join(folder, name)) === 'file' && !isIgnored(ignored, name);
  const composer = readComposer(folder, files);
  const vendor = vendorFolderOf(composer);
  if (vendor === null) return [];
  if (isServed(join(vendor, 'autoload.php'))) {
    const check = join(vendor, 'composer/platform_check.php');
    return isServed(check) ? readCheck(files.read(join(folder, check)), check) : [];
  }
  if (!isServed('composer.json') || OVERRULES.some((name) => Object.hasOwn(env, name))) return [];
  return listNeeds(folder, composer, isServed('composer.lock'), files);
}

/** The condition in the file that Composer's autoloader runs first: the highest of all lower bounds. */
function readCheck(text: string | null, file: string): PhpNeed[] {
  const [, operator, id] = /\bPHP_VERSION_ID (>=?) (\d{5,6})\b/.exec(text ?? '') ?? [];
  if (operator === undefined) return [];
  const number = Number(id);
  const version = [Math.floor(number / 10_000), Math.floor(number / 100) % 100, number % 100].join('.');
  return [{ constraint: `${operator}${version}`, source: file }];
}

/** Requirements that Composer compares before it installs packages. */
function listNeeds(
  folder: string,
  { require, config }: Composer,
  isLocked: boolean,
  files: Files,
): PhpNeed[] {
  const { php: pretended } = lower(config.platform);
  // With `false` there is no PHP for Composer. With a version, only the autoloader compares the one that is there.
  if (pretended === false || (pretended !== undefined && config['platform-check'] === false)) return [];
  const written: [constraint: unknown, source: string][] = [[require.php, 'require.php in composer.json']];
  if (isLocked) {
    written.push([readLockedPlatform(folder, files).php, 'platform.php in composer.lock']);
    for (const one of readLocked(folder, files) ?? [])
      written.push([lower(one.require).php, `${one.name} in composer.lock`]);
  }
  const needs = new Map<string, PhpNeed>();
  for (const [constraint, source] of written) {
    if (typeof constraint !== 'string' || needs.has(constraint)) continue;
    needs.set(constraint, { constraint, source, ...(pretended !== undefined && { floor: true }) });
  }
  return [...needs.values()];
}
