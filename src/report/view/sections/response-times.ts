import { percentileOf } from '../../../analyse/rows/pool.ts';
import type { EndpointRow, PooledLatency, Row, ScenarioSummary } from '../../../analyse/summary.ts';
import { QUANTILES } from '../../../results/quantiles.ts';
import { percent } from '../../../text/percent.ts';
import { type Tried, triedOf } from '../../words/loads/capacity.ts';
import { type Timed, withUpTo } from '../../words/loads/upto.ts';
import { bytes, count, digits, ms, NOTHING, share } from '../../words/numbers.ts';
import { type Column, grid, left, right, type Section, section, variantColumn } from '../model.ts';

const POINTS = [50, 66, 75, 80, 85, 90, 95, 98, 99, 99.9, 99.99] as const;

type Measured = { latency: PooledLatency | null };

function at({ latency }: Measured, p: number): string {
  return ms(percentileOf(latency, p));
}

const percentiles: Column<Measured>[] = POINTS.map((p) => right(`${p} %`, (row) => at(row, p)));

/** Response times from pooled samples, then what else is known of each variant. */
export function percentileSection({ rows, bases }: ScenarioSummary): Section[] {
  const measured = [...rows, ...bases].filter((row) => row.latency);
  if (measured.length === 0) return [];
  const timed = measured.flatMap((row) => withUpTo(row));
  return section('All percentiles and resources', [
    grid('Response time, ms', timeColumns(timed), timed),
    grid('Counts and resources', RESOURCES, measured),
  ]);
}

function timeColumns(timed: readonly Timed[]): Column<Timed>[] {
  const isSplit = timed.some(({ upTo }) => upTo);
  return [
    left('Variant', ({ label, upTo }) => [{ name: label }, upTo]),
    right('min', ({ latency }) => ms(latency?.minMs)),
    right('average', ({ latency }) => ms(latency?.avgMs)),
    ...percentiles,
    right('max', ({ latency }) => ms(latency?.maxMs)),
    ...(isSplit ? [right<Timed>('OK', ({ okRatio }) => share(okRatio))] : []),
    right('p99 of the starts', ({ p99 }) =>
      p99?.range ? `${digits(p99.range.low)}–${digits(p99.range.high)}` : NOTHING,
    ),
  ];
}

const ratio = (value: number | null) => (value === null ? NOTHING : percent(value));

const RESOURCES: Column<Row>[] = [
  variantColumn,
  right('requests', (row) => count(row.requests)),
  right('OK', (row) => count(row.okCount)),
  right('dropped', (row) => count(row.dropped)),
  right('interrupted', (row) => count(row.interrupted)),
  right('slices', slices),
  right('server CPU', (row) => ratio(row.cpuBusyRatio)),
  right('k6 CPU', (row) => ratio(row.generatorBusyRatio)),
  right('memory max', (row) => (row.memory ? bytes(row.memory.maxBytes) : NOTHING)),
  right('processes', (row) => (row.processes ? count(row.processes.max) : NOTHING)),
  right('cold start', (row) => ms(row.coldStartMs), 'ms'),
];

function slices({ slices: found }: Row): string {
  const others = [
    found.failed > 0 ? `${found.failed} failed` : '',
    found.void > 0 ? `${found.void} void` : '',
    found.generatorBound > 0 ? `${found.generatorBound} generator-bound` : '',
  ].filter(Boolean);
  return [String(found.ok), ...others].join(', ');
}

/** A row per variant and rate, in the order in which they were tried. */
export function triedSection(scenario: ScenarioSummary): Section[] {
  const lines = triedOf(scenario);
  const title = 'Rates tried for the capacity';
  const columns: Column<Tried>[] = [
    variantColumn,
    right('offered', ({ offered }) => offered, 'rps'),
    right('answered in time', ({ served }) => served, 'rps'),
    right('OK', ({ ok }) => ok),
    ...QUANTILES.map((key) => right<Tried>(key, (line) => line[key], 'ms')),
    right('dropped', ({ dropped }) => dropped),
    left('held', ({ held }) => ({ text: held })),
  ];
  return section(title, lines.length > 0 ? [grid(title, columns, lines)] : []);
}

type EndpointLine = EndpointRow & { variant: string; label: string; isSum: boolean };

/** A row per variant and endpoint, and one for all its endpoints together. */
export function endpointSection({ rows, bases }: ScenarioSummary): Section[] {
  const lines = [...rows, ...bases].flatMap(({ variant, label, endpoints }): EndpointLine[] => {
    // With one endpoint the sum repeats it.
    const own = endpoints.length === 2 ? endpoints.slice(0, 1) : endpoints;
    const isSum = (i: number) => i > 0 && i === own.length - 1;
    return own.map((endpoint, i) => ({ ...endpoint, variant, label, isSum: isSum(i) }));
  });
  return section('Endpoints', lines.length > 0 ? [grid('Endpoints', ENDPOINTS, lines)] : [], true);
}

const ENDPOINTS: Column<EndpointLine>[] = [
  variantColumn,
  left('Endpoint', ({ isSum, name }) => (isSum ? { strong: 'Aggregated' } : { name })),
  right('requests', ({ requests }) => count(requests)),
  right('failures', ({ failures }) => count(failures)),
  right('bytes', ({ bytesPerResponse }) =>
    bytesPerResponse === null ? NOTHING : count(Math.round(bytesPerResponse)),
  ),
  right('requests/s', ({ rps }) => digits(rps)),
  right('failures/s', (line) => (line.failures === 0 ? '0' : digits(line.failuresPerSecond))),
  right('min', ({ latency }) => ms(latency?.minMs), 'ms'),
  right('average', ({ latency }) => ms(latency?.avgMs)),
  ...percentiles,
  right('max', ({ latency }) => ms(latency?.maxMs)),
];
