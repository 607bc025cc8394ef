import { appendFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../errors.ts';
import { Duet, Measurement, Results, Search } from '../results.ts';

/** The output folder. Measurements are appended as they come, the rest is replaced as a whole. */
export interface Output {
  folder: string;
  append(lines: readonly (Measurement | Duet | Search)[]): Promise<void>;
  /** Adds to a file that grows while the run goes on. */
  appendRaw(name: string, text: string): Promise<void>;
  /** @param text as a whole, or piece by piece */
  write(name: string, text: string | Iterable<string>): Promise<void>;
}

const OURS = ['measurements.ndjson', 'results.json', 'report.md', 'report.html', 'raw'];
/** Or as they are while they are written. */
const isOurs = (name: string) => OURS.includes(name.replace(/\.new$/, ''));
/** It is written first: without it, what is called so is somebody else's. */
const isSign = (name: string) => name.startsWith('results.json');

/** Makes the folder ready; what an earlier run left in it is replaced. UserError when it holds anything else. */
export async function openOutput(folder: string): Promise<Output> {
  let names: string[] = [];
  try {
    await mkdir(folder, { recursive: true });
    names = await readdir(folder);
  } catch (error) {
    throw new UserError('the output folder cannot be used', {
      where: { name: 'out' },
      found: (error as Error).message,
    });
  }
  const foreign = names.some(isSign) ? names.filter((name) => !isOurs(name)) : names;
  if (foreign.length > 0) {
    throw new UserError('the output folder holds files that are not ours, and it would be overwritten', {
      where: { name: 'out' },
      found: `${folder}: ${foreign.slice(0, 3).join(', ')}`,
      allowed: 'a new or empty folder, or one that an earlier run has written',
    });
  }
  // The sign goes last, so that a folder half cleared is still known.
  for (const name of names.sort((a, b) => Number(isSign(a)) - Number(isSign(b)))) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
  return {
    folder,
    async append(lines) {
      if (lines.length === 0) return;
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      // Somebody may have removed the folder; what it held stands in results.json at the end.
      await mkdir(folder, { recursive: true });
      await appendFile(join(folder, 'measurements.ndjson'), text);
    },
    async appendRaw(name, text) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, text);
    },
    async write(name, text) {
      const path = join(folder, name);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    },
  };
}

const Line = z.union([Duet, Search, Measurement]);

/** Results at a path: a folder that holds some, or a file by itself; null where there is nothing of the kind. */
export async function findResults(path: string): Promise<Results | null> {
  if (await isFile(join(path, 'results.json'))) return readOutput(path);
  if (!path.endsWith('.json') || !(await isFile(path))) return null;
  return parseJson(path, 1, await readFile(path, 'utf8'), Results);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}

/**
 * Reads the results of an output folder. A run that was killed has appended measurements that its
 * results.json does not hold yet: they are taken from measurements.ndjson.
 */
export async function readOutput(folder: string): Promise<Results> {
  const file = join(folder, 'results.json');
  const appended = join(folder, 'measurements.ndjson');
  const lines = await countLines(appended);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) {
    throw new UserError('there are no results here', {
      where: { name: folder },
      allowed: 'a folder with results.json',
    });
  }
  const results = parseJson(file, 1, text, Results);
  if (lines <= results.measurements.length + results.duets.length + results.searches.length) return results;
  const found = (await readFile(appended, 'utf8'))
    .split('\n')
    // What stands behind the last line break was cut off in mid-write.
    .slice(0, -1)
    .map((line, i) => parseJson(appended, i + 1, line, Line));
  const measurements = found.filter((line): line is Measurement => !('duet' in line || 'search' in line));
  const duets = found.filter((line): line is Duet => 'duet' in line);
  const searches = found.filter((line): line is Search => 'search' in line);
  return measurements.length > results.measurements.length
    ? { ...results, measurements, duets, searches }
    : results;
}

/** Of a file that may be as large as the results, so it is not kept; none where it cannot be read. */
async function countLines(path: string): Promise<number> {
  let lines = 0;
  try {
    for await (const _ of (await open(path)).readLines()) lines++;
  } catch {
    return 0;
  }
  return lines;
}

function parseJson<T>(file: string, line: number, text: string, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
    const found = issue ? `${issue.path.join('.')}: ${issue.message}` : (error as Error).message;
    const where = file.endsWith('.ndjson') ? { name: file, line } : { name: file };
    throw new UserError('these results cannot be read', {
      where,
      found,
      allowed: 'results of schema version 1',
    });
  }
}
