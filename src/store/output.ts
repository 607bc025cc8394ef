import { appendFile, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readMachineError, UserError } from '../errors.ts';
import { RESULTS_MARK } from '../results/mark.ts';
import type { Count, Duet, Measurement, Profile, Search } from '../results/results.ts';

/** The output folder. Measurements are appended as they come, the rest is replaced as a whole. */
export interface Output {
  folder: string;
  append(lines: readonly (Measurement | Duet | Search | Profile | Count)[]): Promise<void>;
  /** Adds to a file that grows while the run goes on. */
  appendRaw(name: string, text: string): Promise<void>;
  /** @param text as a whole, or piece by piece */
  write(name: string, text: string | Uint8Array | Iterable<string>): Promise<void>;
  /**
   * Ends the run. A complete one takes the place of the results that were there before. After an incomplete one they
   * are put back where nothing was measured, else they stay in `.previous`, as do those of incomplete runs before it.
   *
   * @returns where the earlier results are now; null where there are none
   */
  end(complete: boolean): Promise<string | null>;
}

const OURS = ['measurements.ndjson', 'results.json', 'report.md', 'report.html', 'raw'];
/** Or as they are while they are written. */
const isOurs = (name: string) => OURS.includes(name.replace(/\.new$/, ''));

/** The files of a run that are there, in the order in which people read them. */
export async function listWritten(folder: string): Promise<string[]> {
  const names = new Set(await readdir(folder).catch(() => []));
  const order = ['report.html', 'report.md', 'results.json', 'measurements.ndjson', 'raw'];
  return order.filter((name) => names.has(name)).map((name) => (name === 'raw' ? 'raw/' : name));
}

/** It is written first: only a folder whose results.json is ours is ours. */
const SIGNS = ['results.json', 'results.json.new'];
/** Keeps results out of `git status`. One that is there stays as it is. */
const IGNORE = '.gitignore';
/** Files that desktops leave in folders which people open. */
const LEFT_BY_DESKTOPS = ['.DS_Store', '.directory', 'desktop.ini', 'Thumbs.db'];
const IGNORE_ALL = `${RESULTS_MARK} Remove this file to commit results.\n*\n`;
/** The earlier content of the folder, until a run is complete: `.previous`, then `.previous-2` and so on, the newest last. */
const isPrevious = (name: string) => /^\.previous(-\d+)?$/.test(name);
const ageOf = (name: string) => Number(name.split('-')[1] ?? 1);

/** Makes the folder ready, and sets aside what an earlier run left in it. UserError when it holds anything else. */
export async function openOutput(folder: string): Promise<Output> {
  const names = await listOurs(folder);
  await setAside(folder, names).catch((error) => {
    throw readMachineError(error) ?? unusable(error);
  });
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
    write: (name, text) => replaceFile(folder, name, text),
    async end(complete) {
      const all = listPrevious(await readdir(folder).catch(() => [])).map((name) => join(folder, name));
      const newest = all.at(-1);
      if (newest === undefined || (await readdir(newest)).length === 0) return null;
      if (complete) {
        for (const previous of all) {
          await removeOurs(previous);
          await rm(previous, { recursive: true, force: true });
        }
        return null;
      }
      if (measured) return newest;
      await removeOurs(folder);
      await moveOurs(newest, folder);
      await rm(newest, { recursive: true, force: true });
      return folder;
    },
  };
}

/**
 * Replaces a file of an output folder as a whole.
 *
 * @param text as a whole, or piece by piece
 */
export async function replaceFile(
  folder: string,
  name: string,
  text: string | Uint8Array | Iterable<string>,
): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  } catch (error) {
    // Half a file takes room on a full disk that what was there before does not need.
    await rm(`${path}.new`, { force: true });
    throw error;
  }
}

/** Makes the folder if it is missing. UserError if that fails. */
export async function openFolder(out: string): Promise<void> {
  try {
    await mkdir(out, { recursive: true });
    const names = await readdir(out);
    // Only in a new folder: whoever commits results has removed it.
    if (names.length === 0) await writeFile(join(out, IGNORE), IGNORE_ALL);
  } catch (error) {
    throw unusable(error);
  }
}

/** Names in the folder; none if it is not there. UserError if it cannot be read. */
export async function listEntries(out: string): Promise<string[]> {
  try {
    return (await readdir(out)).filter((name) => name !== IGNORE && !LEFT_BY_DESKTOPS.includes(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unusable(error);
  }
}

function unusable(error: unknown): UserError {
  return new UserError('cannot use the output folder', {
    where: { name: 'out' },
    found: (error as Error).message,
  });
}

/** Lists what a run left in the folder. UserError if it cannot be made, or if other files are there. */
async function listOurs(folder: string): Promise<string[]> {
  await openFolder(folder);
  const names = await listEntries(folder);
  refuseFiles(folder, await findForeign(folder, names));
  return names;
}

/** UserError if there are files that no run wrote. */
export function refuseFiles(folder: string, foreign: readonly string[], run = 'run'): void {
  if (foreign.length === 0) return;
  throw new UserError('the output folder contains other files, which a run would overwrite', {
    where: { name: 'out' },
    found: `${folder}: ${foreign.slice(0, 3).join(', ')}`,
    allowed: `a new or empty folder, or one from an earlier ${run}`,
  });
}

/** Names that no run wrote. The name alone proves nothing: other programs write a results.json, too. */
async function findForeign(folder: string, names: readonly string[]): Promise<string[]> {
  const signs = names.filter((name) => SIGNS.includes(name));
  for (const sign of signs) if (!(await isSigned(join(folder, sign)))) return [sign];
  const previous = listPrevious(names);
  for (const name of previous) if (!(await isSigned(join(folder, name, 'results.json')))) return [name];
  // A run that was killed before it wrote anything else leaves one that is empty.
  const known = signs.length > 0 || previous.length > 0;
  return known ? names.filter((name) => !isPrevious(name) && !isOurs(name)) : [...names];
}

/** Whether a results.json shows that we wrote it, or is nothing but the start of one. */
export async function isSigned(path: string): Promise<boolean> {
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

const listPrevious = (names: readonly string[]) =>
  names.filter(isPrevious).sort((a, b) => ageOf(a) - ageOf(b));

async function setAside(folder: string, names: readonly string[]): Promise<void> {
  const newest = listPrevious(names).at(-1);
  // A run that measured nothing is worth less than the results that it set aside.
  if (newest !== undefined && !names.includes('measurements.ndjson')) return removeOurs(folder);
  if (!names.includes('results.json')) return removeOurs(folder);
  const next = join(folder, newest === undefined ? '.previous' : `.previous-${ageOf(newest) + 1}`);
  await mkdir(next);
  await moveOurs(folder, next);
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
