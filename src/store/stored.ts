import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readMachineError, UserError } from '../errors.ts';
import { Count, Duet, Measurement, Profile, Results, Search } from '../results/results.ts';
import { makeCompactor } from './compact.ts';
import { JsonError, readLists } from './lists.ts';

/** Results that were stored: piece by piece, as those of a large run would not fit into memory as a text. */

/** A run of 500 variants in 10 scenarios with 40 slices of each takes about 700 MB. */
const MAX_BYTES = 1_073_741_824;
/** So much is read at a time. */
const CHUNK_BYTES = 262_144;

const Line = z.union([Duet, Search, Profile, Count, Measurement]);

/** Results at a path: a folder that holds some, or a file by itself; null where there is nothing of the kind. */
export async function findResults(path: string): Promise<Results | null> {
  const look = (file: string) => sizeOf(file).catch(() => null);
  if (await look(join(path, 'results.json'))) return readOutput(path);
  const size = path.endsWith('.json') ? await look(path) : null;
  return size === null ? null : readResults(path, size);
}

/** In bytes; null where there is no file. */
async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch((error) => {
    if (['ENOENT', 'ENOTDIR'].includes(error.code)) return null;
    throw unreadable(error, { name: path });
  });
  return found?.isFile() ? found.size : null;
}

/**
 * Reads the results of an output folder. A run that was killed has appended measurements that its
 * results.json does not hold yet: they are taken from measurements.ndjson.
 */
export async function readOutput(folder: string): Promise<Results> {
  const file = join(folder, 'results.json');
  const size = await sizeOf(file);
  if (size === null) {
    throw new UserError('no results found', {
      where: { name: folder },
      allowed: 'a folder with results.json',
    });
  }
  const results = await readResults(file, size);
  const appended = join(folder, 'measurements.ndjson');
  const lines = await countLines(appended);
  if (lines <= linesOf(results)) return results;
  const found = await readAppended(appended, lines);
  return linesOf(found) > linesOf(results) ? { ...results, ...found } : results;
}

/** All that a run appends. */
type Appended = Pick<Results, 'measurements' | 'duets' | 'searches' | 'profiles' | 'counts'>;

function linesOf({ measurements, duets, searches, profiles, counts }: Appended): number {
  return [measurements, duets, searches, profiles, counts].reduce((sum, { length }) => sum + length, 0);
}

async function readResults(file: string, size: number): Promise<Results> {
  if (size > MAX_BYTES) {
    throw new UserError('these results are too large', {
      where: { name: file },
      ...{ found: `${size} bytes`, allowed: `${MAX_BYTES} bytes at most` },
      hint: 'measure fewer variants or scenarios in one run',
    });
  }
  const measurements: Measurement[] = [];
  const duets: Duet[] = [];
  const compact = makeCompactor();
  try {
    const found = await readLists(createReadStream(file, { highWaterMark: CHUNK_BYTES }), {
      measurements: (item, i) => measurements.push(compact(parseAt(Measurement, item, ['measurements', i]))),
      duets: (item, i) => duets.push(parseAt(Duet, item, ['duets', i])),
    });
    const around = Results.parse(withoutZeros(found, { measurements, duets }));
    return { ...around, measurements, duets };
  } catch (error) {
    throw unreadable(error, { name: file });
  }
}

/** Takes out what is in the place of the items that were read; anything else stays for the schema to refuse. */
function withoutZeros(found: unknown, lists: Readonly<Record<string, readonly unknown[]>>): unknown {
  if (typeof found !== 'object' || found === null) return found;
  const entries = Object.entries(found).map(([key, value]) => {
    const isRead = Object.hasOwn(lists, key) && Array.isArray(value) && value.length === lists[key]?.length;
    return [key, isRead && value.every((item) => item === 0) ? [] : value];
  });
  return Object.fromEntries(entries);
}

/** Reads the first `lines` lines that were appended; text behind the last line break was cut off in mid-write. */
async function readAppended(file: string, lines: number): Promise<Appended> {
  const measurements: Measurement[] = [];
  const duets: Duet[] = [];
  const searches: Search[] = [];
  const profiles: Profile[] = [];
  const counts: Count[] = [];
  const compact = makeCompactor();
  let number = 0;
  for await (const text of (await open(file)).readLines()) {
    if (++number > lines) break;
    try {
      const line = Line.parse(JSON.parse(text));
      if ('duet' in line) duets.push(line);
      else if ('search' in line) searches.push(line);
      else if ('profile' in line) profiles.push(line);
      else if ('count' in line) counts.push(line);
      else measurements.push(compact(line));
    } catch (error) {
      throw unreadable(error, { name: file, line: number });
    }
  }
  return { measurements, duets, searches, profiles, counts };
}

/** Whole lines of a file that may be as large as the results; none where it cannot be read. */
async function countLines(path: string): Promise<number> {
  let lines = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) lines++;
    }
  } catch {
    return 0;
  }
  return lines;
}

function parseAt<T>(schema: z.ZodType<T>, value: unknown, path: readonly (string | number)[]): T {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  throw new z.ZodError(error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
}

function unreadable(error: unknown, where: { name: string; line?: number }): Error {
  if (error instanceof Error && 'syscall' in error) {
    const found = error.message;
    return readMachineError(error) ?? new UserError('cannot read these results', { where, found });
  }
  const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
  if (!issue && !(error instanceof JsonError || error instanceof SyntaxError)) return error as Error;
  const found = issue
    ? [issue.path.join('.'), issue.message].filter(Boolean).join(': ')
    : (error as Error).message;
  const allowed = 'results of schema version 1';
  return new UserError('cannot read these results', { where, found, allowed });
}
