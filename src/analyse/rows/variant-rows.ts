import { mean, median } from 'simple-statistics';
import { rankingMetric } from '../../plan/fitting.ts';
import { percentOf, QUANTILES, type Quantile } from '../../results/quantiles.ts';
import {
  isOtherAnswer,
  type Measurement,
  type Results,
  type ScenarioFacts,
  type Search,
  type Variant,
} from '../../results/results.ts';
import { estimate } from '../../stats/estimate.ts';
import {
  DEFAULT_OK_RATIO,
  GENERATOR_BOUND_SHARE,
  GENERATOR_BUSY,
  MAX_DROPPED,
  MOSTLY_OK,
  P99_SAMPLES,
  SERVER_IDLE,
} from '../../stats/limits.ts';
import { givenPercent, percent } from '../../text/percent.ts';
import { isDoubtful } from '../judge/bias.ts';
import type { Metric, Row, RowState, ScenarioSummary } from '../summary.ts';
import { poolCapacity } from './capacity-found.ts';
import { poolKnees } from './knee.ts';
import { byInstance, percentileOf, poolEndpoints, poolErrors, poolPercentiles, sum } from './pool.ts';
import { judgeScript, missedByScript, poolChecks, poolScript } from './script-rows.ts';
import { poolSoak } from './soak-trend.ts';

/** Measurements of one scenario. */
export interface Measured {
  facts: ScenarioFacts;
  model: ScenarioSummary['model'];
  /** Every variant of every ref, in the order of the plan. */
  entries: readonly Entry[];
}

export interface Entry {
  variant: Variant;
  row: Row;
  slices: readonly Measurement[];
}

/** Sorts measurements by scenario and variant, and describes what each variant did. */
export function measureVariants(results: Results): Measured[] {
  const measured = Map.groupBy(results.measurements, ({ scenario }) => scenario);
  const searched = Map.groupBy(results.searches, ({ scenario }) => scenario);
  return results.plan.scenarios.map((facts) => {
    const own = measured.get(facts.name) ?? [];
    const isOpen = facts.openScript || own.some((slice) => slice.offeredRps !== null);
    const model = isOpen ? 'open' : 'closed';
    const slicesOf = Map.groupBy(own, ({ variant }) => variant);
    const searchesOf = Map.groupBy(searched.get(facts.name) ?? [], ({ variant }) => variant);
    const entries = results.variants.map((variant) => {
      const slices = slicesOf.get(variant.id) ?? [];
      const searches = searchesOf.get(variant.id) ?? [];
      return { variant, row: toRow(variant, slices, searches, facts, model), slices };
    });
    return { facts, model, entries };
  });
}

/** Metric for the ranking of runtimes. */
export function chooseMetric(measured: Measured): Metric {
  return rankingMetric({ isOpen: measured.model === 'open', hasTail: hasTail(measured) });
}

/** Whether every variant has enough samples for p99. */
export function hasTail({ entries }: Measured): boolean {
  const ranked = entries.filter(({ row }) => row.state.kind === 'ranked');
  return ranked.every(({ row }) => (row.latency?.samples ?? 0) >= P99_SAMPLES);
}

/** Metric of the ranking: as above, except for ramps that some variant did not sustain to their end. */
export function chooseRanking(measured: Measured): ScenarioSummary['metric'] {
  const isRamp = measured.entries.some(
    ({ row }) => row.state.kind === 'ranked' && row.holds?.kind === 'found',
  );
  return isRamp ? 'holds' : chooseMetric(measured);
}

function meanOf(values: readonly number[]): number | null {
  return values.length > 0 ? mean([...values]) : null;
}

function poolMemory(good: readonly Measurement[]): Row['memory'] {
  const memory = known(good, (slice) => slice.memory);
  if (memory.length === 0) return null;
  return {
    medianBytes: median(memory.map((slice) => slice.medianBytes)),
    maxBytes: Math.max(...memory.map((slice) => slice.maxBytes)),
  };
}

function poolProcesses(good: readonly Measurement[]): Row['processes'] {
  const processes = known(good, (slice) => slice.processes);
  if (processes.length === 0) return null;
  return {
    median: median(processes.map((slice) => slice.median)),
    max: Math.max(...processes.map((slice) => slice.max)),
  };
}

/** Results of one variant in one scenario, and whether it may be ranked. */
function toRow(
  variant: Variant,
  all: readonly Measurement[],
  searches: readonly Search[],
  facts: ScenarioFacts,
  model: ScenarioSummary['model'],
): Row {
  // Void slices show the machine, not the server. Failed ones count in the share of right answers only.
  const counted = all.filter((slice) => slice.outcome !== 'void');
  const good = all.filter((slice) => slice.outcome === 'ok');
  const instances = byInstance(good);
  const requests = sum(counted, (slice) => slice.requests);
  const okCount = sum(counted, (slice) => slice.okCount);
  const interrupted = sum(counted, (slice) => slice.interrupted);
  const dropped = sum(good, (slice) => slice.dropped);
  const iterations = sum(good, (slice) => slice.iterations);
  const generatorBusyRatio = meanOf(known(good, (slice) => slice.generator.busyRatio));
  const percentiles = poolPercentiles(good);
  const endpoints = poolEndpoints(good, percentiles.latency);
  const errors = poolErrors(counted);
  const numbers = {
    variant: variant.id,
    label: variant.label,
    slices: countOutcomes(all, counted, good),
    requests,
    okCount,
    // A request that never got its answer is no right answer.
    okRatio: requests + interrupted > 0 ? okCount / (requests + interrupted) : null,
    rps: estimate(instances.map((slices) => slices.map((slice) => slice.achievedRps))),
    offeredRps: meanOf(known(good, (slice) => slice.offeredRps)),
    holds: poolKnees(counted, facts.slo),
    capacity: poolCapacity(searches),
    soak: poolSoak(good, model),
    ...percentiles,
    cpuMsPerRequest: estimate(instances.map(cpuMsPerRequest)),
    cpuBusyRatio: meanOf(known(good, (slice) => slice.cpu?.busyRatio)),
    memory: poolMemory(good),
    processes: poolProcesses(good),
    coldStartMs: coldStartOf(variant),
    generatorBusyRatio,
    latencyDoubtful: (generatorBusyRatio ?? 0) > GENERATOR_BUSY,
    doubtful: doubtfulOf(percentiles, generatorBusyRatio),
    dropped,
    droppedRatio: iterations + dropped > 0 ? dropped / (iterations + dropped) : 0,
    interrupted,
    bytesReceived: sum(counted, (slice) => slice.bytesReceived),
    endpoints,
    errors,
    checks: poolChecks(counted, errors),
    script: poolScript(counted, facts),
  };
  return {
    ...numbers,
    state: judge(variant, numbers, all, facts, model),
    sloMissed: [...missedSlo(numbers, facts), ...missedByScript(numbers, facts)],
  };
}

function countOutcomes(
  all: readonly Measurement[],
  counted: readonly Measurement[],
  good: readonly Measurement[],
): Row['slices'] {
  return {
    ok: good.length,
    failed: counted.length - good.length,
    void: all.length - counted.length,
    generatorBound: good.filter((slice) => slice.generator.bound).length,
  };
}

/** The median of those timed by themselves, else of the first start. */
function coldStartOf({ coldStart, coldStartMs }: Variant): number | null {
  const timesMs = coldStart?.timesMs ?? coldStartMs;
  return timesMs.length > 0 ? median(timesMs) : null;
}

/**
 * CPU per request, one value per slice; the slices of one start are not averaged by their number of requests, since
 * slices of a scenario are equally long.
 */
function cpuMsPerRequest(slices: readonly Measurement[]): number[] {
  return known(slices, (slice) => slice.cpu?.perRequestUs).map((us) => us / 1000);
}

function doubtfulOf(row: Pick<Row, Quantile>, busyRatio: number | null): Row['doubtful'] {
  return QUANTILES.filter((key) => {
    const found = row[key];
    return found && busyRatio !== null && isDoubtful(found.value, busyRatio, percentOf(key));
  });
}

/** The place of a row: ranked, or why it is not. */
function judge(
  variant: Variant,
  row: Omit<Row, 'state' | 'sloMissed'>,
  all: readonly Measurement[],
  facts: ScenarioFacts,
  model: ScenarioSummary['model'],
): RowState {
  const { failure } = variant;
  const counted = all.filter((slice) => slice.outcome !== 'void');
  if (failure) {
    const { stage, reason, log, answer } = failure;
    return { kind: 'failed', stage, reason, log, ...(answer && { answer }) };
  }
  const needed = facts.slo.okRatio ?? DEFAULT_OK_RATIO;
  const isBound =
    row.slices.generatorBound >= GENERATOR_BOUND_SHARE * row.slices.ok && row.slices.generatorBound > 0;
  const doing = judgeScript(row, facts);
  // Beyond its knee a ramp is meant to go wrong, but not from its beginning, nor as its script sees it.
  const isWrong = row.checks[0]?.passes === 0 || (row.script?.failed.count ?? 0) > 0;
  if (doing && isWrong && row.holds?.kind === 'found') return { kind: 'unranked', ...doing };
  if (row.holds?.kind === 'found' && row.rps !== null && !isBound) return place(variant);
  if (row.holds !== null && row.holds.kind !== 'below' && !row.holds.isWhole && isBound && !doing) {
    return { kind: 'generator-bound', reason: boundReason(counted) };
  }
  if (row.okRatio !== null && row.okRatio < needed) {
    const worst = row.errors.find((error) => !isOtherAnswer(error));
    const where = worst && row.endpoints.length > 1 ? ` at ${worst.endpoint}` : '';
    const isLate = row.interrupted > (worst?.count ?? 0);
    const kind = isLate ? 'no answer in time' : worst && `${worst.kind}${where}`;
    const reason =
      row.okRatio === 0
        ? 'no answer was OK'
        : `only ${percent(row.okRatio)} of answers OK, ${givenPercent(needed)} needed`;
    const told = kind ? `${reason}; mostly ${kind}` : reason;
    // Then what was measured is mostly what it does instead.
    if (row.okRatio < MOSTLY_OK) return { kind: 'failed', stage: 'run', reason: told, log: '' };
    return { kind: 'unranked', cause: 'ok-ratio', reason: told };
  }
  // A server that hangs gives few answers, so that its wrong ones hardly weigh: its slices do.
  const slices = row.slices.ok + row.slices.failed;
  if (row.slices.ok > 0 && row.slices.ok / slices < needed) {
    const reason = counted.find((slice) => slice.outcome === 'failed')?.reason ?? 'every request failed';
    return {
      kind: 'unranked',
      cause: 'ok-ratio',
      reason: `${row.slices.failed} of ${slices} slices failed: ${reason}`,
    };
  }
  if (row.slices.ok === 0 && row.slices.failed > 0) {
    const reason = counted.find((slice) => slice.reason)?.reason ?? 'every slice failed';
    return { kind: 'failed', stage: 'run', reason, log: '' };
  }
  if (row.rps === null) {
    const reason = row.slices.void > 0 ? voidReason(all) : 'nothing was measured';
    return { kind: 'unranked', cause: 'no-data', reason };
  }
  if (doing) return { kind: 'unranked', ...doing };
  if (isBound) {
    return { kind: 'generator-bound', reason: boundReason(counted) };
  }
  if (model === 'open' && row.droppedRatio > MAX_DROPPED) {
    const reason = `did not sustain the rate: ${percent(row.droppedRatio)} of the iterations could not start in time`;
    return { kind: 'unranked', cause: 'rate-missed', reason: reason + waitedFor(row, counted) };
  }
  return place(variant);
}

/** A rate that was missed though the server had CPU left: more clients could have sent it, or all workers waited. */
function waitedFor({ cpuBusyRatio }: Pick<Row, 'cpuBusyRatio'>, slices: readonly Measurement[]): string {
  const clients = Math.max(0, ...slices.flatMap(({ steps }) => steps.map(({ vus }) => vus ?? 0)));
  if (cpuBusyRatio === null || cpuBusyRatio >= SERVER_IDLE || clients === 0) return '';
  const waiting = clients === 1 ? 'its only client was' : `all ${clients} clients were`;
  return `; ${waiting} waiting, and the server used ${percent(cpuBusyRatio)} of its CPUs: increase \`max-vus\`, or the server's workers if all of them wait, too`;
}

/** Rank and place are given later, among all that get here. */
function place({ ref }: Variant): RowState {
  return ref === null ? { kind: 'ranked', rank: 0, shared: false } : { kind: 'base' };
}

function voidReason(slices: readonly Measurement[]): string {
  const reason = slices.find((slice) => slice.reason)?.reason;
  const what = slices.length === 1 ? 'its only slice is void' : `all ${slices.length} slices are void`;
  return reason ? `${what}: ${reason}` : what;
}

/** The reasons in the slices, at most two, and of those that differ in their figures alone the first. */
function boundReason(slices: readonly Measurement[]): string {
  const reasons = slices.flatMap((slice) => (slice.generator.bound ? slice.generator.reasons : []));
  const kinds = new Map(reasons.toReversed().map((reason) => [reason.replace(/\d[\d.,]*/g, '#'), reason]));
  return [...kinds.values()].toReversed().slice(0, 2).join('; ') || 'the load generator was the limit';
}

/** Criteria that were missed, in words. A ramp is judged by them up to its saturation point, which they define. */
function missedSlo(row: Pick<Row, Quantile | 'okRatio' | 'holds'>, { slo }: ScenarioFacts): string[] {
  const upTo = row.holds && !row.holds.isWhole ? row.holds.upTo : null;
  const okRatio = upTo ? upTo.okRatio : row.okRatio;
  const wrong = slo.okRatio !== undefined && okRatio !== null && okRatio < slo.okRatio;
  const late = QUANTILES.flatMap((key) => {
    const ms = upTo ? percentileOf(upTo.latency, percentOf(key)) : row[key]?.value;
    const limit = slo[`${key}Ms`];
    const isLate = typeof ms === 'number' && limit !== undefined && ms > limit;
    return isLate ? [`${key} ${roundAbove(ms, limit)} ms > ${limit} ms`] : [];
  });
  const missed = wrong ? [...late, `OK ${percent(okRatio)} < ${givenPercent(slo.okRatio as number)}`] : late;
  const point = row.holds?.kind === 'beyond' ? 'lower bound of the saturation point' : 'saturation point';
  return upTo ? missed.map((one) => `${one} up to the ${point}`) : missed;
}

/** Three digits, more where the limit would look kept otherwise; never with an exponent, as `toPrecision` has it. */
function roundAbove(value: number, limit: number): number {
  for (let digits = 3; digits < 15; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (rounded > limit) return rounded;
  }
  return value;
}

function known<T, V>(items: readonly T[], of: (item: T) => V | null | undefined): V[] {
  return items.map(of).filter((value): value is V => value !== null && value !== undefined);
}
