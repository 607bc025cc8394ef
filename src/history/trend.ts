import { mean } from 'simple-statistics';
import { hasRate } from '../config/parts/load.ts';
import { SCRIPT_LOAD } from '../results/results.ts';
import { findAllChangePoints } from '../stats/change-points.ts';
import { type AskedRecord, completeAsked } from './asked.ts';
import { findChangedSide } from './change-cause.ts';
import type { HistoryRecord } from './history-record.ts';
import { compareLevels } from './trend-levels.ts';
import type { LevelChange, Trend, TrendMetric, TrendPoint } from './trend-model.ts';

/** A record and what it is divided by. */
interface Entry {
  record: AskedRecord;
  reference: HistoryRecord | null;
}

const METRICS: Record<TrendMetric, (record: HistoryRecord) => HistoryRecord['rps']> = {
  // If k6 was the limit, RPS is that of k6, not of the server.
  rps: ({ state, rps, load }) => (state === 'ranked' && isClosed(load) ? rps : null),
  p50: ({ state, p50Ms, load }) => (state === 'ranked' && !isClosed(load) ? p50Ms : null),
  cpu: ({ state, cpuMsPerRequest }) =>
    state === 'ranked' || state === 'generator-bound' ? cpuMsPerRequest : null,
};

/** At a given rate RPS is the rate. A script may have one. */
const isClosed = (load: string) => load !== SCRIPT_LOAD && !hasRate(load);

/**
 * The trends in a history. First come the ratios of each variant to the reference of the same run, over all machines.
 * Then come the absolute numbers on each kind of machine. Both are in the order in which they first came.
 */
export function findTrends(history: readonly HistoryRecord[]): Trend[] {
  const records = completeAsked(history);
  const absolute = records.map((record): Entry => ({ record, reference: null }));
  const beside = pairUp(records);
  const courses = [
    ...coursesOf(beside, ({ reference }) => reference?.variant),
    ...coursesOf(absolute, ({ record }) => describeMachine(record)),
  ];
  // All at once: how sure a change must be depends on how many courses one could be found in.
  const found = findAllChangePoints(
    courses.map(({ points }) => ({
      values: points.map(({ value }) => Math.log(value)),
      kinds: points.map(({ machine }) => machine),
    })),
  );
  const trends = courses.map((course, i) => describeTrend(course, found[i] ?? []));
  const requestOf = (i: number) => (courses[i] as Course).request;
  return trends.map((trend, i) => {
    if (trend.reference === null) return trend;
    const request = requestOf(i);
    return nameCauses(
      trend,
      trends.filter((_, j) => requestOf(j) === request),
      absolute.filter(({ record }) => record.request === request),
    );
  });
}

/** A trend before its changes are known. */
interface Course extends Omit<Trend, 'changes' | 'levels'> {
  request: string;
}

/** Each with the reference of its run, where there is one and it is another. */
function pairUp(records: readonly AskedRecord[]): Entry[] {
  const runs = groupBy(records, ({ run, scenario, load }) => [run, scenario, load]);
  return runs.flatMap((own) => {
    const id = own.find(({ toReference }) => toReference !== null)?.toReference?.variant;
    const reference = own.find(({ variant }) => variant === id);
    if (!reference) return [];
    return own.filter((record) => record !== reference).map((record) => ({ record, reference }));
  });
}

/** A course for each variant, request and `kind`, in each metric that it has numbers of. */
function coursesOf(entries: readonly Entry[], kind: (entry: Entry) => unknown): Course[] {
  const groups = groupBy(entries, (entry) => {
    const { scenario, load, variant, request } = entry.record;
    return [scenario, load, variant, request, kind(entry)];
  });
  return groups.flatMap((group) =>
    (Object.keys(METRICS) as TrendMetric[]).flatMap((metric): Course[] => {
      const points = pointsOf(group, metric);
      const [first] = group;
      if (!first || points.length === 0) return [];
      const { label, scenario, load, request, apart } = first.record;
      const reference = first.reference?.label ?? null;
      return [{ variant: label, scenario, load, request, apart, reference, metric, points }];
    }),
  );
}

function describeTrend({ request: _, ...course }: Course, found: readonly number[]): Trend {
  const starts = [0, ...found];
  const stretches = starts.map((start, i) => course.points.slice(start, starts[i + 1]));
  const changes = found.map((at, i): LevelChange => {
    return { at, ...compareLevels(stretches[i] ?? [], stretches[i + 1] ?? []), by: null };
  });
  const levels = stretches.map((stretch) => Math.exp(mean(stretch.map(({ value }) => Math.log(value)))));
  return { ...course, changes, levels };
}

function pointsOf(entries: readonly Entry[], metric: TrendMetric): TrendPoint[] {
  return entries
    .flatMap(({ record, reference }): TrendPoint[] => {
      const number = METRICS[metric](record);
      const other = reference ? METRICS[metric](reference) : { value: 1, half: 0 };
      if (!number || !other || !(number.value > 0) || !(other.value > 0)) return [];
      const value = number.value / other.value;
      const half =
        number.half === null || other.half === null
          ? null
          : value * Math.hypot(number.half / number.value, other.half / other.value);
      const { date, run, commit } = record;
      return [{ date, run, commit, machine: describeMachine(record), value, half }];
    })
    .sort((a, b) => Date.parse(a.date) - Date.parse(b.date));
}

/**
 * Finds whose each change of a ratio is: by what other variants did beside the same reference, or else by themselves.
 *
 * @param trends of the same request, as are the entries
 */
function nameCauses(trend: Trend, trends: readonly Trend[], absolute: readonly Entry[]): Trend {
  const { scenario, load, reference, metric } = trend;
  const isOf = (other: Trend) =>
    other.scenario === scenario &&
    other.load === load &&
    other.metric === metric &&
    other.reference === reference;
  const peers = trends.filter((other) => other !== trend && isOf(other)).map(({ points }) => points);
  const alone = (label: string | null) =>
    pointsOf(
      absolute.filter(
        ({ record }) => record.label === label && record.scenario === scenario && record.load === load,
      ),
      metric,
    );
  const own = { variant: alone(trend.variant), reference: alone(reference) };
  const changes = trend.changes.map((change) => ({
    ...change,
    by: findChangedSide(trend, change, peers, own),
  }));
  return { ...trend, changes };
}

const describeMachine = ({ machine }: HistoryRecord) =>
  `${machine.cpu}, ${machine.serverCpus} of ${machine.cpus} CPUs${machine.virtual ? ', virtual' : ''}`;

/** Groups with the same key, in the order in which they first come. */
function groupBy<T>(items: readonly T[], key: (item: T) => unknown): T[][] {
  return [...Map.groupBy(items, (item) => JSON.stringify(key(item))).values()];
}
