import { join } from 'node:path';
import { type Place, UserError } from '../../errors.ts';
import type { Files } from '../files.ts';
import { quote } from '../text.ts';
import type { App, AppKind, OptionValue, Runtime, RuntimeChoice } from '../types.ts';

/** Kinds that a server which keeps them in memory calls by their `handler.php`. */
const BY_HANDLER = ['plain', 'psr15'];

type Options = Readonly<Record<string, OptionValue>>;

/** The options by which a runtime keeps the app in memory that would else start it for each request: `mode=worker`. */
function findSwitch({ longLived, options }: Runtime, set: Options): string | undefined {
  return Object.entries(longLived?.when ?? {})
    .map(([option, values]) => ({ option, values, value: String(set[option] ?? options[option]?.default) }))
    .filter(({ values, value }) => values.includes(value))
    .map(({ option, value }) => `${option}=${value}`)[0];
}

/** Whether a runtime keeps the app in memory with these options. */
export function modelOf(runtime: Runtime, set: Options): Runtime['model'] {
  return findSwitch(runtime, set) ? 'long-lived' : runtime.model;
}

/** The extensions of an app that cannot be loaded beside those of a runtime. */
function findClash({ conflicts = [] }: Runtime, app: App): string | null {
  const names = app.extensions.map((extension) => extension.replace(/-.*/, ''));
  return names.find((name) => conflicts.includes(name)) ?? null;
}

/** A package of the app that has reached the version that the runtime needs it to be below; `may`: or may get it. */
function findTooNew({ name, below = {} }: Runtime, app: App, may: boolean): string | null {
  // A handler.php is called by the runtime itself, without an adapter for a framework.
  if (BY_HANDLER.includes(app.kind)) return null;
  for (const [wanted, limit] of Object.entries(below)) {
    const version = app.versions?.[wanted];
    if (!version || (may ? version.to : version.from) < limit) continue;
    return `${name} needs ${wanted} below ${limit}, and the app '${app.name}' has ${version.written}`;
  }
  return null;
}

/** Why a runtime may be unable to serve an app, which only the build shows; null: nothing is known against it. */
export function findDoubt(choice: Pick<RuntimeChoice, 'runtime' | 'set'>, app: App): string | null {
  const { runtime, set } = choice;
  if (modelOf(runtime, set) === 'per-request' || findMisfit(choice, app) !== null) return null;
  const found = findTooNew(runtime, app, true);
  return found && `${found}: Composer may install a version that ${runtime.name} cannot serve`;
}

/** Why a runtime cannot serve an app; null: it can. A runtime that starts the app for each request serves any kind. */
export function findMisfit(
  { runtime, set }: Pick<RuntimeChoice, 'runtime' | 'set'>,
  app: App,
): string | null {
  const clash = findClash(runtime, app);
  if (clash) return `${runtime.name} does not start with the extension ${clash} of the app '${app.name}'`;
  if (modelOf(runtime, set) === 'per-request') return null;
  const by = findSwitch(runtime, set);
  const kinds: readonly AppKind[] = by && runtime.longLived ? runtime.longLived.apps : runtime.apps;
  const name = by ? `${runtime.name}[${by}]` : runtime.name;
  if (!kinds.includes(app.kind)) {
    return `${name} is for ${kinds.join(', ')}, and the app '${app.name}' is ${app.kind}`;
  }
  if (BY_HANDLER.includes(app.kind) && !app.handler) {
    return `${name} needs a handler.php, and the app '${app.name}' has none`;
  }
  const tooNew = findTooNew(runtime, app, false);
  if (tooNew) return tooNew;
  const missing = runtime.requires.filter((wanted) => !app.packages.includes(wanted));
  if (missing.length > 0) {
    return `${name} needs apps that require ${runtime.requires.join(' and ')}, and the composer.json of '${app.name}' does not: composer require ${missing.join(' ')}`;
  }
  return null;
}

/** Advice on how to keep such an app in memory. */
const HINTS: Partial<Record<AppKind, string>> = {
  laravel:
    'octane-swoole, octane-roadrunner and octane-frankenphp keep Laravel in memory; the app must require their packages, see docs/apps.md',
  plain: 'see docs/apps.md for handler.php',
};

const hintFor = (kind: AppKind): string =>
  `${HINTS[kind] ?? 'see docs/apps.md for kinds of apps'}; runtimes that start the app for each request accept any app`;

/**
 * In one table not every app need fit every runtime, those pairs are left out; but each must fit one of the others.
 * Throws a UserError.
 */
export function checkFit(apps: readonly App[], choices: readonly RuntimeChoice[], where: Place | undefined) {
  const refuseMisfits = (some: readonly App[], others: readonly RuntimeChoice[]) => {
    const misfits = some.flatMap((app) =>
      others.flatMap((choice) => {
        const misfit = findMisfit(choice, app);
        if (misfit === null) return [];
        const isOne = findClash(choice.runtime, app) ?? findTooNew(choice.runtime, app, false);
        const hint = isOne ? 'choose another runtime' : hintFor(app.kind);
        return [{ misfit, hint }];
      }),
    );
    const [first] = misfits;
    if (!first || misfits.length < some.length * others.length) return;
    throw new UserError('the app and the runtime do not fit', {
      ...(where && { where }),
      found: first.misfit,
      hint: first.hint,
    });
  };
  for (const choice of choices) refuseMisfits(apps, [choice]);
  for (const app of apps) refuseMisfits([app], choices);
}

/** A runtime of the user's own may lack the lines that install them: better reported now than found missing. */
export function checkExtensions(apps: readonly App[], choices: readonly RuntimeChoice[], files: Files): void {
  const extensions = [...new Set(apps.flatMap((app) => app.extensions))];
  if (extensions.length === 0) return;
  for (const { runtime } of choices) {
    const text = files.read(join(runtime.folder, 'Dockerfile'));
    if (text === null || /\bEXTENSIONS\b/.test(text)) continue;
    throw new UserError(`runtime '${runtime.name}' installs no PHP extensions`, {
      found: quote(extensions.join(', ')),
      hint: 'its Dockerfile must use ARG EXTENSIONS, see docs/runtimes.md',
    });
  }
}
