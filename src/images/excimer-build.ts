import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config/types.ts';
import { type Docker, IMAGE_LABEL, LABEL, LIMITS_MS, lastLines, removeContainers } from '../engine/docker.ts';
import { NAMESPACE } from '../namespace.ts';
import { baseContexts } from './bake.ts';
import { findReason } from './reason.ts';
import { runBake } from './run-bake.ts';

/** The sampler for a base image: the image that holds `excimer.so`, or why there is none. */
export type Excimer = { image: string } | { reason: string };

interface ExcimerWorld {
  docker: Docker;
  config: Pick<Config, 'buildCache' | 'images'>;
  /** With Dockerfile. */
  folder: string;
  signal: AbortSignal;
}

/** Compiles the sampler once for each base image, apart from the images that are measured. By name of the base. */
export async function buildExcimer(
  world: ExcimerWorld,
  bases: readonly string[],
): Promise<Map<string, Excimer>> {
  const built = new Map<string, Excimer>();
  for (const base of new Set(bases)) built.set(base, await buildOne(world, base));
  return built;
}

async function buildOne({ docker, config, folder, signal }: ExcimerWorld, base: string): Promise<Excimer> {
  const key = `excimer-${createHash('sha256').update(base).digest('hex').slice(0, 12)}`;
  const image = `${NAMESPACE}/${key}:latest`;
  const target = {
    context: folder,
    dockerfile: 'Dockerfile',
    contexts: baseContexts(config.images),
    args: { BASE: base },
    tags: [image],
    output: ['type=docker'],
    labels: { [IMAGE_LABEL]: 'excimer' },
  };
  const finished = await runBake(docker, config, { target: { [key]: target } }, [key], { signal });
  signal.throwIfAborted();
  return finished.code === 0 ? { image } : { reason: findReason(lastLines(finished.stderr, 200)) };
}

/** Copies the sampler to a folder of this machine. */
export async function takeExcimer(docker: Docker, run: string, image: string, folder: string): Promise<void> {
  const name = `php-runtime-bench-${run}-excimer`;
  // It is never started, so its command need not be there.
  await docker.run(['container', 'create', `--name=${name}`, `--label=${LABEL}=${run}`, image, 'none']);
  try {
    const to = join(folder, 'excimer.so');
    await docker.run(['container', 'cp', `${name}:/excimer.so`, to], { timeoutMs: LIMITS_MS.copy });
  } finally {
    await removeContainers(docker, [name]);
  }
}
