import { appendFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readMachineError, UserError } from '../errors.ts';
import type { Results } from '../results/results.ts';
import { cleanLine } from '../text/plain.ts';
import { appendRecords, type History, readHistory } from './file.ts';
import { type HistoryRecord, recordsOf } from './history-record.ts';

/**
 * Adds runs at the end of a history on this machine, which is made where there is none.
 *
 * @param runs with the folders that they were read from
 * @param commit that of runs that did not note theirs; null: not known
 * @returns the number of new records, and the runs that added none
 * @throws UserError where it cannot be read or written, MachineError where the disk fails
 */
export async function addRuns(
  file: string,
  runs: readonly { folder: string; results: Results }[],
  commit: string | null,
): Promise<{ added: number; nothing: { folder: string; why: string }[] }> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw unreadable(file, error);
  });
  refuseResults(file, text);
  readRecords(file, text);
  let [lines, added] = ['', 0];
  const nothing: { folder: string; why: string }[] = [];
  for (const { folder, results } of runs) {
    const records = recordsOf(results, results.run.head?.commit ?? commit);
    const more = appendRecords(text + lines, records);
    lines += more.lines;
    added += more.added;
    if (more.added === 0) nothing.push({ folder, why: whyNothing(results, records) });
  }
  await appendFile(file, lines).catch((error: Error) => {
    throw readMachineError(error) ?? unwritable(file, error);
  });
  return { added, nothing };
}

function whyNothing({ run }: Results, records: readonly HistoryRecord[]): string {
  if (run.stopped !== null) return `stopped by ${cleanLine(run.stopped)} before its plan was done`;
  return records.length === 0 ? 'no scenario was measured' : 'already there';
}

/** Reads a history. UserError where there is none, or where the results of a run are given in its place. */
export async function openHistory(file: string): Promise<History> {
  if ((await stat(join(file, 'results.json')).catch(() => null)) !== null) throw notAHistory(file);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? missing(file) : unreadable(file, error);
  });
  refuseResults(file, text);
  return readRecords(file, text);
}

/** Errors: UserError where lines are there, and none is a record. */
function readRecords(file: string, text: string): History {
  const history = readHistory(text);
  const [first] = history.corrupt;
  if (!first || history.records.length > 0) return history;
  throw new UserError('not a history', {
    where: { name: file },
    found: `line ${first.line}: ${first.why}`,
    allowed: 'a file with one record per line, such as history.ndjson',
  });
}

function refuseResults(file: string, text: string): void {
  if (/^\s*\{\s*"schema"\s*:/.test(text.slice(0, 1000))) throw notAHistory(file);
}

const notAHistory = (file: string) =>
  new UserError('these are the results of one run, not a history', {
    where: { name: file },
    allowed: 'a file with one record per line, such as history.ndjson',
    hint: 'add the run to a history: php-runtime-bench history history.ndjson --add bench-results',
  });

const missing = (file: string) =>
  new UserError('no such file', {
    where: { name: file },
    hint: 'add a run, and it is made: --add bench-results',
  });

const unreadable = (file: string, error: Error) =>
  new UserError('the file cannot be read', { where: { name: file }, found: error.message });

const unwritable = (file: string, error: Error) =>
  new UserError('the file cannot be written', {
    ...{
      where: { name: file },
      found: error.message,
      allowed: 'a file that you may write, in a folder that exists',
    },
    hint: 'make the folder, change its permissions, or choose another file',
  });
