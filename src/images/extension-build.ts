import { join } from 'node:path';
import type { Config } from '../config/types.ts';
import { type Docker, IMAGE_LABEL, LABEL, LIMITS_MS, lastLines, removeContainers } from '../engine/docker.ts';
import { NAMESPACE } from '../namespace.ts';
import { shortHash } from '../text/short-hash.ts';
import { baseContexts } from './bake.ts';
import { findReason } from './reason.ts';
import { runBake } from './run-bake.ts';

/** Extensions of PHP that passes load: the name of each, and the folder of its Dockerfile within runtimes/_profile. */
const FOLDERS = { excimer: '.', bench_errors: 'errors' } as const;
type ExtensionName = keyof typeof FOLDERS;

/** An extension for a base image: the image that holds its file, or why there is none. */
export type Extension = { image: string } | { reason: string };

interface ExtensionWorld {
  docker: Docker;
  config: Pick<Config, 'buildCache' | 'images'>;
  /** runtimes/_profile */
  folder: string;
  signal: AbortSignal;
}

/** Compiles an extension once for each base image, apart from the images that are measured. By name of the base. */
export async function buildExtension(
  world: ExtensionWorld,
  name: ExtensionName,
  bases: readonly string[],
): Promise<Map<string, Extension>> {
  const built = new Map<string, Extension>();
  for (const base of new Set(bases)) built.set(base, await buildOne(world, name, base));
  return built;
}

async function buildOne(world: ExtensionWorld, name: ExtensionName, base: string): Promise<Extension> {
  const { docker, config, folder, signal } = world;
  const key = `${name}-${shortHash(base, 12)}`;
  const image = `${NAMESPACE}/${key}:latest`;
  const target = {
    context: join(folder, FOLDERS[name]),
    dockerfile: 'Dockerfile',
    contexts: baseContexts(config.images),
    args: { BASE: base },
    tags: [image],
    output: ['type=docker'],
    labels: { [IMAGE_LABEL]: name },
  };
  const finished = await runBake(docker, config, { target: { [key]: target } }, [key], { signal });
  signal.throwIfAborted();
  return finished.code === 0 ? { image } : { reason: findReason(lastLines(finished.stderr, 200)) };
}

/** Copies an extension to a folder of this machine. */
export async function takeExtension(
  { docker, run }: { docker: Docker; run: string },
  name: ExtensionName,
  image: string,
  folder: string,
): Promise<void> {
  const container = `php-runtime-bench-${run}-${name}`;
  // It is never started, so its command need not be there.
  await docker.run(['container', 'create', `--name=${container}`, `--label=${LABEL}=${run}`, image, 'none']);
  try {
    const file = `${name}.so`;
    const from = `${container}:/${file}`;
    await docker.run(['container', 'cp', from, join(folder, file)], { timeoutMs: LIMITS_MS.copy });
  } finally {
    await removeContainers(docker, [container]);
  }
}
