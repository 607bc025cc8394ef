import { leadsOf } from '../analyse/gates.ts';
import type { PooledLatency, Row, Summary } from '../analyse/summary.ts';
import { CompareMetric, type Comparison } from '../results.ts';
import { cleanLine } from './text.ts';
import { reasonOf } from './words.ts';

type Value = string | number | null | undefined;

/** One line a variant and scenario, those of the other ref last; numbers unrounded, units in the names. */
export function renderCsv({ scenarios, variants }: Summary): string {
  const all = scenarios.flatMap(({ comparisons }) => comparisons);
  const kinds = KINDS.filter((kind) => all.some(({ against }) => against === kind));
  const lines = scenarios.flatMap(({ facts, rows, bases, comparisons }) =>
    [...rows, ...bases].map((row) => {
      const own = comparisons.filter(({ variant }) => variant === row.variant);
      const ref = variants.find(({ id }) => id === row.variant)?.ref;
      return Object.entries<Value>({
        ...{ scenario: facts.name, ...record(row), ref },
        ...Object.assign({}, ...kinds.map((kind) => changes(kind, own))),
      });
    }),
  );
  const head = lines[0]?.map(([name]) => name) ?? [];
  return [head, ...lines.map((line) => line.map(([, value]) => cell(value)))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
}

function record(row: Row): Record<string, Value> {
  return {
    variant: row.variant,
    label: row.label,
    state: row.state.kind,
    rank: row.state.kind === 'ranked' ? row.state.rank : null,
    reason: reasonOf(row.state),
    rps: row.rps?.value,
    rpsHalf: row.rps?.half,
    rpsOver: row.rps?.over,
    offeredRps: row.offeredRps,
    holdsRps: row.holds?.value,
    holdsHalf: row.holds?.half,
    holdsKind: row.holds?.kind,
    holdsOkRatio: row.holds?.upTo?.okRatio,
    ...Object.fromEntries(
      [50, 95, 99].map((p) => [
        `holdsP${p}Ms`,
        row.holds?.upTo?.latency?.percentiles.find((point) => point.p === p)?.ms,
      ]),
    ),
    ...times(row.latency),
    okRatio: row.okRatio,
    okCount: row.okCount,
    requests: row.requests,
    cpuMsPerRequest: row.cpuMsPerRequest?.value,
    cpuMsPerRequestHalf: row.cpuMsPerRequest?.half,
    memoryMedianBytes: row.memory?.medianBytes,
    memoryMaxBytes: row.memory?.maxBytes,
    memoryBytesPerThousand: row.soak?.bytesPerThousand.value,
    memoryBytesPerThousandHalf: row.soak?.bytesPerThousand.half,
    leaks: row.soak ? String(row.soak.leaks) : null,
    rpsDecay: row.soak?.decay?.value,
    rpsDecayHalf: row.soak?.decay?.half,
    processes: row.processes?.max,
    coldStartMs: row.coldStartMs,
    generatorBusyRatio: row.generatorBusyRatio,
    dropped: row.dropped,
    interrupted: row.interrupted,
  };
}

const KINDS = ['base', 'earlier', 'reference'] as const;

/** `baseCpuRatio`, `baseCpuLow`, … for every metric; `basePrimary` names the one that the verdict goes by. */
function changes(kind: Comparison['against'], own: readonly Comparison[]): Record<string, Value> {
  const found = own.filter(({ against }) => against === kind);
  const columns = CompareMetric.options.flatMap((metric) => {
    const comparison = found.find((other) => other.metric === metric);
    const prefix = kind + (metric[0] as string).toUpperCase() + metric.slice(1);
    return [
      [`${prefix}Ratio`, comparison?.ratio],
      [`${prefix}Low`, comparison?.interval?.low],
      [`${prefix}High`, comparison?.interval?.high],
      [`${prefix}Verdict`, comparison?.verdict],
      [`${prefix}Detectable`, comparison?.detectable],
    ];
  });
  const [lead] = leadsOf(found);
  return {
    [`${kind}Against`]: lead?.reference,
    [`${kind}Primary`]: lead?.metric,
    ...Object.fromEntries(columns),
  };
}

function times(latency: PooledLatency | null): Record<string, Value> {
  const at = (p: number) => latency?.percentiles.find((point) => point.p === p)?.ms;
  const points = [50, 66, 75, 80, 85, 90, 95, 98, 99, 99.9, 99.99];
  return {
    minMs: latency?.minMs,
    avgMs: latency?.avgMs,
    ...Object.fromEntries(points.map((p) => [`p${String(p).replace('.', '_')}Ms`, at(p)])),
    maxMs: latency?.maxMs,
  };
}

/** Text that begins like a formula gets an apostrophe, so that a spreadsheet does not run it. */
function cell(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = cleanLine(value).replace(/^(?=[=+\-@])/, "'");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
