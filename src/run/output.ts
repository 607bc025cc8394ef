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
  /**
   * Ends the run. A complete one takes the place of the results that were there before. After an incomplete one they
   * are put back where nothing was measured, else they stay in `.previous`.
   *
   * @returns where the earlier results are now; null where there are none
   */
  end(complete: boolean): Promise<string | null>;
}

const OURS = ['measurements.ndjson', 'results.json', 'report.md', 'report.html', 'raw'];
/** Or as they are while they are written. */
const isOurs = (name: string) => OURS.includes(name.replace(/\.new$/, ''));
/** It is written first: only a folder whose results.json is ours is ours. */
const SIGNS = ['results.json', 'results.json.new'];
/** What the folder held before this run, until the run is complete. */
const PREVIOUS = '.previous';

/** Makes the folder ready, and sets aside what an earlier run left in it. UserError when it holds anything else. */
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
  const foreign = await findForeign(folder, names);
  if (foreign.length > 0) {
    throw new UserError('the output folder holds files of another program, which a run would overwrite', {
      where: { name: 'out' },
      found: `${folder}: ${foreign.slice(0, 3).join(', ')}`,
      allowed: 'a new or empty folder, or one that an earlier run has written',
    });
  }
  await setAside(folder, names);
  let measured = false;
  return {
    folder,
    async append(lines) {
      if (lines.length === 0) return;
      measured = true;
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
      try {
        await writeFile(`${path}.new`, text);
        await rename(`${path}.new`, path);
      } catch (error) {
        // Half a file takes room on a full disk that what was there before does not need.
        await rm(`${path}.new`, { force: true });
        throw error;
      }
    },
    async end(complete) {
      const previous = join(folder, PREVIOUS);
      if ((await readdir(previous).catch(() => [])).length === 0) return null;
      if (complete) {
        await rm(previous, { recursive: true, force: true });
        return null;
      }
      if (measured) return previous;
      await removeOurs(folder);
      await moveOurs(previous, folder);
      await rm(previous, { recursive: true, force: true });
      return folder;
    },
  };
}

/** What a run did not write. The name alone proves nothing: other programs write a results.json, too. */
async function findForeign(folder: string, names: readonly string[]): Promise<string[]> {
  const signs = names.filter((name) => SIGNS.includes(name));
  for (const sign of signs) if (!(await isSigned(join(folder, sign)))) return [sign];
  if (names.includes(PREVIOUS) && !(await isSigned(join(folder, PREVIOUS, 'results.json'))))
    return [PREVIOUS];
  // A run that was killed before it wrote anything else leaves one that is empty.
  const known = signs.length > 0 || names.includes(PREVIOUS);
  return known ? names.filter((name) => name !== PREVIOUS && !isOurs(name)) : [...names];
}

/** Whether a results.json says that we wrote it, or is nothing but the start of one. */
async function isSigned(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    const head = buffer.toString('utf8', 0, bytesRead);
    if (head === '' && path.endsWith('.new')) return true;
    return /^\s*\{\s*"schema"\s*:\s*\d+\s*,\s*"tool"\s*:\s*\{\s*"name"\s*:\s*"php-runtime-bench"/.test(head);
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

async function setAside(folder: string, names: readonly string[]): Promise<void> {
  const previous = join(folder, PREVIOUS);
  // What measured nothing is worth less than what it set aside.
  if (names.includes(PREVIOUS) && !names.includes('measurements.ndjson')) return removeOurs(folder);
  if (!names.includes('results.json')) return removeOurs(folder);
  await rm(previous, { recursive: true, force: true });
  await mkdir(previous);
  await moveOurs(folder, previous);
}

async function removeOurs(folder: string): Promise<void> {
  for (const name of await ourNames(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

async function moveOurs(from: string, to: string): Promise<void> {
  for (const name of await ourNames(from)) await rename(join(from, name), join(to, name));
}

/** The sign goes last, so that a folder half cleared is still known. */
async function ourNames(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter(isOurs);
  return names.sort((a, b) => Number(SIGNS.includes(a)) - Number(SIGNS.includes(b)));
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
