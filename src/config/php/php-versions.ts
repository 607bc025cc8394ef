import { type Place, UserError } from '../../errors.ts';
import { at } from '../document.ts';
import type { Given } from '../keys/layers.ts';
import { quote } from '../text.ts';
import type { App, RuntimeChoice } from '../types.ts';
import { findWithoutPatch, meetsNeed, type PhpNeed } from './constraint.ts';

const DEFAULT = '8.4';

/** Versions that are named if no runtime lists one that fits. */
const OTHERS = ['5.6', '7.0', '7.1', '7.2', '7.3', '7.4', '8.0', '8.1', '8.2', '8.3', '8.4', '8.5', '8.6'];

/** The first requirement of an app that no release of a PHP version meets; undefined: none is known. */
export const findUnmetNeed = ({ php = [] }: Pick<App, 'php'>, version: string): PhpNeed | undefined =>
  php.find((need) => !meetsNeed(version, need));

/** `'~8.2.0' (require.php in composer.json)` */
export function describeNeed({ constraint, source }: PhpNeed): string {
  const read = findWithoutPatch(constraint);
  const note = read ? `; Composer reads ${read} as ${read.includes('.') ? read : `${read}.0`}.0` : '';
  return `${quote(constraint)} (${source}${note})`;
}

/**
 * The PHP versions to measure: those given, else the default if all runtimes list it and it fits all apps, else the
 * newest of which both are true. Errors: UserError, a version fits no app, or an app no version.
 */
export function readPhp(
  given: Given<'php'> | undefined,
  apps: readonly App[],
  runtimes: readonly RuntimeChoice[],
): string[] {
  const listed = listVersions(runtimes);
  const fitAll = (version: string) => apps.every((app) => !findUnmetNeed(app, version));
  // Not all runtimes of one's own list the default.
  const first = listed.includes(DEFAULT) ? [DEFAULT] : [];
  const preset = [...first, ...listed.toReversed(), DEFAULT].find(fitAll) ?? DEFAULT;
  const versions = given?.value ?? [preset];
  const nowhere = given ? given.place() : { name: 'php' };
  if (!versions.length) throw new UserError('no PHP version', { where: nowhere });
  for (const [i, version] of versions.entries()) {
    const where = given?.place(i) ?? nowhere;
    at(where, () => {
      if (versions.indexOf(version) !== i)
        throw new UserError('PHP version given twice', { found: quote(version) });
    });
    refuseUnmet(apps, [version], listed, where);
  }
  for (const app of apps) refuseUnmet([app], versions, listed, nowhere);
  return versions;
}

/** Versions that all of the runtimes list, in order. */
function listVersions(runtimes: readonly RuntimeChoice[]): string[] {
  const [first, ...others] = runtimes.map(({ runtime }) => runtime.php);
  return (first ?? [])
    .filter((version) => others.every((php) => php.includes(version)))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** In one table not every app need fit every version, those pairs are left out. Throws if none of them fits. */
function refuseUnmet(
  apps: readonly App[],
  versions: readonly string[],
  listed: readonly string[],
  where: Place,
): void {
  const unmet = apps.flatMap((app) =>
    versions.flatMap((version) => {
      const need = findUnmetNeed(app, version);
      return need ? [{ app, need }] : [];
    }),
  );
  const [first] = unmet;
  if (!first || unmet.length < apps.length * versions.length) return;
  const { app, need } = first;
  const fits = (version: string) => !findUnmetNeed(app, version);
  const [allowed, other] = [listed.filter(fits), OTHERS.findLast(fits)];
  const newest = allowed.at(-1);
  throw new UserError(`PHP ${versions.join(', ')} does not fit the app '${app.name}'`, {
    where,
    found: describeNeed(need),
    allowed: allowed.join(', ') || `none of those that the runtimes list: ${listed.join(', ')}`,
    hint: hintAt(newest, other),
  });
}

function hintAt(newest: string | undefined, other: string | undefined): string {
  if (newest !== undefined) return `set 'php: ${newest}' in .bench.yml or --php ${newest}`;
  const wider = 'allow a listed version in composer.json';
  return other === undefined ? wider : `${wider}, or try one that is not listed: --php ${other}`;
}
