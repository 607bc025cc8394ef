import * as z from 'zod';
import { HistoryRecord } from './history-record.ts';

/** The records of a history, and its lines that cannot be read. */
export interface History {
  records: HistoryRecord[];
  corrupt: Corrupt[];
}

/** A line that is no record. It stays in the file: somebody may know how to fix it. */
export interface Corrupt {
  /** 1-based. */
  line: number;
  why: string;
}

/** Reads a history, a record a line. A line that cannot be read is skipped and reported, never taken for an end. */
export function readHistory(text: string): History {
  const history: History = { records: [], corrupt: [] };
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      history.records.push(HistoryRecord.parse(JSON.parse(line)));
    } catch (error) {
      const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
      const why = issue ? `${issue.path.join('.')}: ${issue.message}` : 'not JSON';
      history.corrupt.push({ line: i + 1, why });
    }
  }
  return history;
}

/**
 * Lines to add at the end of a history; its present lines stay as they are. A record of the same run, variant and
 * scenario is not added again, so it may be tried twice.
 */
export function appendRecords(
  text: string,
  records: readonly HistoryRecord[],
): { lines: string; added: number; corrupt: Corrupt[] } {
  const { records: there, corrupt } = readHistory(text);
  const known = new Set(there.map(keyOf));
  const added = records.filter((record) => !known.has(keyOf(record)));
  // A writer may have been cut short.
  const start = added.length === 0 || text === '' || text.endsWith('\n') ? '' : '\n';
  const lines = added.map((record) => `${JSON.stringify(record)}\n`);
  return { lines: start + lines.join(''), added: added.length, corrupt };
}

const keyOf = ({ run, variant, scenario }: HistoryRecord) => JSON.stringify([run, variant, scenario]);
