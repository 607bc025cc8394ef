import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { realFiles } from '../config/files.ts';
import { frameworkEnvironment } from '../config/parts/apps.ts';
import { findServedVendor } from '../config/parts/composer.ts';
import { listResultFolders, UNSERVED_FILES } from '../config/parts/dockerignore.ts';
import type { App, Config } from '../config/types.ts';
import type { PlannedImage } from '../plan/variants.ts';
import { makeTemporary } from '../temporary.ts';
import { AUTH_FILE, readAuth } from './secret.ts';

/** How an app becomes the files that every runtime of one PHP version serves: a bake target of its own. */
export interface AppBuild {
  /** The target's name. */
  key: string;
  app: App;
  /** The path of its Dockerfile; a file beside it lists what is left out of the app's folder. */
  dockerfile: string;
  args: Readonly<Record<string, string>>;
  /** Images that it builds on, by their official names. */
  bases: readonly string[];
}

/** The app builds of some images, and where their files lie meanwhile. */
export interface AppBuilds {
  /** Null: nothing of an app is in the image. */
  of(image: PlannedImage): AppBuild | null;
  remove(): Promise<void>;
}

const COMPOSER = 'composer:2';
const EXTENSION_INSTALLER = 'mlocati/php-extension-installer:2';

/** No packages, no caches, nothing to run: the files as they are. */
const COPY = 'FROM scratch\nCOPY . /\n';

/**
 * Laravel's caches of its configuration, events and routes. Those of this machine have its paths and its settings, so `env`
 * would have no effect, and the base would lack them. An ejected runtime keeps them: they are made for production.
 */
const LARAVEL_CACHES = ['config.php', 'events.php', 'routes*.php'].map((name) => `bootstrap/cache/${name}`);

/**
 * Lines of a `.dockerignore` for files that no app serves, Laravel's caches, Composer's credentials, and our results folders.
 * With the latter, each run would make another app, and with our settings each change of a load.
 */
function leaveOut(folder: string, out: string): string {
  const path = relative(folder, out);
  const isInside = path !== '' && path.split(sep)[0] !== '..' && !isAbsolute(path);
  const results = [...listResultFolders(folder, realFiles), ...(isInside ? [path] : [])];
  return [
    ...UNSERVED_FILES,
    ...(realFiles.kind(join(folder, 'artisan')) === 'file' ? LARAVEL_CACHES : []),
    ...(readAuth(folder, realFiles) === null ? [] : [`/${AUTH_FILE}`]),
    ...results.map((one) => `/${one.replace(/[\\*?[\]]/g, '\\$&')}`),
  ].join('\n');
}

/** Writes what the builds of these images' apps are made by into a temporary folder. */
export async function openAppBuilds(
  images: readonly PlannedImage[],
  {
    config,
    run,
    recipeFolder,
  }: { config: Pick<Config, 'env' | 'prepare' | 'out'>; run: string; recipeFolder: string },
): Promise<AppBuilds> {
  const folder = await makeTemporary(run, 'build');
  const recipe = await readFile(join(recipeFolder, 'Dockerfile'), 'utf8');
  const builds = new Map<string, AppBuild>();
  for (const image of images) {
    const { app, php, args } = image;
    const id = idOf(image);
    if (app === null || builds.has(id)) continue;
    // Unique in a bake file by the number. Name and version keep apart what other runs put into a cache by these names.
    const key = ['app', app.name, php, builds.size + 1].join('_').replace(/[^A-Za-z0-9]+/g, '_');
    const bases = basesOfApp(image, config);
    const isBuilt = bases.length > 0;
    await mkdir(join(folder, key));
    const dockerfile = join(folder, key, 'Dockerfile');
    await writeFile(dockerfile, isBuilt ? addSteps(recipe, config) : COPY);
    const ignored = `${await readIgnored(app.folder)}\n${leaveOut(app.folder, config.out)}\n`;
    await writeFile(`${dockerfile}.dockerignore`, ignored);
    const { EXTENSIONS } = args;
    builds.set(id, {
      ...{ key, app, dockerfile },
      args: isBuilt
        ? {
            // A variable of the app's may have the name of one of the recipe's own, which counts here.
            ...frameworkEnvironment(app, config.env),
            ...{ PHP_VERSION: php, EXTENSIONS: EXTENSIONS ?? '' },
            ...{ BENCH_INSTALL: image.install ? 'anew' : '', BENCH_KIND: app.kind, BENCH_ROOT: app.root },
            ...Object.fromEntries(config.prepare.map((command, i) => [nameOf(i), command])),
          }
        : {},
      bases,
    });
  }
  return {
    of: (image) => builds.get(idOf(image)) ?? null,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Images that an app is built on; none where its files are served as they are. */
export function basesOfApp(
  { app, php, install }: PlannedImage,
  { prepare }: Pick<Config, 'prepare'>,
): string[] {
  const isBuilt = app !== null && (prepare.length > 0 || install || needsBuild(app));
  return isBuilt ? [`php:${php}-cli`, COMPOSER, EXTENSION_INSTALLER] : [];
}

function idOf({ app, php, args, install }: PlannedImage): string {
  return JSON.stringify([app?.folder, app?.kind, php, args.EXTENSIONS, install]);
}

/** The recipe with the app's environment and commands in it: their names and places, never their text. */
export function addSteps(recipe: string, { env, prepare }: Pick<Config, 'env' | 'prepare'>): string {
  const names = [...new Set([...Object.keys(env), 'APP_ENV', 'APP_DEBUG'])];
  const commands = prepare.map(
    (_, i) => `ARG ${nameOf(i)}\nRUN php /usr/local/share/php-runtime-bench/build.php prepare ${i + 1}\n`,
  );
  return recipe
    .replace(/^# \{env\}\n/m, () => names.map((name) => `ARG ${name}\n`).join(''))
    .replace(/^# \{prepare\}\n/m, () => commands.join(''));
}

const nameOf = (index: number) => `BENCH_PREPARE_${index + 1}`;

/** An app without a framework whose packages are there already needs no build. */
function needsBuild({ folder, kind }: App): boolean {
  if (realFiles.kind(join(folder, 'composer.json')) !== 'file') return false;
  return kind === 'symfony' || kind === 'laravel' || findServedVendor(folder, realFiles) === null;
}

async function readIgnored(folder: string): Promise<string> {
  return readFile(join(folder, '.dockerignore'), 'utf8').catch(() => '');
}
