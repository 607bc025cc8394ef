import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { MAX_SHARDS } from '../config/keys/compare-key.ts';
import { UserError } from '../errors.ts';
import { RESULTS_LIMITS, Results } from '../results/results.ts';
import { cut, plural } from '../text/plain.ts';

/**
 * Reads results that another job, perhaps with a stranger's code in it, has left in an artifact. Nothing in there is
 * believed: files are bounded in number and size, data is compared with its schema, and no text is taken as Markdown.
 */

/** A run of 30 variants takes about 10 MB. */
export const MAX_RESULTS_BYTES = 33_554_432;
/** Two attempts of each shard. If there are more, the newest are read. */
const MAX_ARTIFACTS = 2 * MAX_SHARDS;

/** Nobody reads more of a text, and each is shown in several places. */
const MAX_TEXT = 20_000;

const text = z.string().max(2000);

/** Shards to be measured, as `plan` dealt them; written beside the results. */
export const WantedShards = z
  .array(
    z.object({
      index: z.int().min(1).max(MAX_SHARDS),
      of: z.int().min(1).max(MAX_SHARDS),
      variants: z.array(text).max(1000),
    }),
  )
  .min(1)
  .max(MAX_SHARDS);
export type WantedShards = z.infer<typeof WantedShards>;

interface Gathered {
  /** In the order of their shards. */
  results: Results[];
  /** Results that could not be used, and why. */
  refused: string[];
}

/**
 * The folders of the artifacts that were downloaded into a folder, each known by a file in its root. A single artifact
 * has no folder of its own. Links are not followed.
 */
export async function listArtifacts(folder: string, file: string): Promise<{ name: string; path: string }[]> {
  const alone = await lstat(join(folder, file)).catch(() => null);
  if (alone) return [{ name: basename(folder), path: folder }];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, path: join(folder, name) }));
}

/**
 * The results in the folders of a folder, the newest of each shard. Links are not followed.
 *
 * @param wanted whose results count; any else are refused
 */
export async function gatherResults(folder: string, wanted: WantedShards): Promise<Gathered> {
  const kept = new Map<number, { name: string; found: Results }>();
  const refused: string[] = [];
  const listed = await listArtifacts(folder, 'results.json');
  const artifacts = listed.toSorted((a, b) => attemptOf(b.name) - attemptOf(a.name));
  if (artifacts.length > MAX_ARTIFACTS)
    refused.push(
      `${plural(artifacts.length - MAX_ARTIFACTS, 'more artifact')}: up to ${MAX_ARTIFACTS} are read`,
    );
  for (const { name, path } of artifacts.slice(0, MAX_ARTIFACTS)) {
    try {
      const found = bound(await readBounded(join(path, 'results.json'), Results, MAX_RESULTS_BYTES));
      const { shard } = found.plan;
      if (!wanted.some(({ index, of }) => index === shard?.index && of === shard.of))
        throw new Error('not a shard of this run');
      // A job that was run again has left the results of both attempts.
      const other = kept.get(indexOf(found));
      const isNewer = !other || Date.parse(found.run.started) > Date.parse(other.found.run.started);
      if (isNewer) kept.set(indexOf(found), { name, found });
      if (other) refused.push(`${isNewer ? other.name : name}: a newer result of the same shard exists`);
    } catch (error) {
      refused.push(`${name}: ${(error as Error).message}`);
    }
  }
  const results = [...kept.values()].map(({ found }) => found);
  return { results: results.sort((a, b) => indexOf(a) - indexOf(b)), refused };
}

/** Attempt in the name of an artifact, `php-runtime-bench-shard-3-10`; 0 where there is none. */
function attemptOf(name: string): number {
  return Number(/.*-shard-\d+-(\d+)/.exec(name)?.[1] ?? 0);
}

/** Reads the shards to be measured. Throws a UserError when they cannot be read. */
export async function readWanted(file: string): Promise<WantedShards> {
  try {
    return await readBounded(file, WantedShards, 1_048_576);
  } catch (error) {
    throw new UserError('the list of shards cannot be read', {
      where: { name: file },
      found: (error as Error).message,
    });
  }
}

export const indexOf = ({ plan }: Results) => plan.shard?.index ?? 0;

async function readBounded<T>(file: string, schema: { parse(value: unknown): T }, most: number): Promise<T> {
  const found = await lstat(file).catch(() => null);
  if (!found?.isFile()) throw new Error('there is no such file');
  if (found.size > most) throw new Error(`${found.size} bytes; at most ${most} are read`);
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8'), shorten));
  } catch (error) {
    const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
    throw new Error(issue ? `${issue.path.join('.')}: ${issue.message}` : 'not JSON');
  }
}

function shorten(_: string, value: unknown): unknown {
  return typeof value === 'string' ? cut(value, MAX_TEXT) : value;
}

function bound(results: Results): Results {
  const counts = {
    variants: results.variants.length,
    scenarios: results.plan.scenarios.length,
    measurements: results.measurements.length + results.duets.length,
  };
  for (const [what, most] of Object.entries(RESULTS_LIMITS)) {
    const count = counts[what as keyof typeof RESULTS_LIMITS];
    if (count > most) throw new Error(`${count} ${what}, up to ${most} are read`);
  }
  return results;
}
