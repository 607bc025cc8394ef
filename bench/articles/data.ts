/** Data that is kept of a run, for the tables and claims of docs/articles.md. A line of JSON each. */

import type { Comparison } from '../../src/results/results.ts';
import { MAX_GUARDED } from '../../src/stats/limits.ts';

/** A number and half of its 95 % interval over fresh starts; null: measured once, nothing to judge it by. */
export interface Value {
  value: number;
  half: number | null;
}

/** `min`, `avg`, `max` and percentiles such as `50` and `99.9`, in ms. */
export type Times = Readonly<Record<string, number>>;

/** The first line: the circumstances. */
export interface Run {
  kind: 'run';
  /** Day, UTC. */
  date: string;
  /** Version and commit. */
  tool: string;
  command: string;
  machine: string;
  cpus: string;
  seed: number;
  instances: number;
  /** Scenario → load as it was run. */
  loads: Readonly<Record<string, string>>;
  /** Label → what the server reported to be. */
  servers: Readonly<Record<string, string>>;
  php: string;
  loadSeconds: number;
  wallSeconds: number;
  /** Slices, and those in which a guard saw something that is not the server's doing. */
  guards: { slices: number; foreignCpu: number; steal: number; stall: number };
  /** Codes. */
  warnings: readonly string[];
}

/** The flaw of a row whose RPS is a lower bound. */
export const BOUND = 'k6 was the limit';

/** One variant in one scenario. */
export interface Row {
  kind: 'row';
  scenario: string;
  variant: string;
  /** Why it shows nothing about the server; null: it does. */
  flaw: string | null;
  requests: number;
  okCount: number;
  okRatio: number | null;
  /** Share of what the load offers that was sent; null: clients wait, so there is no such rate. */
  sentRatio: number | null;
  times: Times | null;
  rps: Value | null;
  p50: Value | null;
  /** CPU ms of a request. */
  cpu: Value | null;
  /** The rate that a ramp sustained. `times` and `p50` are those of requests up to it. */
  holds:
    | (Value & {
        kind: 'found' | 'beyond' | 'below';
        okRatio: number | null;
        times: Times | null;
        p50: Value | null;
      })
    | null;
  /** Use of the servers' CPUs, in percent. */
  cpuPercent: { mean: number; median: number; max: number } | null;
  memoryMib: { median: number; max: number } | null;
  /** Size of a response with its head. */
  bytes: number | null;
  errors: readonly { endpoint: string; kind: string; count: number }[];
  /** RPS of each slice. */
  runs?: readonly number[];
  endpoints?: readonly {
    name: string;
    requests: number;
    failures: number;
    rps: number;
    times: Times | null;
  }[];
}

/** A variant against the one that `--reference` names, in RPS. */
export interface Against {
  kind: 'against';
  scenario: string;
  variant: string;
  reference: string;
  /** Ratio with its 99 % interval. */
  ratio: number | null;
  low: number | null;
  high: number | null;
  verdict: Comparison['verdict'];
  reasons: readonly string[];
}

export type Line = Run | Row | Against;

export interface Data {
  run: Run;
  rows: readonly Row[];
  against: readonly Against[];
}

/** Whether other work took the CPUs too often for anything to be judged that depends on them. */
export function isDisturbed({ guards: { slices, foreignCpu, steal } }: Run): boolean {
  return foreignCpu + steal > MAX_GUARDED * slices;
}

/** @throws Error where it does not begin with a run */
export function parseData(text: string): Data {
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line): Line => JSON.parse(line));
  const [run, ...others] = lines;
  if (run?.kind !== 'run') throw new Error('not the data of an article: its first line is no run');
  return {
    run,
    rows: others.flatMap((line) => (line.kind === 'row' ? [line] : [])),
    against: others.flatMap((line) => (line.kind === 'against' ? [line] : [])),
  };
}

/** Five digits are more than is known. */
export function formatData({ run, rows, against }: Data): string {
  const round = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
  return [run, ...rows, ...against].map((line) => `${JSON.stringify(line, round)}\n`).join('');
}
