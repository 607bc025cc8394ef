/** Results of a series, as Markdown. Pure. */
import { mean, median } from 'simple-statistics';
import type { CompareMetric, Comparison } from '../../src/results/results.ts';
import { halfInterval } from '../../src/stats/estimate.ts';
import type { ComparisonLine, Line, SeriesLine } from './data.ts';
import { judgeAgain } from './restore.ts';
import { TARGET_NAMES, TREATMENT_NAMES, TREATMENTS, type TreatmentName } from './series.ts';
import { clopperPearson, pooledSd } from './statistics.ts';

/** A comparison and its verdicts. */
export interface Judged {
  line: ComparisonLine;
  comparisons: readonly Comparison[];
  /** The one that counts: the primary, for a tail p99. Null: not measured, or not judged. */
  lead: Comparison | null;
  /** The right verdict, unless nothing was done. */
  expected: 'slower' | 'faster' | null;
}

export interface Series {
  header: SeriesLine;
  judged: Judged[];
}

/** @param again judge by the rule as it is now, else take what was decided then */
export function readSeries(lines: readonly Line[], again: boolean): Series {
  const [header] = lines;
  if (header?.kind !== 'series') throw new Error('the file does not begin with a series');
  const judged = lines.flatMap((line): Judged[] => {
    if (line.kind !== 'comparison') return [];
    const { slowdown, tail } = TREATMENTS[line.treatment];
    const comparisons = again ? judgeAgain(line) : line.comparisons;
    const lead = comparisons.find((one) => (tail ? one.metric === 'p99' : one.primary)) ?? null;
    const expected = slowdown > 0 || tail ? (header.swapped ? 'faster' : 'slower') : null;
    return [{ line, comparisons, lead, expected }];
  });
  return { header, judged };
}

export interface Count {
  n: number;
  /** Not measured: neither right nor wrong. */
  failed: number;
  /** As expected; null where nothing was to be found. */
  found: number | null;
  /** A difference where there is none, or the other way round. */
  wrong: number;
  noDifference: number;
  inconclusive: number;
}

export function count(judged: readonly Judged[]): Count {
  const of = (holds: (one: Judged, verdict: Comparison['verdict']) => boolean) =>
    judged.filter((one) => one.lead && holds(one, one.lead.verdict)).length;
  const differs = (verdict: Comparison['verdict']) => verdict === 'slower' || verdict === 'faster';
  return {
    n: of(() => true),
    failed: judged.filter((one) => one.lead === null).length,
    found: judged.some(({ expected }) => expected) ? of((one, verdict) => verdict === one.expected) : null,
    wrong: of((one, verdict) => differs(verdict) && verdict !== one.expected),
    noDifference: of((_, verdict) => verdict === 'no-difference'),
    inconclusive: of((_, verdict) => verdict === 'inconclusive'),
  };
}

/** All tables that there is something for. */
export function summarise({ header, judged }: Series): string {
  const sections = [
    [
      '**No change** (A/A). Wrong is a verdict of slower or faster on the primary metric.',
      falseTable(judged),
    ],
    [
      '**Known changes** (A/B). Found is the right verdict on the primary metric, for the tail on p99; measured is the change of CPU per request, for the tail of p99.',
      powerTable(judged),
    ],
    [
      'SD of ln(head ÷ base) between pairs of fresh starts in A/A without neighbour, and the smallest change that was printed as detectable (median).',
      spreadTable(judged),
    ],
  ];
  const shown = sections.flatMap(([title, rows]) => (rows === null ? [] : [title, rows]));
  return [describeSeries(header, judged), ...shown].join('\n\n');
}

function falseTable(judged: readonly Judged[]): string | null {
  const rows = cells(judged, (name) => isNothing(name)).map(([what, where, some]) => {
    const { n, failed, wrong, noDifference, inconclusive } = count(some);
    const other = some.filter(({ comparisons }) => comparisons.some(isDifferent)).length;
    const bias = change(some, 'cpu');
    return [what, where, n, share(wrong, n), noDifference, inconclusive, failed, other, bias];
  });
  const head = ['', 'on', 'n', 'wrong (95 %)', 'no difference', 'inconclusive', 'failed'];
  return table([...head, 'wrong in any metric', 'CPU, mean'], rows);
}

function powerTable(judged: readonly Judged[]): string | null {
  const rows = cells(judged, (name) => !isNothing(name)).map(([what, where, some]) => {
    const { n, failed, found, wrong, noDifference, inconclusive } = count(some);
    const injected = some.flatMap(({ line }) => line.injected ?? []);
    const us = injected.length > 0 ? mean(injected.map((one) => one.us.value)).toFixed(1) : '–';
    const part = injected.length > 0 ? percent(mean(injected.map((one) => one.share.value))) : '–';
    const metric = some[0]?.line.treatment === 'tail' ? 'p99' : 'cpu';
    const numbers = [n, share(found ?? 0, n), wrong, noDifference, inconclusive, failed];
    return [what, where, ...numbers, `${us} µs`, part, change(some, metric), covered(some)];
  });
  const head = ['', 'on', 'n', 'found (95 %)', 'wrong', 'no difference', 'inconclusive', 'failed'];
  return table([...head, 'injected CPU', 'of the base', 'measured', 'interval holds it'], rows);
}

const SPREAD_METRICS: readonly CompareMetric[] = ['cpu', 'rps', 'p50', 'p95', 'p99'];

function spreadTable(judged: readonly Judged[]): string | null {
  const rows = TARGET_NAMES.flatMap((target) => {
    const some = judged.filter(({ line }) => line.target === target && line.treatment === 'aa');
    if (some.length === 0) return [];
    const spreads = SPREAD_METRICS.map((metric) => {
      const sd = pooledSd(some.map(({ line }) => line.instances.flatMap(({ ln }) => ln[metric] ?? [])));
      const seen = some.flatMap(({ comparisons }) =>
        comparisons.flatMap((one) => (one.metric === metric ? (one.detectable ?? []) : [])),
      );
      return `${sd === null ? '–' : percent(sd)} / ${seen.length > 0 ? percent(median(seen)) : '–'}`;
    });
    return [[target, ...spreads]];
  });
  return table(['', ...SPREAD_METRICS], rows);
}

/** Treatments × targets that there is something of, each treatment's sum last. */
function cells(
  judged: readonly Judged[],
  wanted: (name: TreatmentName) => boolean,
): [string, string, Judged[]][] {
  return TREATMENT_NAMES.filter(wanted).flatMap((treatment) => {
    const all = judged.filter(({ line }) => line.treatment === treatment);
    if (all.length === 0) return [];
    const parts = TARGET_NAMES.flatMap((target): [string, string, Judged[]][] => {
      const some = all.filter(({ line }) => line.target === target);
      return some.length > 0 ? [[describe(treatment), target, some]] : [];
    });
    return [...parts, [describe(treatment), '**all**', all]];
  });
}

function describe(name: TreatmentName): string {
  const { slowdown, tail, neighbour } = TREATMENTS[name];
  const what = tail ? '1 % of requests + 20 ms' : slowdown > 0 ? `CPU + ${slowdown * 100} %` : 'nothing';
  if (!neighbour) return what;
  const manner = neighbour.on === 'each' ? 'on each CPU' : neighbour.periodMs > 1000 ? 'in bursts' : 'steady';
  return `${what}, neighbour of ${neighbour.duty * 100} % ${manner}`;
}

function isNothing(name: TreatmentName): boolean {
  return TREATMENTS[name].slowdown === 0 && !TREATMENTS[name].tail;
}

function isDifferent({ verdict }: Comparison): boolean {
  return verdict === 'slower' || verdict === 'faster';
}

/** Mean change over comparisons, with its 95 % interval (Student's t). */
function change(judged: readonly Judged[], metric: CompareMetric): string {
  const means = judged.flatMap(({ line }) => {
    const ln = line.instances.flatMap((one) => one.ln[metric] ?? []);
    return ln.length > 0 ? [mean(ln)] : [];
  });
  if (means.length === 0) return '–';
  const half = halfInterval(means);
  return `${signed(Math.expm1(mean(means)))}${half === null ? '' : ` ± ${percent(half)}`}`;
}

/** Comparisons whose interval of CPU per request contains the injected share. */
function covered(judged: readonly Judged[]): string {
  const held = judged.flatMap(({ line, comparisons, expected }) => {
    const interval = comparisons.find(({ metric }) => metric === 'cpu')?.interval;
    if (!interval || !line.injected) return [];
    const ratio = (1 + line.injected.share.value) ** (expected === 'faster' ? -1 : 1);
    return [interval.low <= ratio && ratio <= interval.high];
  });
  return held.length > 0 ? `${held.filter(Boolean).length} of ${held.length}` : '–';
}

function describeSeries({ commit, plan, seed }: SeriesLine, judged: readonly Judged[]): string {
  const lines = judged.map(({ line }) => line);
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) return 'No comparison yet.';
  const { machine } = lines.find((line) => line.machine) ?? {};
  const tested = lines.filter((line) => line.plan.instances > 0);
  const instances = [...new Set(tested.map((line) => `${line.plan.instances} × ${line.plan.blocks}`))];
  const seconds = tested.map(({ wallSeconds }) => wallSeconds);
  return [
    `${lines.length} comparisons from ${first.started.slice(0, 16)} to ${last.started.slice(0, 16)} UTC`,
    `tool at ${commit.slice(0, 12)}, \`run --scenarios quick ${plan.join(' ')}\` (fresh starts × slices: ${instances.join(', ')})`,
    `${seconds.length > 0 ? Math.round(median(seconds)) : '–'} s each (median), ${lines.filter(({ before }) => !before.quiet).length} begun on a busy machine, seed ${seed}`,
    machine &&
      `${machine.cpuModel}, ${machine.cpus} CPUs, ${machine.os}, Linux ${machine.kernel}, engine ${machine.engine}`,
  ]
    .filter(Boolean)
    .join('; ');
}

function share(found: number, n: number): string {
  const { low, high } = clopperPearson(found, n);
  return `${found} (${Math.round(100 * low)}–${Math.round(100 * high)} %)`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(2)} %`;
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string | null {
  if (rows.length === 0) return null;
  const line = (row: readonly (string | number)[]) => `| ${row.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
