import type { Slice } from '../../plan/timeline/slices.ts';
import { spanMs } from '../../plan/timeline/timeline.ts';
import {
  type Endpoint,
  isOtherAnswer,
  type Measurement,
  OTHER_ANSWERS,
  type Others,
  RESENT,
  type RequestError,
  type ScriptSlice,
  type Step,
} from '../../results/results.ts';
import { MOSTLY_OK } from '../../stats/limits.ts';
import {
  ERROR_KINDS,
  type ErrorSample,
  FAILURES,
  findSample,
  type K6Summary,
  OTHER_KINDS,
  sliceId,
} from '../load/k6.ts';
import type { MemorySample } from '../sample/samples.ts';
import type { BatchOutcome } from './batch-outcome.ts';
import { countDropped, countDroppedInStep, countOffered } from './dropped.ts';
import { judgeGenerator, maxVus } from './generator.ts';
import { readLatency } from './latency.ts';
import { describeOthers, findOthers } from './others.ts';
import { describeUnasked, readResources } from './resources.ts';
import { failedSetup, readScript, rowsOf } from './script-slice.ts';

/** Measurements of a batch, warm-up and duets left out. Pure. */
export function measureSlices(outcome: BatchOutcome): Measurement[] {
  return outcome.batch.slices
    .filter((slice) => !slice.warmup && slice.duet === null)
    .map((slice) => measureSlice(outcome, slice));
}

function measureSlice(outcome: BatchOutcome, slice: Slice): Measurement {
  const { batch, summary } = outcome;
  const { scenario } = batch;
  const id = sliceId(slice);
  const { iterations, dropped, ...span } = readSpan(outcome, slice);
  const { startedMs, durationMs, wholeMs, requests } = span;
  // A wrong answer under a right status is none of k6's failures.
  const errors = readErrors(outcome, id);
  const failures = Math.min(requests, countFailures(summary, `slice:${id}`) + countWrong(errors));
  const base = {
    variant: slice.variant,
    scenario: scenario.name,
    instance: outcome.instance,
    block: slice.block,
    slice: slice.number,
    ...{ startedMs, durationMs, requests },
    okCount: requests - failures,
    ...{ iterations, dropped },
    interrupted: scenario.load === null ? 0 : Math.max(0, span.unanswered),
    offeredRps: span.offeredRps,
    achievedRps: achievedRps(outcome, slice, { durationMs, requests, iterations }),
    bytesReceived: metricOf(summary, slice, 'data_received', 'count'),
    bytesSent: metricOf(summary, slice, 'data_sent', 'count'),
    ...readLatency(summary, `slice:${id}`),
    errors: [
      ...errors,
      ...readOomKills(outcome, slice.variant, startedMs, startedMs + wholeMs + batch.drainMs),
    ],
    endpoints: readEndpoints(outcome, id, errors),
    turnMs: slice.turnMs,
    steps: readSteps(summary, slice, id, dropped, errors),
    ...readResources(outcome, slice, startedMs, durationMs, wholeMs, requests),
  };
  const generator = judgeGenerator(outcome, slice, base, wholeMs);
  const others = findOthers(outcome, slice);
  const script = scenario.journey.kind === 'script' ? readScript(outcome, scenario.script?.thresholds) : null;
  const judged = judge(outcome, base, others, script, slice);
  return { ...base, ...(others && { others }), ...(script && { script }), generator, ...judged };
}

/** The value of a k6 metric over a slice; 0 if it is missing. */
function metricOf(summary: K6Summary | null, slice: Slice, metric: string, key: string): number {
  return summary?.metrics[`${metric}{slice:${sliceId(slice)}}`]?.[key] ?? 0;
}

/** When a slice was loaded, and how much. */
function readSpan({ batch, summary, beganMs }: BatchOutcome, slice: Slice) {
  const durationMs = slice.durationMs ?? estimateDuration(summary);
  const begun = metricOf(summary, slice, 'bench_started', 'count');
  const iterations = metricOf(summary, slice, 'iterations', 'count');
  // A script may sleep when k6 cuts off its iteration: then it waits for no answer.
  const resting = metricOf(summary, slice, 'bench_resting', 'count');
  const offered = countOffered(slice);
  return {
    startedMs: metricOf(summary, slice, 'bench_slice_start', 'min') || beganMs + slice.startMs,
    durationMs,
    // Slices that take turns are there together: what is counted from outside is counted over all of their turns.
    wholeMs: slice.turns ? spanMs(slice, batch) : durationMs,
    requests: metricOf(summary, slice, 'http_reqs', 'count'),
    iterations,
    unanswered: begun - iterations - resting,
    offeredRps: offered === null ? null : offered / (durationMs / 1000),
    dropped: countDropped(batch, summary, slice),
  };
}

/** Requests per second of the server's own time. */
function achievedRps(
  { summary }: BatchOutcome,
  slice: Slice,
  { durationMs, requests, iterations }: Pick<Measurement, 'durationMs' | 'requests' | 'iterations'>,
): number {
  // An iteration that ended behind the slice's end counts by the part that lay within.
  const perIteration = iterations > 0 ? requests / iterations : 1;
  const inTime = Math.max(0, requests - metricOf(summary, slice, 'bench_late', 'count') * perIteration);
  const seconds = durationMs / 1000;
  // In turns clients come late by what their last request of a turn before took, or not at all: that is not this server's time.
  const headSeconds = metricOf(summary, slice, 'bench_head', 'count') / 1000 / Math.max(1, maxVus(slice));
  // A head as long as the slice leaves no time to divide by.
  const ownSeconds = headSeconds < seconds ? seconds - headSeconds : 0;
  return inTime > 0 && ownSeconds > 0 ? inTime / ownSeconds : 0;
}

function countWrong(errors: readonly RequestError[], endpoint?: string): number {
  return errors.reduce(
    (sum, error) =>
      error.kind === 'wrong answer' && (endpoint === undefined || error.endpoint === endpoint)
        ? sum + error.count
        : sum,
    0,
  );
}

function judge(
  outcome: BatchOutcome,
  m: Pick<Measurement, 'requests' | 'okCount' | 'cpu' | 'interrupted' | 'errors' | 'iterations' | 'guards'>,
  others: Others | null,
  script: ScriptSlice | null,
  { steps }: Slice,
): Pick<Measurement, 'outcome' | 'reason' | 'code'> {
  if (outcome.summary === null) {
    return { outcome: 'void', reason: outcome.trouble, ...(outcome.code && { code: outcome.code }) };
  }
  if (script?.aborted) return { outcome: 'failed', reason: `the script stopped the test: ${script.aborted}` };
  const setup = script && failedSetup(outcome);
  if (setup) return { outcome: 'failed', reason: `setup failed: ${setup}` };
  // Less than 1 µs a request is not PHP: the answers came from something else on that port.
  if (m.okCount > 100 && m.cpu !== null && m.cpu.usedUs < m.okCount) {
    return { outcome: 'void', reason: 'its server used no CPU: something else answered on its port' };
  }
  if (m.requests === 0) {
    const thrown = script?.thrown;
    if (thrown && thrown.count > 0) {
      return { outcome: 'failed', reason: `every iteration of the script threw: ${thrown.first}` };
    }
    return m.interrupted > 0
      ? { outcome: 'failed', reason: 'no request was answered in time' }
      : { outcome: 'void', reason: describeUnasked(m.guards) };
  }
  if (m.okCount === 0) return { outcome: 'failed', reason: 'every request failed' };
  if (script && m.iterations > 0 && script.thrown.count >= m.iterations) {
    return { outcome: 'failed', reason: `every iteration of the script threw: ${script.thrown.first}` };
  }
  if (others?.isVoid) return { outcome: 'void', code: OTHER_ANSWERS, reason: describeOthers(others) };
  // Beyond its knee a ramp is meant to go wrong.
  if (steps.length <= 1 && m.okCount < MOSTLY_OK * (m.requests + m.interrupted)) {
    return { outcome: 'failed', reason: describeFailures(m) };
  }
  return { outcome: 'ok', reason: null };
}

/** `only 71 of 1,000 answers OK; mostly http 500` */
function describeFailures({ okCount, requests, interrupted, errors }: Parameters<typeof judge>[1]): string {
  const wrong = errors.filter((error) => !isOtherAnswer(error));
  const causes = [{ kind: 'no answer in time', count: interrupted }, ...wrong];
  const [most] = causes.sort((a, b) => b.count - a.count);
  const all = (requests + interrupted).toLocaleString('en');
  const cause = most && most.count > 0 ? `; mostly ${most.kind}` : '';
  return `only ${okCount.toLocaleString('en')} of ${all} answers OK${cause}`;
}

/** If only the end of k6 shows how long the load took. */
function estimateDuration(summary: K6Summary | null): number {
  return Math.max(1, summary?.durationMs ?? 1);
}

/** Processes of the container that the kernel killed out of memory during the slice, as one more kind of error. */
function readOomKills(
  { samples, containers }: BatchOutcome,
  variant: string,
  fromMs: number,
  toMs: number,
): RequestError[] {
  const container = containers.get(variant) ?? -1;
  const kills = ({ containers: all }: MemorySample) => all[container]?.oomKills ?? 0;
  const { before, after } = samples.memoryAround(fromMs, toMs);
  const count = (after ? kills(after) : 0) - (before ? kills(before) : 0);
  return count > 0 ? [{ kind: 'oom kill', endpoint: 'server', count, sample: null }] : [];
}

/** Wrong answers, and right ones that took a second attempt, since clients other than k6 may make none. */
function countFailures(summary: K6Summary | null, tags: string): number {
  const failed = summary?.metrics[`http_req_failed{${tags}}`]?.passes ?? 0;
  return failed + (summary?.metrics[`bench_resent{${tags}}`]?.count ?? 0);
}

export function readErrors({ batch, summary, errors }: BatchOutcome, id: string): RequestError[] {
  const found: RequestError[] = [];
  const endpoints = summary?.endpoints ?? [];
  const add = (kind: string, endpoint: string, count: number) => {
    if (count === 0) return;
    const sample = findSample(errors, { slice: id, endpoint, kind });
    found.push({
      kind,
      endpoint,
      count,
      sample: sample?.body ?? null,
      ...(sample && { answer: showSample(sample) }),
    });
  };
  endpoints.forEach((endpoint, i) => {
    for (const kind of ERROR_KINDS) {
      add(
        kind,
        endpoint,
        summary?.metrics[`bench_errors{slice:${id},endpoint:e${i},kind:${kind}}`]?.count ?? 0,
      );
    }
    add(RESENT, endpoint, summary?.metrics[`bench_resent{slice:${id},name:e${i}}`]?.count ?? 0);
    for (const kind of OTHER_KINDS) {
      const metric = `bench_others{slice:${id},endpoint:e${i},kind:${kind}}`;
      add(kind, endpoint, summary?.metrics[metric]?.count ?? 0);
    }
  });
  if (batch.scenario.journey.kind === 'script') {
    // A script may do without lib/bench.js. k6 itself counts the status of an answer, and whether the script expects it.
    const count = (metric: string, tags = '', key = 'count') =>
      summary?.metrics[`${metric}{slice:${id}${tags}}`]?.[key] ?? 0;
    const addRest = (kind: string, all: number, kinds: readonly string[]) => {
      const known = found.reduce((sum, error) => (kinds.includes(error.kind) ? sum + error.count : sum), 0);
      add(kind, 'all', Math.max(0, all - known));
    };
    addRest(RESENT, count('bench_resent'), [RESENT]);
    for (const { kind, tags, kinds } of FAILURES) addRest(kind, count('http_reqs', `,${tags}`), kinds);
    const kinds = ['http other', ...FAILURES.flatMap((failure) => failure.kinds)];
    addRest('http other', count('http_req_failed', '', 'passes'), kinds);
  }
  return found;
}

function showSample({ status = 0, headers = '', body }: ErrorSample): NonNullable<RequestError['answer']> {
  return { status, headers, body };
}

function readEndpoints(
  { summary, batch }: BatchOutcome,
  id: string,
  errors: readonly RequestError[],
): Endpoint[] {
  const endpoints = rowsOf(summary, batch.scenario);
  const lone = endpoints.length === 1 && summary?.endpoints.length === 1;
  return endpoints.flatMap(({ name, tag }, i) => {
    const tags = `slice:${id},${tag}`;
    const requests = summary?.metrics[`http_req_duration{${tags}}`]?.count ?? 0;
    // A name in a script may be no tag, or a tag without requests.
    if (requests === 0 && i >= (summary?.endpoints.length ?? 0)) return [];
    const endpoint: Endpoint = {
      name,
      requests,
      failures: Math.min(requests, countFailures(summary, tags) + countWrong(errors, name)),
      // k6 counts bytes by connection, not by request: only a lone endpoint's are known.
      bytesPerResponse:
        lone && requests > 0 ? (summary?.metrics[`data_received{slice:${id}}`]?.count ?? 0) / requests : null,
      ...readLatency(summary, tags),
    };
    return [endpoint];
  });
}

function readSteps(
  summary: K6Summary | null,
  slice: Slice,
  id: string,
  dropped: number,
  errors: readonly RequestError[],
): Step[] {
  const isLone = slice.steps.length <= 1;
  return slice.steps.map((step, i) => {
    const tags = isLone ? `slice:${id}` : `step:${id}_${i}`;
    const wrong = isLone
      ? countWrong(errors)
      : (summary?.metrics[`bench_errors{${tags},kind:wrong answer}`]?.count ?? 0);
    const requests = summary?.metrics[`http_req_duration{${tags}}`]?.count ?? 0;
    return {
      offsetMs: step.offsetMs,
      durationMs: step.durationMs ?? estimateDuration(summary),
      offeredRps: step.rps,
      vus: step.vus,
      requests,
      failures: Math.min(requests, countFailures(summary, tags) + wrong),
      dropped: isLone ? dropped : countDroppedInStep(step, summary, tags, dropped),
      latency: readLatency(summary, tags).latency,
    };
  });
}
