import { segmentMs, stepRates } from '../../config/parts/load.ts';
import type { Load, Scenario, Segment } from '../../config/types.ts';

/** Load that stays the same for its time, or a count of requests. */
export interface LoadStep {
  offsetMs: number;
  /** Null: until its requests are done. */
  durationMs: number | null;
  /** Open model: iterations offered per second. */
  rps: number | null;
  /** Closed model: concurrency. Open model: the cap on concurrency. */
  vus: number;
  /** For a count of requests. */
  requests: number | null;
}

/** Ramps become steps of a second or two, at most this many, so that k6 can carry statistics for each. */
const MAX_STEPS = 300;

/** The load of one slice as k6 will run it. */
export function compileLoad(load: Load, scenario: Pick<Scenario, 'timeoutMs' | 'maxVus'>): LoadStep[] {
  const steps: LoadStep[] = [];
  let offsetMs = 0;
  for (const segment of load.segments) {
    for (const step of compileSegment(segment, scenario)) {
      steps.push({ ...step, offsetMs: offsetMs + step.offsetMs });
    }
    const ms = segmentMs(segment);
    // The parser lets requests() stand only at the end.
    if (ms === null) break;
    offsetMs += ms;
  }
  return shareVus(steps);
}

/** Steps at rates of their own are one executor's in k6 while they follow each other, with one pool of VUs. */
function shareVus(steps: readonly LoadStep[]): LoadStep[] {
  const open = steps.filter(({ rps }) => rps !== null);
  const most = Math.max(...open.map(({ vus }) => vus));
  return steps.map((step) => (step.rps === null ? step : { ...step, vus: most }));
}

function compileSegment(segment: Segment, scenario: Pick<Scenario, 'timeoutMs' | 'maxVus'>): LoadStep[] {
  const open = (offsetMs: number, durationMs: number, rps: number): LoadStep => ({
    offsetMs,
    durationMs,
    rps,
    vus: scenario.maxVus ?? defaultVus(rps, scenario.timeoutMs),
    requests: null,
  });
  switch (segment.kind) {
    case 'const':
      return [open(0, segment.ms, segment.rps)];
    case 'vus':
      return [{ offsetMs: 0, durationMs: segment.ms, rps: null, vus: segment.vus, requests: null }];
    case 'requests':
      return [{ offsetMs: 0, durationMs: null, rps: null, vus: segment.vus, requests: segment.requests }];
    case 'step':
      return stepRates(segment).map((rps, i) => open(i * segment.ms, segment.ms, rps));
    case 'line': {
      const stepMs =
        segment.ms <= 60_000 ? 1000 : Math.max(2000, Math.ceil(segment.ms / MAX_STEPS / 1000) * 1000);
      // k6 wants at least a second of each.
      const n = Math.max(1, Math.floor(segment.ms / stepMs));
      const each = segment.ms / n;
      // The rate in the middle of the step: as many requests as the straight line would send.
      return Array.from({ length: n }, (_, i) =>
        open(
          Math.round(i * each),
          Math.round((i + 1) * each) - Math.round(i * each),
          segment.fromRps + ((segment.toRps - segment.fromRps) * (i + 0.5)) / n,
        ),
      );
    }
  }
}

/**
 * Default VUs for an arrival rate: enough for every request to take a tenth of a second (Little's law), never more than
 * could be waiting at the timeout. Each VU of k6 has a connection of its own, and they take turns. So more VUs mean
 * more idle keep-alive connections on the server.
 */
export function defaultVus(rps: number, timeoutMs: number): number {
  return Math.max(2, Math.ceil(rps * Math.min(timeoutMs / 1000, 0.1)) + 1);
}

/** No load gets more clients than this by itself. */
const MOST_CLIENTS = 1000;
/** How long an iteration takes is known of the middle one, or of the fastest: as many again, by half, for those that take longer. */
const SPARE_CLIENTS = 1.5;

/**
 * Steps with clients enough for their rate, where iterations take long: a page may wait, and a script may sleep. At least those
 * that the steps have, at most MOST_CLIENTS. Steps with `max-vus` stay the same.
 *
 * Except for a script, no more than servers have workers for: those beyond would wait at any rate. Nor does the load get more if other
 * parts of it have no rate: the clients of those keep workers, too.
 *
 * @param iterationMs how long an iteration takes; null: not known
 * @param served for each server, the clients that it has workers for
 * @param isHalf the steps are of a duet, which gives both servers the clients of both
 */
export function clientsForRate(
  steps: readonly LoadStep[],
  { journey, maxVus }: Pick<Scenario, 'journey' | 'maxVus'>,
  iterationMs: number | null,
  served: readonly number[],
  isHalf = false,
): readonly LoadStep[] {
  const isScript = journey.kind === 'script';
  if (maxVus !== undefined || iterationMs === null) return steps;
  if (!isScript && steps.some(({ rps }) => rps === null)) return steps;
  const rps = Math.max(0, ...steps.map((step) => step.rps ?? 0));
  const planned = Math.max(0, ...steps.map(({ vus }) => vus));
  const enough = Math.ceil((SPARE_CLIENTS * rps * iterationMs) / 1000) + 1;
  const most = isScript ? Infinity : mostServed(served, planned, isHalf);
  const clients = Math.min(MOST_CLIENTS, most, enough);
  return steps.map((step) => (step.rps === null ? step : { ...step, vus: Math.max(step.vus, clients) }));
}

/** Two halves are as many clients as a whole slice, so each has an even number. Servers that the planned number is too large for do not count. */
function mostServed(served: readonly number[], planned: number, isHalf: boolean): number {
  const fitting = served.filter((clients) => clients >= planned * (isHalf ? 2 : 1));
  if (fitting.length === 0) return planned;
  const half = Math.floor(Math.min(...fitting) / 2);
  return isHalf ? half : 2 * half;
}

/** Warm-up in the manner of the load: its concurrency, or a tenth of a ramp's top rate. */
export function compileWarmup(
  load: Load,
  scenario: Pick<Scenario, 'timeoutMs' | 'maxVus' | 'warmupMs'>,
): LoadStep[] {
  const first = load.segments[0] as Segment;
  const ms = scenario.warmupMs;
  if (ms === 0) return [];
  switch (first.kind) {
    case 'vus':
    case 'requests':
      return compileSegment({ kind: 'vus', vus: first.vus, ms }, scenario);
    case 'const':
      return compileSegment({ kind: 'const', rps: first.rps, ms }, scenario);
    default: {
      const rps = Math.max(1, Math.max(first.fromRps, first.toRps) / 10);
      return compileSegment({ kind: 'const', rps, ms }, scenario);
    }
  }
}
