import type { App, Config, OptionValue, Runtime } from '../config/types.ts';
import { UserError } from '../errors.ts';

/** Entry points derive the ports that they need inside from PORT + 1000, + 2000 …: so many fit between. */
export const MAX_VARIANTS = 900;

/** What is compared: app × PHP version × runtime × options. */
export interface PlannedVariant {
  /** `nginx-fpm@8.4[listen=unix,workers=80]`, with `app/` before it when there are several apps. */
  id: string;
  /** The alias (with `@php` when there are several versions), else the id. */
  label: string;
  app: App;
  php: string;
  runtime: Runtime;
  /** Options in force: what was set over the defaults. */
  options: Readonly<Record<string, OptionValue>>;
  /** The container's environment from options that act at run time. */
  env: Readonly<Record<string, string>>;
  /** The image that serves it; variants which differ only in options at run time share one. */
  image: string;
}

/** One image to build. */
export interface PlannedImage {
  /** Unique in the plan and fit to be a bake target and a tag. */
  key: string;
  runtime: Runtime;
  php: string;
  app: App;
  /** Build arguments, PHP_VERSION included. */
  args: Readonly<Record<string, string>>;
}

/** Every combination that the config asks for, in its order; an error when two would be the same. */
export function planVariants(config: Config): { variants: PlannedVariant[]; images: PlannedImage[] } {
  const variants = new Map<string, PlannedVariant>();
  const images = new Map<string, PlannedImage>();
  for (const app of config.apps) {
    for (const php of config.php) {
      for (const choice of config.runtimes) {
        const { runtime } = choice;
        const image = addImage(images, planImage(runtime, php, app, choice.set));
        const options: Record<string, OptionValue> = {};
        const env: Record<string, string> = {};
        for (const [name, spec] of Object.entries(runtime.options)) {
          const value = choice.set[name] ?? spec.default;
          options[name] = value;
          if (spec.at === 'run') env[spec.env] = String(value);
        }
        const appPrefix = config.apps.length > 1 ? `${app.name}/` : '';
        const id = `${appPrefix}${runtime.name}@${php}${formatOptions(choice.set)}`;
        const alias =
          choice.as === undefined
            ? undefined
            : `${appPrefix}${choice.as}${config.php.length > 1 ? `@${php}` : ''}`;
        if (variants.has(id)) {
          throw new UserError(`the variant ${id} is asked for twice`, { hint: 'drop one of the two' });
        }
        variants.set(id, { id, label: alias ?? id, app, php, runtime, options, env, image: image.key });
      }
    }
  }
  if (variants.size > MAX_VARIANTS) {
    throw new UserError('too many variants for one run', {
      found: `${variants.size}`,
      allowed: `up to ${MAX_VARIANTS}`,
    });
  }
  return { variants: [...variants.values()], images: [...images.values()] };
}

/** Keys are made of fewer characters than names: two images that would share one are told apart by a number. */
function addImage(images: Map<string, PlannedImage>, image: PlannedImage): PlannedImage {
  for (let n = 1; ; n++) {
    const key = n === 1 ? image.key : `${image.key}-${n}`;
    const known = images.get(key);
    if (
      known &&
      (known.app !== image.app || known.runtime !== image.runtime || !same(known.args, image.args))
    )
      continue;
    const added = known ?? { ...image, key };
    images.set(key, added);
    return added;
  }
}

function same(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function planImage(
  runtime: Runtime,
  php: string,
  app: App,
  set: Readonly<Record<string, OptionValue>>,
): PlannedImage {
  const args: Record<string, string> = { PHP_VERSION: php };
  const atBuild: string[] = [];
  for (const [name, spec] of Object.entries(runtime.options)) {
    if (spec.at !== 'build') continue;
    const value = String(set[name] ?? spec.default);
    args[spec.env] = value;
    if (set[name] !== undefined) atBuild.push(`${name}-${value}`);
  }
  const key = [runtime.name, php, app.name, ...atBuild]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return { key, runtime, php, app, args };
}

function formatOptions(set: Readonly<Record<string, OptionValue>>): string {
  const pairs = Object.entries(set).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? '' : `[${pairs.map(([k, v]) => `${k}=${v}`).join(',')}]`;
}
