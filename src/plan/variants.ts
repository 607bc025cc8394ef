import { at } from '../config/document.ts';
import { extensionsFor } from '../config/parts/apps.ts';
import { findMisfit } from '../config/parts/fit.ts';
import { findUnmetNeed } from '../config/php/php-versions.ts';
import { unknownWord } from '../config/text.ts';
import type { App, Config, OptionValue, Other, Runtime, RuntimeChoice } from '../config/types.ts';
import { UserError } from '../errors.ts';

/** Entry points derive the ports that they need inside from PORT + 1000, + 2000 …: so many fit between. */
const MAX_VARIANTS = 900;

/** A compared combination: app × PHP version × runtime × options, in the base of `compare-to` as well. */
export interface PlannedVariant {
  /** `nginx-fpm@8.4[listen=unix,workers=80]`, with `app/` before it when there are several apps; `…:base` in the base. */
  id: string;
  /** The alias (with `@php` when there are several versions), else the id; with what was given in brackets in the base. */
  label: string;
  /** In the base: the value of `compare-to`. Null: the app as it is checked out. */
  ref: string | null;
  /** Id of the same variant in the base. */
  base: string | null;
  /** Its folder is relative to the top of the commit if `ref` is one. */
  app: App;
  php: string;
  runtime: Runtime;
  /** Options in force: what was set over the defaults. */
  options: Readonly<Record<string, OptionValue>>;
  /** The container's environment from options that act at run time. */
  env: Readonly<Record<string, string>>;
  /** The image that serves it; variants which differ only in options at run time share one. */
  image: string;
  /** The image of what stands before it, by the option `front`. */
  front?: string;
  /** The image in which instructions of its app are counted. */
  counter?: string;
}

/** Whether a connection occupies one of its workers until it is closed, idle or not. */
export function keepsWorkers({
  runtime,
  options,
  front,
}: Pick<PlannedVariant, 'runtime' | 'options' | 'front'>): boolean {
  const keepAlive = options['keep-alive'];
  const keeps = keepAlive === undefined || Number.parseFloat(String(keepAlive)) > 0;
  return runtime.workerPerConnection === true && front === undefined && keeps;
}

/** Whether passes can sample and count in its processes: each request starts the app, or worker.php loads it. */
export const isWatched = ({ runtime, app }: Pick<PlannedVariant, 'runtime' | 'app'>): boolean =>
  !runtime.unprofiled?.includes(app.kind);

/** One image to build, or to take as it is. */
export interface PlannedImage {
  /** Unique in the plan and fit to be a bake target and a tag. */
  key: string;
  /** Not null: the folders of the app, and of a runtime that is not absolute, are relative to the top of another commit. */
  ref: string | null;
  /** An image that is there, instead of one that is built. */
  ready: string | null;
  runtime: Runtime;
  php: string;
  /** Null: nothing of an app is in it. */
  app: App | null;
  /** Composer installs its packages even where they are there. */
  install: boolean;
  /** Build arguments, PHP_VERSION included. */
  args: Readonly<Record<string, string>>;
}

/** A variant as the config names it. */
interface Head extends Pick<PlannedVariant, 'id' | 'label' | 'app' | 'php'> {
  choice: RuntimeChoice;
}

/** Configuration that decides which variants there are. */
export type Matrix = Pick<
  Config,
  'apps' | 'php' | 'runtimes' | 'other' | 'compareTo' | 'count' | 'reference' | 'failOn' | 'profile'
>;

/**
 * Every combination that the config asks for, in its order. Errors: two that would be the same, names in `reference` and
 * `fail-on` that no variant has.
 */
export function listHeads(config: Matrix): Head[] {
  const heads = new Map<string, Head>();
  for (const app of config.apps) {
    for (const php of config.php) {
      for (const choice of config.runtimes) {
        // That it fits one of the others was checked before.
        if (findMisfit(choice, app) || findUnmetNeed(app, php)) continue;
        const appPrefix = config.apps.length > 1 ? `${app.name}/` : '';
        const id = `${appPrefix}${choice.runtime.name}@${php}${formatOptions(choice.set)}`;
        const alias = choice.as && `${appPrefix}${choice.as}${config.php.length > 1 ? `@${php}` : ''}`;
        if (heads.has(id)) {
          throw new UserError(`the variant ${id} is selected twice`, { hint: 'remove one of them' });
        }
        heads.set(id, { id, label: alias ?? id, app, php, choice });
      }
    }
  }
  checkNames(config, [...heads.values()]);
  return [...heads.values()];
}

interface PlannedVariants {
  variants: PlannedVariant[];
  images: PlannedImage[];
}

/** The variants of the config, and behind them their twins of the base. Errors: as of `listHeads`; too many. */
export function planVariants(config: Matrix): PlannedVariants {
  const images = new Map<string, PlannedImage>();
  const pairs = listHeads(config).map((head) => planPair(config, head, images));
  const heads = pairs.map(({ head }) => head);
  const variants = [...heads, ...pairs.flatMap(({ twin }) => twin ?? [])];
  if (variants.length > MAX_VARIANTS) {
    throw new UserError('too many variants for one run', {
      found: `${variants.length}`,
      allowed: `up to ${MAX_VARIANTS}`,
    });
  }
  if (config.other?.kind === 'image' && heads.length > 1) {
    throw new UserError('an image can be compared with exactly one variant', {
      ...(config.compareTo && { where: config.compareTo.where }),
      found: heads.map(({ label }) => label).join(', '),
      allowed: 'one app, one PHP version, one runtime',
    });
  }
  return { variants, images: [...images.values()] };
}

/** A variant with its images, and its twin if there is a base. */
function planPair(
  { other, count = [] }: Pick<Config, 'other' | 'count'>,
  { id, label, app, php, choice }: Head,
  images: Map<string, PlannedImage>,
): { head: PlannedVariant; twin: PlannedVariant | null } {
  const { runtime } = choice;
  const otherApp = findApp(other, app);
  const install = otherApp !== null && other?.kind === 'commit' && isInstalled(other, app);
  // Both sides get the same PHP: the base is made from these images.
  const built = { ...app, extensions: (otherApp ?? app).extensions };
  const image = addImage(images, planImage(runtime, php, built, choice.set, install));
  const { options, env } = optionsOf(choice);
  const front =
    options.front !== undefined && runtime.front ? addImage(images, planFront(runtime.front, php)) : null;
  const counter =
    count.includes('instructions') && runtime.counter
      ? addImage(images, planImage(runtime.counter, php, built, {}, install))
      : null;
  const head = {
    ...{ id, label, ref: null, app, php, runtime, options, env, image: image.key },
    ...(front && { front: front.key }),
    ...(counter && { counter: counter.key }),
  };
  // The base may lack a package that the runtime requires.
  const isServed = otherApp !== null && findMisfit(choice, otherApp) === null;
  const twin = isServed && other ? planTwin(head, { image, counter }, otherApp, other, images) : null;
  return { head: { ...head, base: twin?.id ?? null }, twin };
}

/** Options in force, and the environment from those that act at run time. */
function optionsOf({ runtime, set }: RuntimeChoice): Pick<PlannedVariant, 'options' | 'env'> {
  const options: Record<string, OptionValue> = {};
  const env: Record<string, string> = {};
  for (const [name, spec] of Object.entries(runtime.options)) {
    const value = set[name] ?? spec.default;
    if (spec.at === 'front' && value === spec.default) continue;
    options[name] = value;
    if (spec.at === 'run') env[spec.env] = String(value);
  }
  return { options, env };
}

/** The variant that `reference` names; undefined where it names none: the first one counts. */
export function findReference(
  { reference }: Pick<Config, 'reference'>,
  variants: readonly PlannedVariant[],
): PlannedVariant | undefined {
  const heads = variants.filter(({ ref }) => ref === null);
  return (
    heads.find(({ label }) => label === reference?.name) ?? heads.find(({ id }) => id === reference?.name)
  );
}

function checkNames(
  { reference, failOn, profile = [] }: Pick<Config, 'reference' | 'failOn' | 'profile'>,
  heads: readonly Head[],
): void {
  const names = [...new Set(heads.flatMap(({ label, id }) => [label, id]))];
  if (reference?.unchecked && !names.includes(reference.name)) {
    at(reference.unchecked, () => {
      throw unknownWord('variant', reference.name, names);
    });
  }
  const known = [...new Set([...heads.map(({ choice }) => choice.runtime.name), ...names])];
  for (const { name, unchecked } of profile) {
    if (!unchecked || known.includes(name)) continue;
    at(unchecked, () => {
      throw unknownWord('runtime or variant', name, known);
    });
  }
  for (const { variant, unchecked } of failOn) {
    if (!unchecked || variant === null || known.includes(variant)) continue;
    at(unchecked, () => {
      throw unknownWord('runtime or variant in a limit', variant, known);
    });
  }
}

/** The app in the base; null if it has no twin. */
function findApp(other: Other | undefined, app: App): App | null {
  if (other?.kind === 'image' || other?.kind === 'itself') return app;
  const there = other?.kind === 'commit' ? other.apps[app.name] : undefined;
  if (!there || !('folder' in there)) return null;
  const { install: _, ...own } = there;
  return { ...app, ...own };
}

/** Whether its packages are made anew, since they are others in the other commit. */
function isInstalled({ apps }: Extract<Other, { kind: 'commit' }>, app: App): boolean {
  const there = apps[app.name];
  return there !== undefined && 'folder' in there && there.install;
}

function planTwin(
  head: Omit<PlannedVariant, 'base'>,
  { image, counter }: { image: PlannedImage; counter: PlannedImage | null },
  app: App,
  other: Other,
  images: Map<string, PlannedImage>,
): PlannedVariant | null {
  const there = other.kind === 'commit' ? other.runtimes[head.runtime.name] : undefined;
  if ((there && 'missing' in there) || findUnmetNeed(app, head.php)) return null;
  const atOther = (one: PlannedImage, runtime: Runtime) =>
    other.kind === 'itself'
      ? one
      : addImage(images, {
          ...one,
          key: `${one.key}-base`,
          ref: other.kind === 'commit' ? other.given : null,
          ready: other.kind === 'image' ? other.image : null,
          ...{ app, runtime },
        });
  const own = atOther(image, there ? { ...head.runtime, folder: there.folder } : head.runtime);
  // Instructions in another image cannot be counted.
  const ownCounter = counter && other.kind !== 'image' ? atOther(counter, counter.runtime) : null;
  const { counter: _, ...rest } = head;
  return {
    ...rest,
    ...(ownCounter && { counter: ownCounter.key }),
    id: `${head.id}:base`,
    label: `${head.label} (${other.given})`,
    ref: other.given,
    base: null,
    app,
    image: own.key,
  };
}

/** Keys are made of fewer characters than names: two images that would share one get a number. */
function addImage(images: Map<string, PlannedImage>, image: PlannedImage): PlannedImage {
  for (let n = 1; ; n++) {
    const key = n === 1 ? image.key : `${image.key}-${n}`;
    const known = images.get(key);
    if (known && JSON.stringify(contentOf(known)) !== JSON.stringify(contentOf(image))) continue;
    const added = known ?? { ...image, key };
    images.set(key, added);
    return added;
  }
}

/** Properties that identify the content of an image. */
function contentOf({ ref, ready, runtime, app, install, args }: PlannedImage) {
  return { ref, ready, runtime: runtime.folder, app: [app?.name, app?.folder], install, args };
}

/** A proxy is the same before all servers. */
function planFront(runtime: Runtime, php: string): PlannedImage {
  return { key: runtime.name, ref: null, ready: null, runtime, php, app: null, install: false, args: {} };
}

function planImage(
  runtime: Runtime,
  php: string,
  app: App,
  set: Readonly<Record<string, OptionValue>>,
  install: boolean,
): PlannedImage {
  const args: Record<string, string> = { PHP_VERSION: php, ...extensionArgs(app, php) };
  const atBuild: string[] = [];
  for (const [name, spec] of Object.entries(runtime.options)) {
    if (spec.at !== 'build') continue;
    const value = String(set[name] ?? spec.default);
    args[spec.env] = value;
    if (set[name] !== undefined) atBuild.push(`${name}-${value}`);
  }
  // A runtime that extends another has that one's image.
  const key = [runtime.extends ?? runtime.name, php, app.name, ...atBuild]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return { key, ref: null, ready: null, runtime, php, app, install, args };
}

/** None where none is wanted: a Dockerfile need not know of what it is never given. */
function extensionArgs(app: App, php: string): Record<string, string> {
  const extensions = extensionsFor(app, php);
  return extensions.length === 0 ? {} : { EXTENSIONS: extensions.join(' ') };
}

function formatOptions(set: Readonly<Record<string, OptionValue>>): string {
  const pairs = Object.entries(set).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? '' : `[${pairs.map(([k, v]) => `${k}=${v}`).join(',')}]`;
}
