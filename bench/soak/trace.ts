/** Stored data of a soak, and its analysis. */
import { readFileSync } from 'node:fs';
import { poolSoak, type SteadySlice } from '../../src/analyse/rows/soak-trend.ts';
import type { Soak } from '../../src/analyse/summary.ts';
import type { Measurement, Results } from '../../src/results/results.ts';

/** A server under steady load. */
export interface Trace {
  started: string;
  /** Commit of the tool that measured. */
  commit: string;
  machine: string;
  runtime: string;
  php: string;
  /** Bytes that the app kept of each request. */
  leak: number;
  vus: number;
  durationMs: number;
  /** Step by step: ms from the begin of the load, its length in ms, requests, failures. */
  steps: (readonly [number, number, number, number])[];
  /** ms from the begin of the load, bytes, CPU µs since the one before; the first traces have no CPU. */
  memory: (readonly [number, number, number?])[];
}

export function traceOf(
  { host, variants }: Results,
  slice: Measurement,
  leak: number,
  commit: string,
): Trace {
  const variant = variants.find(({ id }) => id === slice.variant);
  if (!variant) throw new Error(`${slice.variant} is no variant of the run`);
  return {
    started: new Date(slice.startedMs).toISOString(),
    commit,
    machine: `${host.cpuModel}, ${host.cpus} CPUs, kernel ${host.kernel}`,
    runtime: variant.runtime,
    php: variant.facts?.php ?? variant.php,
    leak: variant.app === 'leaky' ? leak : 0,
    vus: slice.steps[0]?.vus ?? 0,
    durationMs: slice.durationMs,
    steps: slice.steps.map((step) => [step.offsetMs, step.durationMs, step.requests, step.failures] as const),
    memory: slice.series.map(
      ({ atMs, memoryBytes, cpuUs }) => [Math.round(atMs), memoryBytes, Math.round(cpuUs)] as const,
    ),
  };
}

/** A line of the data file. */
export function formatTrace(trace: Trace): string {
  return `${JSON.stringify(trace)}\n`;
}

export function readTraces(file: string): Trace[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** As a run has it whose only measured slices are these; null: no soak. */
export function judge(...traces: readonly Trace[]): Soak | null {
  return poolSoak(
    traces.map(({ durationMs, vus, steps, memory }): SteadySlice => {
      const done = steps.map(([offsetMs, durationMs, requests, failures]) => {
        return { offsetMs, durationMs, requests, failures, vus, offeredRps: null };
      });
      return {
        ...{ durationMs, turnMs: null, steps: done },
        requests: done.reduce((sum, { requests }) => sum + requests, 0),
        series: memory.map(([atMs, memoryBytes, cpuUs = 0]) => ({ atMs, memoryBytes, cpuUs })),
      };
    }),
    'closed',
  );
}
