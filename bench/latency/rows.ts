import { existsSync, readFileSync } from 'node:fs';
import type { Results } from '../../src/results/results.ts';

export const PERCENTS = [50, 90, 95, 99] as const;

/** First line of a data file. */
export interface Machine {
  machine: Results['host'];
  tool: Results['tool'];
  cpus: Results['plan']['cpus'];
  /** Closed load on answers that take no time, with k6 as a run sets it. */
  capacityRps: number;
}

/** Each other line: one slice. Percentiles are those of PERCENTS, in ms. */
export interface Cell {
  started: string;
  run: string;
  setting: string;
  load: string;
  kind: 'const' | 'closed';
  share: number;
  vus: number;
  round: number;
  rps: number;
  busyRatio: number | null;
  dropped: number;
  requests: number;
  /** The server's own count of answers, of those that it read late, and the time in which it had no CPU. */
  served: number;
  late: number;
  stalledMs: number;
  foreignCpuRatio: number | null;
  stealRatio: number | null;
  /** By the server's log; by the report (pooled histograms); by k6 (exact, of the slice). */
  truthMs: number[];
  pooledMs: number[];
  k6Ms: number[];
}

/** Guards: CPU of others on the cores in use, and time in which the server had no CPU, per second. */
const FOREIGN_CPU = 0.02;
const STALLED_MS = 10;

/** Was something else on these cores? Only what does not depend on k6 is asked. */
export function isDisturbed({ foreignCpuRatio, stalledMs, requests, rps }: Cell): boolean {
  const seconds = requests / rps;
  return foreignCpuRatio === null || foreignCpuRatio > FOREIGN_CPU || stalledMs > STALLED_MS * seconds;
}

/** The first line of a data file, if there is one. */
export function readMachine(file: string): Machine | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8').split('\n', 1)[0] as string) : undefined;
}

/** The slices of data files. */
export function readCells(files: readonly string[]): Cell[] {
  return files
    .flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
    .filter((row) => 'truthMs' in row);
}
