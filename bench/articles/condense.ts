/** From results.json to what is kept of it. Pure. */
import { median, sum } from 'simple-statistics';
import { analyse } from '../../src/analyse/analyse.ts';
import { poolKnees } from '../../src/analyse/rows/knee.ts';
import { byInstance } from '../../src/analyse/rows/pool.ts';
import type { Row as Pooled, PooledLatency } from '../../src/analyse/summary.ts';
import { formatCpus } from '../../src/plan/cpus.ts';
import { bytes } from '../../src/report/words/numbers.ts';
import { reasonOf } from '../../src/report/words/unranked.ts';
import type { Measurement, Results, ScenarioFacts } from '../../src/results/results.ts';
import { type Estimate, estimate } from '../../src/stats/estimate.ts';
import { ARTICLES, commandOf, type Name } from './articles.ts';
import { type Against, BOUND, type Data, type Row, type Run, type Times, type Value } from './data.ts';

/** @param commit the last that changed what measures */
export function condense(name: Name, results: Results, commit: string): Data {
  const summary = analyse(results);
  const { keeps } = ARTICLES[name];
  const labels = new Map(results.variants.map(({ id, label }) => [id, label]));
  const order = [...labels.keys()];
  const rows = summary.scenarios.flatMap(({ facts, model, rows }) =>
    [...rows]
      .sort((a, b) => order.indexOf(a.variant) - order.indexOf(b.variant))
      .map((row): Row => {
        const slices = results.measurements.filter(
          (slice) => slice.scenario === facts.name && slice.variant === row.variant && slice.outcome === 'ok',
        );
        return {
          ...toRow(row, facts, slices, results.plan.cpus.server.length),
          sentRatio: model === 'open' ? 1 - row.droppedRatio : null,
          ...(keeps === 'slices' && { runs: slices.map(({ achievedRps }) => achievedRps) }),
          ...(keeps === 'endpoints' && { endpoints: row.endpoints.map(toEndpoint) }),
        };
      }),
  );
  const against = summary.scenarios.flatMap(({ comparisons }) =>
    comparisons.flatMap((found): Against[] => {
      const { scenario, variant, reference, ratio, interval, verdict, reasons, metric } = found;
      if (found.against !== 'reference' || metric !== 'rps' || keeps !== 'slices') return [];
      return [
        {
          ...{ kind: 'against', scenario, ratio, verdict, reasons },
          ...{ variant: labels.get(variant) ?? variant, reference: labels.get(reference) ?? reference },
          ...{ low: interval?.low ?? null, high: interval?.high ?? null },
        },
      ];
    }),
  );
  return { run: describeRun(name, results, commit, summary), rows, against };
}

function describeRun(
  name: Name,
  { tool, run, host, plan, variants, measurements }: Results,
  commit: string,
  { scenarios, warnings }: ReturnType<typeof analyse>,
): Run {
  const count = (of: 'slices' | 'foreignCpu' | 'steal' | 'stall') =>
    sum(scenarios.map(({ guards }) => guards[of]));
  const { server, load } = plan.cpus;
  return {
    kind: 'run',
    date: run.started.slice(0, 10),
    tool: `${tool.name} ${tool.version} (${commit}), k6 ${tool.k6}`,
    command: commandOf(name),
    machine: `${host.cpus} CPUs of ${host.cpuModel}${host.virtual ? ', virtual' : ''}, ${bytes(host.memoryBytes)}`,
    cpus: `servers on CPU ${formatCpus(server)}, k6 on CPU ${formatCpus(load)}`,
    ...{ seed: run.seed, instances: new Set(measurements.map(({ instance }) => instance)).size },
    loads: Object.fromEntries(plan.scenarios.map(({ name, load }) => [name, load])),
    servers: Object.fromEntries(
      variants.flatMap(({ label, facts }) => (facts ? [[label, facts.server]] : [])),
    ),
    php: [...new Set(variants.flatMap(({ facts }) => (facts ? [facts.php] : [])))].join(', '),
    ...{ loadSeconds: Math.round(run.loadSeconds), wallSeconds: Math.round(run.wallSeconds) },
    guards: {
      ...{ slices: count('slices'), foreignCpu: count('foreignCpu') },
      ...{ steal: count('steal'), stall: count('stall') },
    },
    warnings: [...new Set(warnings.map(({ code }) => code))].sort(),
  };
}

function toRow(
  row: Pooled,
  facts: ScenarioFacts,
  slices: readonly Measurement[],
  cpus: number,
): Omit<Row, 'sentRatio'> {
  const { requests, okCount, okRatio, holds, memory, errors, bytesReceived } = row;
  return {
    ...{ kind: 'row', scenario: facts.name, variant: row.label, flaw: flawOf(row) },
    ...{ requests, okCount, okRatio, times: timesOf(row.latency) },
    ...{ rps: toValue(row.rps), p50: toValue(row.p50), cpu: toValue(row.cpuMsPerRequest) },
    holds: holds && {
      // An interval that is the levels between which the knee lies is one, even of one start.
      ...{ value: holds.value, half: holds.half, kind: holds.kind, okRatio: holds.upTo?.okRatio ?? null },
      ...{ times: timesOf(holds.upTo?.latency ?? null), p50: findHeldP50(slices, facts.slo) },
    },
    cpuPercent: findCpuPercent(slices, cpus),
    memoryMib: memory && { median: memory.medianBytes / 2 ** 20, max: memory.maxBytes / 2 ** 20 },
    bytes: requests > 0 ? bytesReceived / requests : null,
    errors: errors.map(({ endpoint, kind, count }) => ({ endpoint, kind, count })),
  };
}

/** A server that gave in shows its limit; one that failed, or was not the limit, does not. */
function flawOf({ state }: Pooled): string | null {
  if (state.kind === 'generator-bound') return BOUND;
  const isFlawed = state.kind === 'failed' || (state.kind === 'unranked' && state.cause === 'no-data');
  return isFlawed ? (reasonOf(state).split('\n')[0] ?? '').replace(UNREACHED, 'no registry gave $1') : null;
}

/** The rest names a network that is nobody else's. */
const UNREACHED = /^failed to build: the base image (\S+) could not be pulled, .*/;

/** How the slices of one start differ shows nothing about other starts. */
function toValue(found: Estimate | null): Value | null {
  return found && { value: found.value, half: found.over === 'instances' ? found.half : null };
}

function timesOf(latency: PooledLatency | null): Times | null {
  if (latency === null) return null;
  const percentiles = latency.percentiles.map(({ p, ms }) => [String(p), ms] as const);
  return {
    ...{ min: latency.minMs, avg: latency.avgMs, max: latency.maxMs },
    ...Object.fromEntries(percentiles),
  };
}

/** The median of what was asked up to the knee, with an interval over that of each start, up to its own knee. */
function findHeldP50(slices: readonly Measurement[], slo: ScenarioFacts['slo']): Value | null {
  const of = (some: readonly Measurement[]) => {
    const latency = poolKnees(some, slo)?.upTo?.latency;
    return latency?.percentiles.find(({ p }) => p === 50)?.ms;
  };
  const all = of(slices);
  const starts = byInstance(slices).flatMap((own) => {
    const ms = of(own);
    return ms === undefined ? [] : [[ms]];
  });
  return all === undefined ? null : toValue(estimate(starts, all));
}

/** From the samples within the slices, each weighing as much as it is long. */
function findCpuPercent(slices: readonly Measurement[], cpus: number): Row['cpuPercent'] {
  const samples = slices.flatMap(({ series, durationMs }) =>
    series.flatMap(({ atMs, cpuUs }, i) => {
      const ms = atMs - (series[i - 1]?.atMs ?? 0);
      return atMs <= durationMs && ms > 0 ? [{ ms, percent: cpuUs / ms / cpus / 10 }] : [];
    }),
  );
  if (samples.length === 0) return null;
  const percents = samples.map(({ percent }) => percent);
  const whole = sum(samples.map(({ ms }) => ms));
  return {
    mean: sum(samples.map(({ ms, percent }) => (ms * percent) / whole)),
    ...{ median: median(percents), max: Math.max(...percents) },
  };
}

function toEndpoint({ name, requests, failures, rps, latency }: Pooled['endpoints'][number]) {
  return { name, requests, failures, rps, times: timesOf(latency) };
}
