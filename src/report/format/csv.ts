import type { CountRow } from '../../analyse/counted.ts';
import { leadsOf } from '../../analyse/judge/gates.ts';
import { PERCENTILES, percentileOf } from '../../analyse/rows/pool.ts';
import type { EndpointRow, Row, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { FunctionTime } from '../../analyse/why/why-model.ts';
import { COUNT_NAMES } from '../../results/count-names.ts';
import { CompareMetric, type Comparison } from '../../results/results.ts';
import { cleanLine } from '../../text/plain.ts';
import { rankFields } from '../view/ranking.ts';
import { reasonOf } from '../words/unranked.ts';
import { findVariant } from '../words/verdicts.ts';

/** Null: empty. */
type Value = string | number | null | undefined;
type Columns<T> = Readonly<Record<string, (of: T) => Value>>;

/** The subject of a line: a variant in a scenario, with all its requests or one endpoint. */
interface Subject {
  summary: Summary;
  scenario: ScenarioSummary;
  row: Row;
  /** Comparisons of the variant in this scenario. */
  comparisons: readonly Comparison[];
  /** Null: all of them. */
  endpoint: EndpointRow | null;
  /** The function that the line is about; null if it is about none. */
  profiled: FunctionTime | null;
}

/** Values that are known for an endpoint as well as for all together. */
type Counted = Pick<EndpointRow, 'requests' | 'bytesPerResponse' | 'latency'> & {
  okCount: number;
  okRatio: number | null;
  rps: number | null | undefined;
};

const NAMES: Columns<Subject> = {
  run: ({ summary }) => summary.run.id,
  scenario: ({ scenario }) => scenario.facts.name,
  variant: ({ row }) => row.variant,
  endpoint: ({ endpoint }) => endpoint?.name,
  label: ({ row }) => row.label,
  ref: ({ summary, row }) => findVariant(summary, row.variant)?.ref,
  state: ({ row }) => row.state.kind,
};

const COUNTED: Columns<Counted> = {
  requests: ({ requests }) => requests,
  okCount: ({ okCount }) => okCount,
  okRatio: ({ okRatio }) => okRatio,
  rps: ({ rps }) => rps,
  bytesPerResponse: ({ bytesPerResponse }) => bytesPerResponse,
  minMs: ({ latency }) => latency?.minMs,
  avgMs: ({ latency }) => latency?.avgMs,
  ...Object.fromEntries(
    PERCENTILES.map((p) => [`p${p}Ms`.replace('.', '_'), ({ latency }: Counted) => percentileOf(latency, p)]),
  ),
  maxMs: ({ latency }) => latency?.maxMs,
};

const WHOLE: Columns<Row> = {
  rank: ({ state }) => (state.kind === 'ranked' ? state.rank : null),
  reason: ({ state }) => reasonOf(state),
  rpsHalf: ({ rps }) => rps?.half,
  rpsOver: ({ rps }) => rps?.over,
  offeredRps: ({ offeredRps }) => offeredRps,
  ...rankFields(),
  processes: ({ processes }) => processes?.max,
  coldStartMs: ({ coldStartMs }) => coldStartMs,
  generatorBusyRatio: ({ generatorBusyRatio }) => generatorBusyRatio,
  dropped: ({ dropped }) => dropped,
  interrupted: ({ interrupted }) => interrupted,
};

/**
 * Columns for each kind and metric of one variant: `baseCpuRatio`, `baseCpuLow`, … The verdict goes by the metric in
 * `basePrimary`.
 */
const CHANGES: Columns<readonly Comparison[]> = Object.assign(
  {},
  ...(['base', 'earlier', 'reference'] as const).map((kind): typeof CHANGES => {
    const of = (own: readonly Comparison[]) => own.filter(({ against }) => against === kind);
    const lead = (own: readonly Comparison[]) => [...leadsOf(of(own))][0];
    return {
      [`${kind}Against`]: (own) => lead(own)?.reference,
      [`${kind}Primary`]: (own) => lead(own)?.metric,
      ...Object.assign({}, ...CompareMetric.options.map((metric) => changesIn(kind, metric))),
    };
  }),
);

function changesIn(kind: Comparison['against'], metric: CompareMetric): typeof CHANGES {
  const prefix = `${kind}${metric[0]?.toUpperCase()}${metric.slice(1)}`;
  const found = (own: readonly Comparison[]) =>
    own.find((comparison) => comparison.against === kind && comparison.metric === metric);
  return {
    [`${prefix}Ratio`]: (own) => found(own)?.ratio,
    [`${prefix}Low`]: (own) => found(own)?.interval?.low,
    [`${prefix}High`]: (own) => found(own)?.interval?.high,
    [`${prefix}Verdict`]: (own) => found(own)?.verdict,
    [`${prefix}Detectable`]: (own) => found(own)?.detectable,
  };
}

/** µs of CPU per request. */
const PROFILED: Columns<FunctionTime> = {
  function: ({ name }) => name,
  functionFile: ({ file }) => file,
  functionLine: ({ line }) => line,
  functionCode: ({ group }) => group,
  functionChanged: ({ changed }) => String(changed),
  selfUs: ({ selfUs }) => selfUs.variant,
  inclusiveUs: ({ inclusiveUs }) => inclusiveUs.variant,
  baseSelfUs: ({ selfUs, change }) => (change || selfUs.base > 0 ? selfUs.base : null),
  baseInclusiveUs: ({ inclusiveUs, change }) => (change || inclusiveUs.base > 0 ? inclusiveUs.base : null),
  selfChangeLowUs: ({ change }) => change?.low,
  selfChangeHighUs: ({ change }) => change?.high,
  selfChangeSure: ({ change }) => (change ? String(change.sure) : null),
};

/** Per request: `countQueries`, that of the base, and the verdict on the two. */
const COUNTS: Columns<readonly CountRow[]> = Object.assign(
  {},
  ...Object.keys(COUNT_NAMES).map((name): typeof COUNTS => {
    const column = `count${name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())}`;
    const found = (own: readonly CountRow[]) => own.find((row) => row.name === name);
    return {
      [column]: (own) => found(own)?.side.perRequest,
      [`${column}Against`]: (own) => found(own)?.change?.from.perRequest,
      [`${column}Verdict`]: (own) => found(own)?.change?.verdict,
    };
  }),
);

/** The same for all results; docs/reading-the-report.md explains each. */
export const CSV_COLUMNS: readonly string[] = [NAMES, COUNTED, WHOLE, CHANGES, PROFILED, COUNTS].flatMap(
  Object.keys,
);

/**
 * Each variant in each scenario has a line for all of its requests, then one for each endpoint and each profiled
 * function. Those of the base come last. Numbers are unrounded, units in the names.
 *
 * @param summaries one, or several that must not be compared: the column `run` separates them
 */
export function renderCsv(summaries: readonly Summary[]): string {
  const subjects = summaries.flatMap((summary) =>
    summary.scenarios.flatMap((scenario) => {
      const compared = Map.groupBy(scenario.comparisons, ({ variant }) => variant);
      return [...scenario.rows, ...scenario.bases].flatMap((row) => {
        const subject = { summary, scenario, row, comparisons: compared.get(row.variant) ?? [] };
        const why = summary.why.find(
          (one) =>
            one.against !== 'row' && one.variant === row.variant && one.scenario === scenario.facts.name,
        );
        return [
          // The last sums the others up.
          ...[null, ...row.endpoints.slice(0, -1)].map((endpoint) => ({
            ...subject,
            endpoint,
            profiled: null,
          })),
          ...(why?.functions ?? []).map((profiled) => ({ ...subject, endpoint: null, profiled })),
        ];
      });
    }),
  );
  const lines: (readonly Value[])[] = [CSV_COLUMNS, ...subjects.map(read)];
  return lines.map((line) => `${line.map(cell).join(',')}\n`).join('');
}

function read(subject: Subject): Value[] {
  const { comparisons, row, endpoint, profiled, scenario } = subject;
  // Values of the variant as a whole are not repeated on lines of its endpoints and functions.
  const whole = endpoint || profiled ? null : row;
  const own = endpoint || profiled ? null : comparisons;
  const isCounted = (one: CountRow) =>
    one.variant === row.variant && one.endpoint === (endpoint?.name ?? null);
  return [
    ...readAll(NAMES, subject),
    ...readAll(COUNTED, profiled ? null : endpoint ? countEndpoint(endpoint) : countAll(row)),
    ...readAll(WHOLE, whole),
    ...readAll(CHANGES, own),
    ...readAll(PROFILED, profiled),
    ...readAll(COUNTS, profiled ? null : scenario.counts.filter(isCounted)),
  ];
}

function readAll<T>(columns: Columns<T>, of: T | null): Value[] {
  return Object.values(columns).map((column) => (of === null ? null : column(of)));
}

function countAll({ requests, okCount, okRatio, rps, latency, endpoints }: Row): Counted {
  const bytesPerResponse = endpoints.at(-1)?.bytesPerResponse ?? null;
  return { requests, okCount, okRatio, rps: rps?.value, bytesPerResponse, latency };
}

function countEndpoint({ requests, failures, rps, bytesPerResponse, latency }: EndpointRow): Counted {
  const okCount = requests - failures;
  const okRatio = requests > 0 ? okCount / requests : null;
  return { requests, okCount, okRatio, rps, bytesPerResponse, latency };
}

/** Quoted as in RFC 4180; line breaks within a text become spaces. */
function cell(value: Value): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = disarm(cleanLine(value));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Text that begins like a formula gets an apostrophe, so that a spreadsheet does not run it. So does what follows a
 * semicolon, which parts cells where the comma is for decimals.
 */
function disarm(text: string): string {
  return text.replace(/(^|;)(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/g, "$1'");
}
