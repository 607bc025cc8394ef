import { mean, median, sampleVariance } from 'simple-statistics';
import { formatDuration } from '../../config/text.ts';
import { originOf } from '../../results/elsewhere.ts';
import {
  CompareMetric,
  type Comparison,
  type Measurement,
  type Results,
  type ScenarioFacts,
  type Variant,
} from '../../results/results.ts';
import { ALPHA } from '../../stats/limits.ts';
import { satterthwaite, tCritical, tPValue } from '../../stats/student.ts';
import { obstaclesOf } from '../judge/compare.ts';
import { haveSameSettings } from '../merge.ts';
import { byInstance, readPool } from '../rows/pool.ts';
import { chooseMetric, measureVariants } from '../rows/variant-rows.ts';

const METRICS = CompareMetric.options.filter((metric) => metric !== 'services');

/** For every comparison with another run: nothing that was measured can take it away. */
export const ANOTHER_RUN = 'another run: machine and time may differ';

/** Before the reasons why one side gives no number. */
const UNFIT = { own: 'in this run: ', earlier: 'in the earlier run: ' } as const;

/** Whether a reason is a difference between the conditions of the two runs. */
export function isCondition(reason: string): boolean {
  return reason !== ANOTHER_RUN && !Object.values(UNFIT).some((beginning) => reason.startsWith(beginning));
}

/**
 * Every variant against itself in an earlier run, matched by id and by the scenario's name. Never a verdict: the two were
 * not loaded in turn, so an interval over fresh starts holds nothing of what changed between the runs. Pure.
 */
export function compareEarlier(results: Results, earlier: Results): Comparison[] {
  const before = measureVariants(earlier);
  const ofRun = unlikeRuns(results, earlier);
  return measureVariants(results).flatMap((now) => {
    const then = before.find(({ facts }) => facts.name === now.facts.name);
    if (!then) return [];
    const ofScenario = unlikeScenarios(now.facts, then.facts);
    const lead = chooseMetric(now);
    return now.entries.flatMap((entry) => {
      const same = then.entries.find(
        ({ variant }) => variant.id === entry.variant.id && variant.ref === null,
      );
      if (!same || entry.variant.ref !== null) return [];
      const reasons = [ANOTHER_RUN, ...ofRun, ...ofScenario, ...unlikeVariants(entry.variant, same.variant)];
      return [lead, ...METRICS.filter((metric) => metric !== lead)].map((metric): Comparison => {
        const unfit = [
          ...obstaclesOf(entry, metric).map((why) => `${UNFIT.own}${why}`),
          ...obstaclesOf(same, metric).map((why) => `${UNFIT.earlier}${why}`),
        ];
        const starts = (slices: readonly Measurement[]) => (unfit.length > 0 ? [] : startsOf(slices, metric));
        return {
          ...{ variant: entry.variant.id, reference: same.variant.id, against: 'earlier', how: 'turns' },
          ...{ scenario: now.facts.name, metric, primary: metric === lead },
          ...welch(starts(entry.slices), starts(same.slices)),
          slices: Math.min(entry.row.slices.ok, same.row.slices.ok),
          ...{ dropped: 0, disturbed: 0, spread: null, adjustedP: null, detectable: null, margin: null },
          ...{ verdict: 'inconclusive', reasons: [...reasons, ...unfit] },
        };
      });
    });
  });
}

/**
 * Ratio of two means of logarithms with its interval and p value when the variances may differ (Welch 1947; degrees of
 * freedom by Satterthwaite).
 */
export function welch(
  a: readonly number[],
  b: readonly number[],
): Pick<Comparison, 'ratio' | 'values' | 'interval' | 'p' | 'pairs'> {
  const pairs = Math.min(a.length, b.length);
  if (pairs === 0) return { pairs, ratio: null, values: null, interval: null, p: null };
  const [logA, logB] = [a.map(Math.log), b.map(Math.log)];
  const difference = mean(logA) - mean(logB);
  const ratio = Math.exp(difference);
  const values = { variant: Math.exp(mean(logA)), reference: Math.exp(mean(logB)) };
  if (pairs === 1) return { pairs, ratio, values, interval: null, p: null };
  const [errorA, errorB] = [sampleVariance(logA) / a.length, sampleVariance(logB) / b.length];
  const error = Math.sqrt(errorA + errorB);
  if (error === 0) return { pairs, ratio, values, interval: null, p: null };
  const df = satterthwaite([
    { variance: errorA, df: a.length - 1 },
    { variance: errorB, df: b.length - 1 },
  ]);
  const half = error * tCritical(ALPHA, df);
  return {
    ...{ pairs, ratio, values },
    interval: { low: Math.exp(difference - half), high: Math.exp(difference + half), level: 1 - ALPHA },
    p: tPValue(difference / error, df),
  };
}

/** One value for each fresh start that has one. */
function startsOf(slices: readonly Measurement[], metric: CompareMetric): number[] {
  const good = slices.filter(({ outcome }) => outcome === 'ok');
  return byInstance(good).flatMap((start) => {
    const value = measureStart(start, metric);
    return value !== null && value > 0 ? [value] : [];
  });
}

function measureStart(slices: readonly Measurement[], metric: CompareMetric): number | null {
  const averaged = (
    of: (slice: Measurement) => number | null | undefined,
    pool: (known: number[]) => number,
  ) => {
    const known = slices.flatMap((slice) => of(slice) ?? []);
    return known.length > 0 ? pool(known) : null;
  };
  switch (metric) {
    case 'rps':
      return averaged(({ achievedRps }) => achievedRps, mean);
    case 'cpu':
      return averaged(({ cpu }) => cpu?.perRequestUs, mean);
    case 'services':
      return averaged(({ services }) => services?.perRequestUs, mean);
    case 'memory':
      return averaged(({ memory }) => memory?.medianBytes, median);
    default:
      return readPool(slices)(Number(metric.slice(1)));
  }
}

/** Differences between two runs apart from the app, which may change the numbers. */
function unlikeRuns(now: Results, then: Results): string[] {
  const machine = ({ host }: Results) =>
    [host.cpuModel, `${host.cpus} CPUs`, host.kernel, `engine ${host.engine}`].join(', ');
  const stores = [now.host.imageStore, then.host.imageStore];
  const cpus = ({ plan: { cpus } }: Results) => JSON.stringify([cpus.server, cpus.load]);
  return [
    ...differ('another machine', machine(now), machine(then)),
    // Older versions did not note it.
    ...(stores.includes(undefined)
      ? []
      : differ('another image store of Docker', `${stores[0]}`, `${stores[1]}`)),
    ...differ('other CPUs for servers and load', cpus(now), cpus(then)),
    ...differ('another Host header', hostOf(now), hostOf(then)),
    ...differ('other request headers', headersOf(now), headersOf(then)),
    ...differ('load from another place', placeOf(now), placeOf(then)),
    ...differ('another php-runtime-bench', now.tool.version, then.tool.version),
    ...differ('another k6', now.tool.k6, then.tool.k6),
  ];
}

const placeOf = ({ plan }: Results) => originOf(plan) ?? "the servers' machine";

/** Older versions did not note it: their load named the port. */
const hostOf = ({ plan }: Results) => plan.host ?? '127.0.0.1 and a port';

const headersOf = ({ plan }: Results) => plan.headers?.join(', ') ?? 'none';

/** By the keys of a scenario, as people write them. */
const SCENARIO: Readonly<Record<string, (facts: ScenarioFacts) => string>> = {
  journey: ({ journey }) => journey,
  load: ({ load }) => load,
  timeout: ({ timeoutMs }) => formatDuration(timeoutMs),
  'warm-up': ({ warmupMs }) => formatDuration(warmupMs),
  reuse: ({ reuse }) => String(reuse),
  'max-vus': ({ maxVus }) => String(maxVus ?? 'none'),
};

function unlikeScenarios(now: ScenarioFacts, then: ScenarioFacts): string[] {
  return Object.entries(SCENARIO).flatMap(([key, write]) =>
    differ(`another ${key} in ${now.name}`, write(now), write(then)),
  );
}

function unlikeVariants(now: Variant, then: Variant): string[] {
  const options = ({ options }: Variant) => JSON.stringify(Object.entries(options).sort());
  return [
    ...differ('another PHP', now.facts?.php ?? 'unknown', then.facts?.php ?? 'unknown'),
    ...differ('other options', options(now), options(then)),
    ...(haveSameSettings(now, then)
      ? []
      : ['other settings of the app: environment, PHP settings, memory limit, headers, set-up or services']),
  ];
}

const differ = (what: string, now: string, then: string) =>
  now === then ? [] : [`${what}: ${now} now, ${then} then`];
