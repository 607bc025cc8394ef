import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/types.ts';
import { type Docker, IMAGE_LABEL, LIMITS_MS, lastLines } from '../engine/docker.ts';
import { MachineError, UserError } from '../errors.ts';
import { makeOneOfSeveral } from '../temporary.ts';
import { shortHash } from '../text/short-hash.ts';
import type { BakeFile } from './bake.ts';
import { runBake } from './run-bake.ts';
import { maskUsers } from './secret.ts';

/** A repository in a registry, through which engines share what one of them has built. Pushed by tag, pulled by digest. */

/** A tag has up to 128 characters, and a key as many as the names that it is made of. */
const MAX_TAG = 128;

export function pushedTag(registry: string, key: string): string {
  const hash = shortHash(key, 12);
  return `${registry}:${key.length <= MAX_TAG ? key : `${key.slice(0, MAX_TAG - 13)}-${hash}`}`;
}

/** The same bake file with these targets pushed, as `--push` does, instead of kept under their local names. */
export function withPush(file: BakeFile, keys: readonly string[], registry: string): BakeFile {
  const target = Object.entries(file.target).map(([key, one]) => [
    key,
    keys.includes(key) ? { ...one, tags: [pushedTag(registry, key)], output: ['type=image,push=true'] } : one,
  ]);
  return { target: Object.fromEntries(target) };
}

interface PushWorld {
  docker: Docker;
  config: Pick<Config, 'buildCache'>;
  run: string;
  /** Composer's credentials. */
  auth?: string | undefined;
  signal: AbortSignal;
}

/**
 * Builds these targets, mostly from the cache, and pushes them. By key: `registry.example.com/bench@sha256:…`.
 * Errors: MachineError with the registry's answer.
 */
export async function pushTargets(
  { docker, config, run, auth, signal }: PushWorld,
  file: BakeFile,
  keys: readonly string[],
  registry: string,
): Promise<Map<string, string>> {
  const metadata = join(await makeOneOfSeveral(run, 'push'), 'metadata.json');
  const tags = keys.map((key) => pushedTag(registry, key));
  const finished = await runBake(docker, config, withPush(file, keys, registry), keys, {
    ...{ metadata, auth, signal },
    // Local names for the registry would keep images of former runs from being pruned.
  }).finally(() => docker.try(['image', 'rm', ...tags]).catch(() => {}));
  signal.throwIfAborted();
  if (finished.code !== 0) {
    throw new MachineError('the engine could not push to the registry', {
      ...{ where: { name: 'registry' }, found: `${registry}: ${findAnswer(finished.stderr)}` },
      hint: 'see docs/runners.md#share-images-through-a-registry',
    });
  }
  const told = JSON.parse(await readFile(metadata, 'utf8'));
  return new Map(
    keys.map((key) => {
      const digest = String(told[key]?.['containerimage.digest']);
      if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`buildx printed no digest of ${key}`);
      return [key, `${registry}@${digest}`];
    }),
  );
}

/** The registry's answer, from bake's progress. */
function findAnswer(log: string): string {
  const line = log.split('\n').findLast((text) => /^ERROR: /.test(text)) ?? lastLines(log, 1);
  return maskUsers(line.replace(/^ERROR: (failed to solve: )?/, '')).slice(0, 300);
}

/** Images of this repository that an engine has, by digest. */
export async function listPulled(docker: Docker, registry: string): Promise<Set<string>> {
  const format = '{{.Repository}}@{{.Digest}}';
  return new Set((await docker.run(['image', 'ls', '--digests', '--format', format, registry])).split('\n'));
}

/** Pulls what was pushed, by its digest. Errors: MachineError with the registry's answer. */
export async function pullPushed(docker: Docker, pushed: string, signal: AbortSignal): Promise<void> {
  const pulled = await docker.try(['image', 'pull', '--quiet', pushed], {
    signal,
    timeoutMs: LIMITS_MS.pull,
  });
  signal.throwIfAborted();
  if (pulled.code === 0) return;
  throw new MachineError('the engine could not pull from the registry', {
    where: { name: 'registry' },
    found: `${pushed}: ${maskUsers(lastLines(pulled.stderr, 1)).slice(0, 300)}`,
    hint: 'see docs/runners.md#share-images-through-a-registry',
  });
}

/** One of several engines, on which no run has begun. */
export interface SharingEngine {
  name: string;
  docker: Docker;
  arch: string;
}

/** The image that is pushed and pulled to see whether that works. */
const CHECK = 'php-runtime-bench-check';

/**
 * Pushes a tiny image from the engine that builds. Returns what the others have to pull. Errors: UserError where the
 * registry does not take it.
 */
export async function tryPush(
  { name, docker }: SharingEngine,
  registry: string,
  { folder, run, signal }: { folder: string; run: string; signal: AbortSignal },
): Promise<string> {
  const labels = { [IMAGE_LABEL]: 'check' };
  const target = { context: folder, dockerfile: 'Dockerfile', contexts: {}, args: {}, labels };
  const pushed = await blame(name, registry, () =>
    pushTargets({ docker, config: {}, run, signal }, { target: { [CHECK]: target } }, [CHECK], registry),
  );
  return pushed.get(CHECK) as string;
}

/** Pulls it on another engine. Errors: UserError where that does not work, or where what is built could not run there. */
export async function tryPull(
  engine: SharingEngine,
  builder: SharingEngine,
  pushed: string,
  signal: AbortSignal,
): Promise<void> {
  if (engine.arch !== builder.arch) {
    throw new UserError('these engines cannot share images', {
      ...{
        where: { name: 'registry' },
        found: `${builder.name}: ${builder.arch}, ${engine.name}: ${engine.arch}`,
      },
      ...{ allowed: 'engines with one architecture', hint: 'leave out `registry`: each engine then builds' },
    });
  }
  try {
    await blame(engine.name, pushed, () => pullPushed(engine.docker, pushed, signal));
  } finally {
    await engine.docker.try(['image', 'rm', pushed]);
  }
}

/** Nothing has begun: what the registry answers is a mistake in what was asked for, of this engine. */
async function blame<T>(engine: string, registry: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MachineError)) throw error;
    const { found = registry } = error.detail;
    throw new UserError(error.message.replace('the engine', engine), { ...error.detail, found });
  }
}
