import { join } from 'node:path';
import { askEngine, connectDocker } from '../engine/docker.ts';
import type { Host } from '../host.ts';
import { type SharingEngine, tryPull, tryPush } from '../images/registry.ts';
import { readShared, SHARED, writeShared } from '../images/shared-images.ts';
import { makeRunId } from '../stages/desk.ts';
import { makeTemporary, removeTemporary } from '../temporary.ts';
import { atEngine } from './at-engine.ts';
import type { Shell } from './shell.ts';

/** How the runs on several engines share images. */
export interface Sharing {
  /** For the environment of each run. */
  env: Readonly<Record<string, string>>;
  /** Whether the first has built and pushed them. */
  isBuilt(): Promise<boolean>;
  remove(): Promise<unknown>;
}

/** Asks each engine for a tiny image by way of the registry. Errors: UserError where one cannot push or pull. */
export async function openSharing(
  registry: string,
  engines: readonly string[],
  { host, packageRoot }: Shell,
  signal: AbortSignal,
): Promise<Sharing> {
  await checkRegistry(registry, engines, host, join(packageRoot, 'runtimes/_registry'), signal);
  const run = makeRunId(host.now());
  const remove = () => removeTemporary(run);
  try {
    const file = join(await makeTemporary(run, 'push'), 'images.json');
    await writeShared(file, { registry, images: null, commit: null });
    return {
      env: { [SHARED]: file },
      isBuilt: async () => (await readShared(file)).images !== null,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function checkRegistry(
  registry: string,
  engines: readonly string[],
  host: Host,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const ask = <T>(name: string, work: (engine: SharingEngine, run: string) => Promise<T>) =>
    atEngine(
      host,
      name,
      async (connection, run) => {
        signal.throwIfAborted();
        const docker = connectDocker(connection.host);
        const { arch } = await askEngine(docker, signal);
        return work({ name, docker, arch }, run);
      },
      signal,
    );
  const [first, ...others] = engines as [string, ...string[]];
  const { builder, pushed } = await ask(first, async (builder, run) => ({
    ...{ builder, pushed: await tryPush(builder, registry, { folder, run, signal }) },
  }));
  for (const one of others) await ask(one, (engine) => tryPull(engine, builder, pushed, signal));
}
