/** The data file: one JSON object a line, appended; a torn last line is what a killed process left. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import type { CompareMetric, Comparison, HostFacts, Measurement } from '../../src/results/results.ts';
import type { Item, TargetName } from './series.ts';

export interface Calibration {
  started: string;
  iterations: number;
  /** Pairs of fresh starts. */
  instances: number;
  /** CPU per request with no extra work, and with `iterations`. */
  baseUs: Interval;
  fullUs: Interval;
  /** CPU of one iteration. */
  iterationUs: Interval;
}

export interface Arms {
  base: Measurement[];
  head: Measurement[];
}

/** The first line. It is valid for the whole file. */
export interface SeriesLine {
  kind: 'series';
  seed: number;
  /** Commit of the tool that measures. */
  commit: string;
  /** Flags of `run` that shape the plan. */
  plan: string[];
  /** The base gets the work instead of the head: a check that signs are right. */
  swapped: boolean;
  started: string;
}

/** State of the machine just before. */
export interface Before {
  waitedSeconds: number;
  /** CPU in use by anybody over the last two seconds, 0…1. */
  busyRatio: number;
  /** Load average of the last minute. */
  load1: number;
  /** False: it went on although the machine did not become quiet in time. */
  quiet: boolean;
}

export const SLICE_COLUMNS = [
  'instance',
  'block',
  'head',
  'ok',
  'requests',
  'failures',
  'rps',
  'cpuUs',
  'p50Ms',
  'p95Ms',
  'p99Ms',
  'memoryBytes',
  'serverBusy',
  'interrupted',
  'k6Busy',
  'bound',
  'foreign',
  'steal',
  'stallMs',
  'overlapMs',
] as const;
export type SliceColumn = (typeof SLICE_COLUMNS)[number];

export const DUET_COLUMNS = [
  'instance',
  'block',
  'headFirst',
  'ok',
  'headRequests',
  'headUs',
  'baseRequests',
  'baseUs',
  'foreign',
  'steal',
  'stallMs',
] as const;
export type DuetColumn = (typeof DUET_COLUMNS)[number];

/** One arm on one instance: pooled over its slices. */
export interface ArmSummary {
  rps: number;
  cpuUs: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  memoryBytes: number | null;
  /** The merged histogram of results.json: bucket, count, steps from the bucket before. */
  histogram: number[];
}

export interface InstanceSummary {
  instance: number;
  base: ArmSummary;
  head: ArmSummary;
  /** ln(head ÷ base); null where one is missing. CPU by duets where there are any. */
  ln: Record<CompareMetric, number | null>;
}

/** Extra CPU in the head, as the calibration in force gives it. */
export interface Injected {
  iterations: number;
  us: Interval;
  /** Share of the base's CPU per request. */
  share: Interval;
  /** When that calibration began. */
  calibration: string;
}

/** A value with its 95 % interval. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

interface Measured {
  tool: { version: string; commit: string; k6: string };
  /** Null: it did not come that far. */
  machine: HostFacts | null;
  before: Before;
  started: string;
  wallSeconds: number;
  /** Exit code of the run: 0, 1 and 3 leave results. */
  exitCode: number;
  /** Why there is nothing to judge. */
  failure: string | null;
}

export interface ComparisonLine extends Measured, Item {
  kind: 'comparison';
  injected: Injected | null;
  plan: {
    instances: number;
    blocks: number;
    load: string;
    warmupMs: number;
    timeoutMs: number;
    loadSeconds: number;
  };
  /** By column, one value a slice; `head`, `ok` and `bound` are 0 or 1. */
  slices: Partial<Record<SliceColumn, (number | null)[]>>;
  /** Windows in which both arms were loaded at once, likewise; left out in files from before there were any. */
  duets?: Partial<Record<DuetColumn, (number | null)[]>>;
  instances: InstanceSummary[];
  comparisons: Comparison[];
  warnings: string[];
}

export interface CalibrationLine extends Measured {
  kind: 'calibration';
  target: TargetName;
  seed: number;
  calibration: Calibration | null;
}

export type Line = SeriesLine | ComparisonLine | CalibrationLine;

/**
 * Reads the whole lines of a data file; none when it is not there. Throws on a line that is no JSON, unless it is the
 * last one and unfinished.
 */
export function readLines(file: string): Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.pop();
  return lines.map((line, i) => {
    try {
      return JSON.parse(line) as Line;
    } catch (error) {
      throw new Error(`${file}:${i + 1} is no JSON: ${(error as Error).message}`);
    }
  });
}

/** Cuts off what follows the last whole line. Returns how many bytes that was. */
export function dropTornLine(file: string): number {
  if (!existsSync(file)) return 0;
  const bytes = readFileSync(file);
  const whole = bytes.lastIndexOf(0x0a) + 1;
  if (whole < bytes.length) truncateSync(file, whole);
  return bytes.length - whole;
}

/** One write, on the disk when it returns: after a kill the line is there as a whole, or torn and dropped. */
export function appendLine(file: string, line: Line): void {
  const descriptor = openSync(file, 'a');
  try {
    writeSync(descriptor, `${JSON.stringify(line)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
