import type { PooledLatency, Row, Summary } from '../analyse/summary.ts';
import { cleanLine } from './text.ts';
import { reasonOf } from './words.ts';

type Value = string | number | null | undefined;

/** One line a variant and scenario, numbers unrounded, units in the names. */
export function renderCsv({ scenarios }: Summary): string {
  const lines = scenarios.flatMap(({ facts, rows }) =>
    rows.map((row) => Object.entries({ scenario: facts.name, ...record(row) })),
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
    ...times(row.latency),
    okRatio: row.okRatio,
    okCount: row.okCount,
    requests: row.requests,
    cpuMsPerRequest: row.cpuMsPerRequest?.value,
    cpuMsPerRequestHalf: row.cpuMsPerRequest?.half,
    memoryMedianBytes: row.memory?.medianBytes,
    memoryMaxBytes: row.memory?.maxBytes,
    processes: row.processes?.max,
    coldStartMs: row.coldStartMs,
    generatorBusyRatio: row.generatorBusyRatio,
    dropped: row.dropped,
    interrupted: row.interrupted,
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
