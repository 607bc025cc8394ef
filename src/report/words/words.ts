import { isMore } from '../../analyse/judge/rank.ts';
import type { Row, RowState, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { ScenarioFacts } from '../../results/results.ts';
import type { Estimate } from '../../stats/estimate.ts';
import { describeGenerator } from '../../text/load-origin.ts';
import { cleanLine, listNames, plural } from '../../text/plain.ts';
import { atLeast, bytes, digits, duration, estimated, held, ms, points } from './numbers.ts';

/** Makes a variant's label fit for where it is printed. */
export type Name = (label: string) => string;

/** The result in a sentence; it claims nothing that the intervals do not show. */
export function verdict(scenario: ScenarioSummary, name: Name): string {
  const { metric, rows, bases } = scenario;
  const amount = (row: Row) => amountIn(metric, row);
  const measure = metric === 'holds' ? 'holds ' : metric === 'rps' ? '' : `${metric} `;
  const ranked = rows.filter((row) => row.state.kind === 'ranked');
  const isOnce = (row: Row) => row[metric]?.over !== 'instances';
  // The interval of a single ramp is that of its levels.
  const another = `another start may differ${metric === 'holds' ? '' : ' by about 1 %'}`;
  const [first, second] = ranked;
  if (!first) return 'No variant could be ranked.';
  if (!second) {
    const alone =
      rows.length > 1
        ? '; no other variant could be ranked'
        : bases.length > 0
          ? ''
          : '; there is nothing to compare it with';
    return `${name(first.label)}: ${measure}${amount(first)}${alone}.`;
  }
  if (scenario.best) {
    const limit = rows.some((row) => row.state.kind === 'generator-bound')
      ? 'Of those measured to their limit, '
      : '';
    const lead = `${name(first.label)} ${BEST[metric]}: ${amount(first)}, ${distance(scenario, first, second)} ${name(second.label)} (${amount(second)}).`;
    return `${limit}${lead}${isOnce(first) ? ` Each was started only once; ${another}.` : ''}`;
  }
  const tied = ranked.filter((row) => row.state.kind === 'ranked' && row.state.rank === 1);
  const values = tied.map((row) => row[metric]?.value ?? 0);
  const isBeyond = metric === 'holds' && tied.every((row) => row.holds?.kind === 'beyond');
  const range = isBeyond
    ? 'they sustained the whole ramp'
    : `${measure}${digits(Math.min(...values))}–${digits(Math.max(...values))} ${metric === 'rps' || metric === 'holds' ? 'rps' : 'ms'}`;
  // A bound has no spread, however often it was measured.
  const why = isBeyond
    ? 'only a higher ramp can separate them'
    : tied.some((row) => row[metric]?.half == null)
      ? 'measured too little to know their spread'
      : scenario.basis === 'paired'
        ? 'no paired test separates them'
        : tied.every(isOnce) && !tied.every((row) => overlaps(row[metric], tied[0]?.[metric]))
          ? `each was started only once, and ${another}`
          : 'their 95 % intervals overlap';
  return `No clear best between ${listNames(tied.map((row) => name(row.label)))}: ${range}, ${why}${behind(ranked.slice(tied.length), name)}.`;
}

/** Advantage of the first in a ranking, by metric. */
export const BEST: Record<ScenarioSummary['metric'], string> = {
  ...{ rps: 'has the highest RPS', holds: 'sustains the highest rate' },
  ...{ p95: 'has the lowest p95', p99: 'has the lowest p99' },
};

function amountIn(metric: ScenarioSummary['metric'], row: Row): string {
  if (metric === 'holds') return `${held(row.holds)} rps`;
  return `${estimated(row[metric])} ${metric === 'rps' ? 'rps' : 'ms'}`;
}

/** Whether the intervals as they are printed overlap, without what starts differ by. */
function overlaps(a: Estimate | null, b: Estimate | null | undefined): boolean {
  return !!a && !!b && Math.abs(a.value - b.value) <= (a.half ?? 0) + (b.half ?? 0);
}

/**
 * Those that do not share the first place. Each has one above it that is surely better, but not all above it need be: a
 * variant may differ surely from the third, and not from the second.
 */
function behind(rest: readonly Row[], name: Name): string {
  const [first] = rest;
  if (!first) return '';
  if (rest.length === 1) return `; ${name(first.label)} is surely behind at least one of them`;
  return `; ${plural(rest.length, 'other')} are each surely behind at least one of them`;
}

/** How far the first is ahead of the second: `11 % ahead of`, `2.4 times as much as`, `35 % below`. */
function distance(scenario: ScenarioSummary, first: Row, second: Row): string {
  const { metric } = scenario;
  const isBound = first.holds?.kind === 'beyond' || second.holds?.kind === 'below';
  const [a, b] = [first[metric]?.value ?? 0, second[metric]?.value ?? 0];
  const ratio = pairedRatio(scenario, first, second) ?? a / (b || 1);
  // Paired starts decide. The numbers over all starts can point the other way where a start lacks one of the two.
  if (isMore(metric) ? a >= b : a <= b)
    return `${metric === 'holds' && isBound ? 'at least ' : ''}${gapOf(metric, ratio)}`;
  const isGap = isMore(metric) ? ratio > 1 : ratio < 1;
  return `in paired starts ${isGap ? gapOf(metric, ratio) : isMore(metric) ? 'ahead of' : 'below'}`;
}

/** @param ratio the first ÷ the second */
export function gapOf(metric: ScenarioSummary['metric'], ratio: number): string {
  if (!isMore(metric)) return `${points(1 - ratio)} below`;
  return ratio >= 2 ? `${digits(ratio)} times as much as` : `${points(ratio - 1)} ahead of`;
}

/** From pairs of starts where the two were compared, so that the sentence and the table agree; else null. */
function pairedRatio({ metric, comparisons }: ScenarioSummary, a: Row, b: Row): number | null {
  const paired = (one: Row, other: Row) =>
    comparisons.find(
      ({ variant, reference, metric: of }) =>
        variant === one.variant && reference === other.variant && of === metric,
    )?.ratio;
  const back = paired(b, a);
  return paired(a, b) ?? (back ? 1 / back : null);
}

/** In what another variant is better than the first of the ranking; empty where nobody knows of anything. */
export function tradeOffs(scenario: ScenarioSummary, name: Name): string {
  return [tailVerdict(scenario, name), cpuVerdict(scenario, name)].filter(Boolean).join(' ');
}

/**
 * The verdict if the first by RPS answers its slowest requests later than another does:
 * `nginx-fpm has a lower p99 (37.4 ms), at a lower rate.`
 *
 * It is empty if the first is not the reference: the others are then compared with something else.
 */
function tailVerdict({ metric, rows, best, comparisons }: ScenarioSummary, name: Name): string {
  const first = rows.find(({ variant }) => variant === best);
  if (metric !== 'rps' || !first) return '';
  const faster = comparisons.filter(
    ({ against, reference, verdict }) =>
      against === 'reference' && reference === best && verdict === 'faster',
  );
  const found = (['p95', 'p99'] as const).flatMap((tail) => {
    const value = (row: Row) => row[tail]?.value ?? Infinity;
    // A sure ratio of paired starts need not show in the numbers over all starts.
    const isLower = (row: Row) =>
      value(row) < value(first) && ms(row[tail]?.value) !== ms(first[tail]?.value);
    const lower = rows.filter(
      (row) =>
        row.state.kind === 'ranked' &&
        faster.some(({ variant, metric: of }) => variant === row.variant && of === tail) &&
        ![first, row].some(({ doubtful }) => doubtful.includes(tail)) &&
        isLower(row),
    );
    const [lowest] = lower.sort((a, b) => value(a) - value(b));
    return lowest ? [{ row: lowest, text: `${tail} (${ms(lowest[tail]?.value)} ms)` }] : [];
  });
  return [...Map.groupBy(found, ({ row }) => row.label)]
    .map(
      ([label, own]) =>
        `${name(label)} has a lower ${listNames(own.map(({ text }) => text))}, at a lower rate.`,
    )
    .join(' ');
}

/** CPU per request if it shows more than the ranking does: it is the steadiest number there is. Else empty. */
function cpuVerdict({ rows, best, cheapest }: ScenarioSummary, name: Name): string {
  const row = rows.find(({ variant }) => variant === cheapest);
  if (!row || best === cheapest) return '';
  const others = rows.filter((other) => other.state.kind === 'ranked' && other !== row);
  const next = Math.min(...others.map((other) => other.cpuMsPerRequest?.value ?? Infinity));
  const saved = 1 - (row.cpuMsPerRequest?.value ?? 0) / next;
  const gap = saved > 0 ? `, ${points(saved)} below the next` : ', by paired starts';
  return `${name(row.label)} needs the least CPU per request: ${estimated(row.cpuMsPerRequest)} ms${gap}.`;
}

/** Variants that are missing from the ranking, and why, in short; empty if there are none. */
export function exceptions({ rows, bases }: ScenarioSummary, name: Name): string {
  const of = (kind: RowState['kind']) => rows.filter((row) => row.state.kind === kind);
  const bound = of('generator-bound').map(
    (row) => `${name(row.label)} (${atLeast(row.rps?.value ?? 0)} rps)`,
  );
  const unranked = of('unranked').map((row) => name(row.label));
  const failed = [...of('failed'), ...bases.filter(({ state }) => state.kind === 'failed')].map((row) =>
    name(row.label),
  );
  return [
    bound.length > 0 ? `The load generator was the limit for ${listNames(bound)}.` : '',
    unranked.length > 0 ? `Not ranked: ${listNames(unranked)}.` : '',
    failed.length > 0 ? `Failed: ${listNames(failed)}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

const FAILED: Readonly<Record<string, string>> = {
  build: 'failed to build',
  start: 'failed to start',
  verify: 'answered wrongly',
  run: 'failed under load',
};

export function describeFailure({ stage }: { stage: string }): string {
  return FAILED[stage] ?? 'failed';
}

/** Why a row stands apart: `failed to build: …`. */
export function reasonOf(state: RowState): string {
  switch (state.kind) {
    case 'ranked':
    case 'base':
      return '';
    case 'failed':
      return `${describeFailure(state)}: ${state.reason}`;
    default:
      return state.reason;
  }
}

/** `vus(8, 1s) · 3 fresh starts × 4 slices of each variant · seed 42`; of a run cut short `2 of 3 fresh starts`. */
export function conditions({ facts, starts }: ScenarioSummary, { plan, run }: Summary): string {
  const fresh =
    starts < plan.instances
      ? `${starts} of ${plural(plan.instances, 'fresh start')}`
      : plural(starts, 'fresh start');
  return `${facts.load || 'load of the script'} · ${fresh} × ${plural(facts.blocks, 'slice')} of each variant · ${seedsOf(run)}${plan.budgetSeconds === null ? '' : ` · budget ${duration(plan.budgetSeconds)}`}${plan.durationScale === 1 ? '' : ` · times shortened to ${points(plan.durationScale)}`}`;
}

/** `seed 42`; of runs put together `seeds 42, 43`. */
export function seedsOf(run: Summary['run']): string {
  const seeds = [...new Set((run.merged ?? [run]).map(({ seed }) => seed))];
  return `${seeds.length > 1 ? 'seeds' : 'seed'} ${seeds.join(', ')}`;
}

/** How often every server was started: `once`, `6 times`, `2 of 6 times` where a run was cut short. */
export function startedAfresh({ scenarios, plan }: Summary): string {
  const starts = Math.max(0, ...scenarios.map((scenario) => scenario.starts));
  if (starts < plan.instances) return `${starts} of ${plural(plan.instances, 'time')}`;
  return starts === 1 ? 'once' : plural(starts, 'time');
}

/** Meaning of the ±. */
export function intervalLegend({ rows, metric, basis: ranking }: ScenarioSummary): string {
  if (metric === 'holds') return '';
  // CPU per request has a ± of its own beside every ranking.
  const shown = rows.flatMap((row) => [row[metric], row.cpuMsPerRequest]);
  const basis = new Set(shown.flatMap((estimate) => (estimate ? [estimate.over] : [])));
  const words: string[] = [];
  if (basis.has('instances'))
    words.push(
      `± is the 95 % interval over fresh starts${ranking === 'paired' ? '; verdicts use 99 %' : ''}`,
    );
  if (basis.has('slices')) {
    words.push(
      '± is the 95 % interval over the slices of one start: differences between starts are not in it',
    );
  }
  if (basis.has('nothing')) words.push('a number without ± was measured once, its spread is not known');
  return words.join('; ');
}

/** Meaning of `holds`; empty if no variant was loaded with a ramp. */
export function holdsLegend({ rows, bases, facts }: ScenarioSummary): string {
  const found = [...rows, ...bases].flatMap(({ holds }) => (holds ? [holds] : []));
  if (found.length === 0) return '';
  const starts = Math.max(...found.map(({ n }) => n));
  const half =
    starts > 1
      ? 'is the 95 % interval over fresh starts, and at least the steps between which it lies'
      : 'are the steps between which it lies';
  const words = [
    `holds: the highest rate of the ramp that was answered in time${latencyLimitsOf(facts)}; ± ${half}`,
  ];
  if (found.some(({ kind }) => kind === 'beyond')) words.push('≥ it sustained the whole ramp');
  return words.join('; ');
}

/** ` with p95 ≤ 200 ms, p99 ≤ 500 ms`: the criteria for latency; empty where there are none. */
export function latencyLimitsOf({ slo: { okRatio: _, checksRatio: __, ...times } }: ScenarioFacts): string {
  const limits = Object.entries(times).map(([key, limit]) => `${key.slice(0, -2)} ≤ ${limit} ms`);
  return limits.length > 0 ? ` with ${limits.join(', ')}` : '';
}

export function hasHolds({ rows, bases }: Pick<ScenarioSummary, 'rows' | 'bases'>): boolean {
  return [...rows, ...bases].some(({ holds }) => holds !== null);
}

export function hasDoubtful({ rows }: ScenarioSummary): boolean {
  return rows.some(({ doubtful }) => doubtful.length > 0);
}

export const DOUBTFUL = 'k6 was busy and probably added more than 10 % to this value';
export const DOUBTFUL_LEGEND = `~ ${DOUBTFUL}`;

/** `48 s of load in 1 min 57 s (overhead 59 %)` */
export function overhead({ run }: Summary): string {
  return `${duration(run.loadSeconds)} of load in ${duration(run.wallSeconds)} (overhead ${Math.round(run.overheadRatio * 100)} %)`;
}

/** Command that repeats a run; for runs put together one line each. */
export function commandsOf(run: Summary['run']): string {
  return [...new Set((run.merged ?? [run]).map(({ command }) => shellCommand(command)))].join('\n');
}

/** A command line that a shell reads back as the same words. */
export function shellCommand(command: readonly string[]): string {
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** Machine and versions: what each is called, and what it is. */
export function machineFacts(summary: Summary): [string, string][] {
  const { host, plan, tool } = summary;
  const commit = commitWithFiles(summary);
  const cpus = (list: readonly number[]) => (list.length > 0 ? list.join(', ') : 'none');
  const tools: [string, string] = ['Tools', `${tool.name} ${tool.version}, k6 ${tool.k6}`];
  const load = (plan.elsewhere?.generators ?? []).map((generator): [string, string] => [
    'Load from',
    describeGenerator(generator),
  ]);
  if (plan.elsewhere?.kind === 'cluster') return [['Site', plan.elsewhere.target], ...load, tools];
  return [
    ...(commit ? [['Commit', commit] as [string, string]] : []),
    [
      'CPU',
      `${host.cpuModel}: ${plural(host.cores, 'core')}, ${plural(host.cpus, 'thread')}${host.virtual ? ', virtual machine' : ''}`,
    ],
    ['Governor', host.governor ?? 'not known'],
    [
      'CPU layout',
      `servers ${cpus(plan.cpus.server)}; load ${cpus(plan.cpus.load)}; system ${cpus(plan.cpus.system)} (${plan.cpus.source === 'given' ? 'given' : 'found from the topology'})`,
    ],
    ...load,
    ['Memory', bytes(host.memoryBytes)],
    ['System', `${host.os}, kernel ${host.kernel}, ${host.arch}, cgroup v${host.cgroup}`],
    ['Docker', `engine ${host.engine}, buildx ${host.buildx}${storeOf(host)}`],
    tools,
  ];
}

/** What image sizes include depends on it. */
function storeOf({ imageStore }: Summary['host']): string {
  if (!imageStore) return '';
  return `, image store ${imageStore}: sizes ${imageStore === 'containerd' ? 'include' : 'without'} compressed layers`;
}

/** `4c0f362`, `4c0f362 and uncommitted changes`; empty where nobody knows. */
export function commitOf({ run: { head } }: Pick<Summary, 'run'>): string {
  if (!head) return '';
  return `${head.commit.slice(0, 7)}${head.uncommitted > 0 ? ' and uncommitted changes' : ''}`;
}

/** The same with the files: `4c0f362 and 2 uncommitted changes (public/index.php, src/shop.php)`. */
export function commitWithFiles(summary: Pick<Summary, 'run'>): string {
  const { head } = summary.run;
  if (!head || head.uncommitted === 0) return commitOf(summary);
  const names = [...head.files, ...(head.uncommitted > head.files.length ? ['…'] : [])].map(cleanLine);
  return `${head.commit.slice(0, 7)} and ${plural(head.uncommitted, 'uncommitted change')} (${names.join(', ')})`;
}

/** When a variant counts as surely better than another. */
export function placeRule({ scenarios }: Summary): string {
  return scenarios.some(({ basis }) => basis === 'paired')
    ? 'by paired tests of fresh starts'
    : `that is, whose intervals do not overlap${scenarios.some(({ starts }) => starts === 1) ? ', even if another start differs by 1 %' : ''}`;
}
