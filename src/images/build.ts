import { isAbsolute, join } from 'node:path';
import { realFiles } from '../config/files.ts';
import { escapeText } from '../config/text.ts';
import type { Config } from '../config/types.ts';
import { type Docker, expectEngine, IMAGE_LABEL, LIMITS_MS, lastLines } from '../engine/docker.ts';
import { inspectImage, pullImage } from '../engine/image-store.ts';
import type { Host } from '../host.ts';
import type { PlannedImage } from '../plan/variants.ts';
import type { Failure, Variant } from '../results/results.ts';
import { type AppBuilds, openAppBuilds } from './app-build.ts';
import { basesOf, makeBakeFile, type SharedFolders, tagOf } from './bake.ts';
import { withGitHubCache } from './cache.ts';
import { findReason, SAID } from './reason.ts';
import { pushTargets } from './registry.ts';
import { runBake } from './run-bake.ts';
import { findAuth, makeMask } from './secret.ts';

type ImageFacts = NonNullable<Variant['image']>;

/** The outcome for one image: facts about it, or why there is none. */
export type Built = { facts: ImageFacts } | { failure: Failure };

/** Why images of a variant are missing; undefined: it has all. */
export function findBroken(
  images: ReadonlyMap<string, Built>,
  { image, front }: { image: string; front?: string },
): Failure | undefined {
  const built = [image, ...(front ? [front] : [])].map((key) => images.get(key));
  return built.flatMap((one) => (one && 'failure' in one ? [one.failure] : []))[0];
}

export interface BuildOptions {
  /** The run's id. */
  run: string;
  config: Pick<Config, 'apps' | 'buildCache' | 'env' | 'images' | 'out' | 'prepare'>;
  /** The folder of the other commit, or why there is none; null if nothing of that commit is built. */
  otherFiles: { folder: string } | { failure: Failure } | null;
  folders: SharedFolders;
  /** The registry to which images are pushed for other engines. */
  registry?: string;
  /** Ids of images without a name that this run uses. */
  keep?: readonly string[];
  signal: AbortSignal;
  say: (line: string) => void;
}

/**
 * Builds all images in one `docker buildx bake`, which shares their layers. Bake gives up on all when
 * one fails, so in that case each is built by itself and only those that really fail are lost.
 */
export async function buildImages(
  host: Host,
  docker: Docker,
  planned: readonly PlannedImage[],
  options: BuildOptions,
): Promise<Map<string, Built>> {
  const { otherFiles, config } = options;
  const built = new Map<string, Built>();
  const images: PlannedImage[] = [];
  for (const image of planned) {
    if (image.ready !== null) built.set(image.key, await describeReady(docker, image.ready));
    else if (image.ref === null) images.push(image);
    else if (otherFiles && 'folder' in otherFiles) images.push(relocate(image, otherFiles.folder));
    else if (otherFiles) built.set(image.key, otherFiles);
  }
  const baseOf = rememberBases(docker, config, options.signal);
  const apps = await openAppBuilds(images, {
    config,
    run: options.run,
    recipeFolder: options.folders.recipe,
  });
  try {
    // With a cache elsewhere the builder does not see the engine's images, and pulls them itself.
    if (!config.buildCache) await pullBases(docker, images, apps, options);
    const bakeSome = (keys: readonly string[]) => bake(host, docker, images, keys, apps, options);
    const all = images.length === 0 ? NOTHING : await bakeSome(images.map(({ key }) => key));
    if (!all.ok) await expectEngine(docker);
    // One image alone has shown by itself whether it can be built.
    const isKnown = all.ok || images.length === 1;
    const lost = isKnown ? new Map<string, Baked>() : await findLost(bakeSome, images, apps);
    for (const image of images) {
      if (!all.ok) await expectEngine(docker);
      const known = isKnown ? all : lost.get(apps.of(image)?.key ?? '');
      const one = known ?? (await bakeSome([image.key]));
      if (one.ok) {
        const seconds = one.seconds / (all.ok ? images.length : 1);
        const bases = basesOf(image, apps.of(image));
        built.set(image.key, { facts: await describe(docker, image, bases, config, seconds, baseOf) });
      } else {
        const log = lastLines(one.log, 30);
        built.set(image.key, {
          failure: { stage: 'build', reason: findReason(one.log, image.app?.folder ?? ''), log },
        });
      }
    }
    if (options.registry) await push(docker, images, built, apps, options, options.registry);
  } finally {
    await apps.remove();
  }
  if (images.length > 0) await removeNameless(docker, [...(options.keep ?? []), ...idsOf(built)]);
  return built;
}

/** The ids of those that could be built. */
export const idsOf = (built: ReadonlyMap<string, Built>): string[] =>
  [...built.values()].flatMap((one) => ('facts' in one ? one.facts.id : []));

/** Rebuilding leaves the older image without a name. `image prune` would also remove what was pulled by digest alone. */
async function removeNameless(docker: Docker, keep: readonly string[]): Promise<void> {
  const filters = ['--filter=dangling=true', `--filter=label=${IMAGE_LABEL}`];
  const { stdout } = await docker.try([
    ...['image', 'ls', '--no-trunc', ...filters, '--format={{.Repository}} {{.ID}}'],
  ]);
  const nameless = stdout.split('\n').flatMap((line) => /^<none> (\S+)$/.exec(line)?.[1] ?? []);
  const ids = [...new Set(nameless)].filter((id) => !keep.includes(id));
  // One that a container uses stays.
  if (ids.length > 0) await docker.try(['image', 'rm', ...ids], { timeoutMs: LIMITS_MS.copy });
}

/** Pushes those that were built, and notes where they can be pulled. Errors: MachineError. */
async function push(
  docker: Docker,
  images: readonly PlannedImage[],
  built: ReadonlyMap<string, Built>,
  apps: AppBuilds,
  options: BuildOptions,
  registry: string,
): Promise<void> {
  const { config, run, signal } = options;
  const facts = new Map(
    images.flatMap(({ key }) => {
      const one = built.get(key);
      return one && 'facts' in one ? [[key, one.facts] as const] : [];
    }),
  );
  if (facts.size === 0) return;
  const some = images.filter(({ key }) => facts.has(key));
  options.say(`pushing ${facts.size === 1 ? 'the image' : `${facts.size} images`} to ${registry}`);
  const file = bakeFileOf(some, apps, options);
  const auth = authOf(options);
  const pushed = await pushTargets({ docker, config, run, auth, signal }, file, [...facts.keys()], registry);
  for (const [key, one] of facts) one.pushed = pushed.get(key);
}

/** Its folders, which are relative to the top of another commit, where that is checked out. */
function relocate(image: PlannedImage, top: string): PlannedImage {
  const { app, runtime } = image;
  return {
    ...image,
    app: app && { ...app, folder: join(top, app.folder) },
    runtime: isAbsolute(runtime.folder) ? runtime : { ...runtime, folder: join(top, runtime.folder) },
  };
}

interface Baked {
  ok: boolean;
  log: string;
  /** How long it took. */
  seconds: number;
}
const NOTHING: Baked = { ok: true, log: '', seconds: 0 };

/** The apps that cannot be built, each tried once: with every image that it is in, its steps would fail again. */
async function findLost(
  bakeSome: (keys: readonly string[]) => Promise<Baked>,
  images: readonly PlannedImage[],
  apps: AppBuilds,
): Promise<Map<string, Baked>> {
  const built = new Set(images.flatMap((image) => apps.of(image) ?? []));
  const lost = new Map<string, Baked>();
  for (const { key, bases } of built) {
    const one = bases.length === 0 ? NOTHING : await bakeSome([key]);
    if (!one.ok) lost.set(key, one);
  }
  return lost;
}

async function describeReady(docker: Docker, name: string): Promise<Built> {
  const found = await inspectImage(docker, name);
  if (!found) return { failure: { stage: 'build', reason: `the image ${name} is gone`, log: '' } };
  return { facts: { name, id: found.id, sizeBytes: found.size, buildSeconds: 0, bases: [] } };
}

/** More would share one connection to the registry. */
const PULLS_AT_ONCE = 4;

/** Pulls base images first, since their digests are recorded. If a pull fails, the build fails with bake's message. */
async function pullBases(
  docker: Docker,
  images: readonly PlannedImage[],
  apps: AppBuilds,
  options: BuildOptions,
): Promise<void> {
  const names = images.flatMap((image) => basesOf(image, apps.of(image)));
  const bases = [...new Set(names.map((base) => options.config.images[base] ?? base))];
  const pullNext = async () => {
    for (let base = bases.shift(); base !== undefined; base = bases.shift())
      await pullImage(docker, base, options).catch(() => {});
  };
  await Promise.all(Array.from({ length: PULLS_AT_ONCE }, pullNext));
  options.signal.throwIfAborted();
}

async function bake(
  host: Host,
  docker: Docker,
  images: readonly PlannedImage[],
  keys: readonly string[],
  apps: AppBuilds,
  options: BuildOptions,
): Promise<Baked> {
  const started = host.elapsed();
  const auth = authOf(options);
  const [mask, read] = [makeMask(auth), makeStepReader(options.say)];
  const finished = await runBake(docker, options.config, bakeFileOf(images, apps, options), keys, {
    ...{ auth, signal: options.signal },
    onLine: (line) => read(mask(line)),
  });
  options.signal.throwIfAborted();
  return { ok: finished.code === 0, log: mask(finished.stderr), seconds: (host.elapsed() - started) / 1000 };
}

function authOf({ config }: BuildOptions): string | undefined {
  const folders = config.apps.map(({ folder }) => folder);
  return findAuth(folders, process.env.COMPOSER_AUTH, realFiles);
}

function bakeFileOf(images: readonly PlannedImage[], apps: AppBuilds, options: BuildOptions) {
  const { config, folders } = options;
  // Composer reads its credentials from this variable: they go to its step alone, and into no layer.
  const secret = authOf(options) ? ['id=composer-auth,env=COMPOSER_AUTH'] : [];
  const plain = makeBakeFile(images, config.images, folders, apps, secret);
  return config.buildCache ? withGitHubCache(plain) : plain;
}

/** Reports the steps of bake's plain progress that took a while: a step from the cache takes no time. */
function makeStepReader(say: (line: string) => void): (line: string) => void {
  const steps = new Map<string, string>();
  return (line) => {
    const step = /^#(\d+) (\[[^\]]*\d+\/\d+\] .*)$/.exec(line);
    if (step) steps.set(step[1] as string, step[2] as string);
    const note = SAID.exec(line)?.[1];
    if (note?.startsWith('note: ')) say(escapeText(note.slice('note: '.length, 300)));
    const done = /^#(\d+) DONE (\d+\.\d)s$/.exec(line);
    const what = done && steps.get(done[1] as string);
    if (what && Number(done[2]) >= 1) say(`built ${what.slice(0, 140)} (${done[2]} s)`);
  };
}

async function describe(
  docker: Docker,
  image: PlannedImage,
  baseNames: readonly string[],
  config: Pick<Config, 'images'>,
  seconds: number,
  baseOf: ReturnType<typeof rememberBases>,
): Promise<ImageFacts> {
  const name = tagOf(image);
  const self = await inspectImage(docker, name);
  const bases = await Promise.all(
    baseNames.map(async (base) => {
      const used = config.images[base] ?? base;
      return { name: base, used, ...(await baseOf(used)) };
    }),
  );
  return { name, id: self?.id ?? '', sizeBytes: self?.size ?? 0, buildSeconds: seconds, bases };
}

/** Most images share their bases, and a registry limits requests: each name is asked for once. */
function rememberBases(
  docker: Docker,
  { buildCache }: Pick<Config, 'buildCache'>,
  signal: AbortSignal,
): (name: string) => Promise<Pick<ImageFacts['bases'][number], 'id' | 'digest'>> {
  const known = new Map<string, ReturnType<typeof ask>>();
  const ask = async (name: string) => {
    // The builder has pulled it, not the engine.
    if (buildCache) return { id: null, digest: await askDigest(docker, name, signal) };
    const { id = null, digest = null } = (await inspectImage(docker, name)) ?? {};
    return { id, digest };
  };
  return (name) => {
    const base = known.get(name) ?? ask(name);
    known.set(name, base);
    return base;
  };
}

/** The digest of an image at its registry, or null if the registry does not answer. */
export async function askDigest(docker: Docker, name: string, signal?: AbortSignal): Promise<string | null> {
  // Older versions of buildx print text instead of `{{.Manifest.Digest}}`.
  const args = ['buildx', 'imagetools', 'inspect', '--format', '{{json .Manifest}}', name];
  const found = await docker.try(args, signal ? { signal } : {});
  return found.code === 0 ? JSON.parse(found.stdout).digest : null;
}
