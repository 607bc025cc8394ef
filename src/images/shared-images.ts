import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Docker } from '../engine/docker.ts';
import { inspectImage } from '../engine/image-store.ts';
import { MachineError, readMachineError, UserError } from '../errors.ts';
import type { PlannedImage } from '../plan/variants.ts';
import type { Built } from './build.ts';
import { pullPushed } from './registry.ts';

/** The file that the runs on several engines share: a run that finds no images in it builds them for all. */
interface SharedImages {
  registry: string;
  /** By key; null: none is built yet. */
  images: Record<string, Built> | null;
  /** The other commit that was built; null: there is none. */
  commit: string | null;
}

/** An environment variable of the run of a share; no file of a project can set it. */
export const SHARED = 'PHP_RUNTIME_BENCH_SHARED_IMAGES';

/** Errors: MachineError where the file is gone. */
export async function readShared(file: string): Promise<SharedImages> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const found = (error as Error).message;
    const hint = 'run again, and let nothing remove temporary files meanwhile';
    throw readMachineError(error) ?? new MachineError('the list of shared images was lost', { found, hint });
  }
}

/** As a whole: somebody waits for it. */
export async function writeShared(file: string, shared: SharedImages): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(shared));
  await rename(`${file}.new`, file);
}

/** The builder builds all images of all shares, and pushes them. */
export async function buildForAll(
  file: string,
  { registry }: SharedImages,
  commit: string | null,
  build: () => Promise<Map<string, Built>>,
): Promise<SharedImages> {
  const shared = { registry, commit, images: Object.fromEntries(await build()) };
  await writeShared(file, shared);
  return shared;
}

interface PullOptions {
  ownCommit: string | null;
  say: (line: string) => void;
  signal: AbortSignal;
  /** Called before an image is pulled. */
  onPull: (pushed: string) => void;
}

/** Pulls by digest what this share needs; what did not build is known. Errors: MachineError, or UserError. */
export async function pullShared(
  docker: Docker,
  images: readonly PlannedImage[],
  { images: shared, commit }: SharedImages,
  { ownCommit, say, signal, onPull }: PullOptions,
): Promise<Map<string, Built>> {
  if (commit !== ownCommit) {
    throw new UserError('another commit was built', {
      ...{ where: { name: 'compare-to' }, found: `${ownCommit}; the images are of ${commit}` },
      hint: 'the branch has moved: run again',
    });
  }
  const all = new Map<string, Built>();
  for (const image of images) {
    const one = shared?.[image.key];
    if (!one) throw new Error(`the engine that builds did not build ${image.key}`);
    all.set(image.key, one);
    if ('failure' in one || one.facts.pushed === undefined) continue;
    const { pushed } = one.facts;
    say(`pulling ${pushed}`);
    onPull(pushed);
    await pullPushed(docker, pushed, signal);
    const { id = '', size = 0 } = (await inspectImage(docker, pushed)) ?? {};
    all.set(image.key, { facts: { ...one.facts, name: pushed, id, sizeBytes: size } });
  }
  return all;
}
