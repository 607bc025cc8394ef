/** Measured numbers, in the shape of each article's own table. Pure. */
import { mean } from 'simple-statistics';
import { escapeMarkdown } from '../../src/report/format/escape.ts';
import {
  atLeast,
  change,
  count,
  digits,
  duration,
  ms,
  NOTHING,
  share,
  withHalf,
} from '../../src/report/words/numbers.ts';
import { plural } from '../../src/text/plain.ts';
import type { Name } from './articles.ts';
import {
  type Against,
  BOUND,
  type Data,
  isDisturbed,
  type Row,
  type Run,
  type Times,
  type Value,
} from './data.ts';

/** The tables of an article with their notes, as lines of Markdown. */
export function renderTables(name: Name, data: Data): string[] {
  return [
    ...(isDisturbed(data.run) ? [DISTURBED, ''] : []),
    ...TABLES[name](data),
    ...listFlaws(data.rows).flatMap((line) => ['', line]),
    '',
    ...describeRun(data.run),
  ];
}

/** By flaw: which variants have it, and in which scenarios. */
function listFlaws(rows: readonly Row[]): string[] {
  const flawed = rows.filter(({ flaw }) => flaw !== null);
  return unique(flawed.map(({ flaw }) => flaw as string)).map((flaw) => {
    const own = flawed.filter((row) => row.flaw === flaw);
    const places = unique(own.map(({ variant }) => variant)).map((variant) => {
      const scenarios = unique(own.filter((row) => row.variant === variant).map((row) => row.scenario));
      return `${variant} at ${scenarios.join(', ')}`;
    });
    return `Not comparable (${escapeMarkdown(flaw)}): ${places.map(escapeMarkdown).join('; ')}.`;
  });
}

const TABLES: Readonly<Record<Name, (data: Data) => string[]>> = {
  octane: ({ rows }) =>
    table(
      ['stress', ...RAMP.map(String), 'OK %', 'sent %', 'CPU ms/request'],
      rows.flatMap((row) => {
        const name = row.variant.split('/').reverse().join(' + ');
        const { holds } = row;
        const whole = [...timesAt(row.times, RAMP), share(row.okRatio), share(row.sentRatio), value(row.cpu)];
        if (row.flaw !== null || holds === null) return [cells(name, row, whole)];
        if (holds.kind !== 'found') return [cells(`${name}, sustains ${sustained(holds)} rps`, row, whole)];
        const upTo = [...timesAt(holds.times, RAMP), share(holds.okRatio), NOTHING, NOTHING];
        return [cells(`* ${name} to ${sustained(holds)} rps`, row, upTo), cells(name, row, whole)];
      }),
    ),

  symfony: ({ rows }) =>
    table(
      [
        ...['1,000 rps', '95', '90', '80', '50', 'OK %', 'OK', 'sent %', 'CPU % median', 'max'],
        ...['memory MiB median', 'max', 'sustained rps', 'CPU ms/request'],
      ],
      rows.map((row) =>
        cells(row.variant, row, [
          ...timesAt(row.times, [95, 90, 80, 50]),
          ...[share(row.okRatio), count(row.okCount), share(row.sentRatio)],
          ...[number(row.cpuPercent?.median), number(row.cpuPercent?.max)],
          ...[
            number(row.memoryMib?.median),
            number(row.memoryMib?.max),
            sustained(row.holds),
            value(row.cpu),
          ],
        ]),
      ),
    ),

  apache({ rows, against }) {
    const scenarios = unique(rows.map(({ scenario }) => scenario));
    const clients = scenarios.map((name) => name.replace('ab-', ''));
    const all = unique(rows.map(({ variant }) => variant));
    const reference = against[0]?.reference ?? '';
    return [
      ...table(
        ['rps at concurrency', ...clients, 'bytes a response'],
        all.map((variant) => {
          const own = scenarios.map((scenario) => rows.find(isAt(variant, scenario)));
          return [variant, ...own.map(bestRps), own[0]?.bytes ? count(Math.round(own[0].bytes)) : NOTHING];
        }),
      ),
      '',
      ...table(
        [`RPS compared with ${reference}`, ...clients],
        all
          .filter((variant) => variant !== reference)
          .map((variant) => [
            variant,
            ...scenarios.map((scenario) => verdict(against.find(isAt(variant, scenario)))),
          ]),
      ),
    ];
  },

  shop: ({ rows }) =>
    table(
      ['', 'avg CPU %', 'RAM MiB', 'avg RPS', 'OK %', 'sent %', 'CPU ms/request'],
      rows.map((row) =>
        cells(row.variant, row, [
          ...[number(row.cpuPercent?.mean), number(row.memoryMib?.median), value(row.rps)],
          ...[share(row.okRatio), share(row.sentRatio), value(row.cpu)],
        ]),
      ),
    ),

  auth: renderEndpoints,
  unit: renderEndpoints,
};

/** As Locust does: all requests, then each endpoint. */
function renderEndpoints({ rows }: Data): string[] {
  const errors = rows.flatMap(({ variant, errors }) => errors.map((error) => ({ variant, ...error })));
  return [
    ...table(
      ['aggregated', 'requests', 'failures', 'median ms', 'avg', 'rps', '95', '99', 'bytes'],
      rows.map((row) =>
        cells(row.variant, row, [
          ...[count(row.requests), count(row.requests - row.okCount), ms(row.times?.['50'])],
          ...[ms(row.times?.avg), value(row.rps), ms(row.times?.['95']), ms(row.times?.['99'])],
          number(row.bytes),
        ]),
      ),
    ),
    '',
    '<details><summary>By endpoint</summary>',
    '',
    ...table(
      [
        ...['', 'requests', 'failures', 'median', 'average', 'min', 'max', 'requests/s', 'failures/s'],
        ...LOCUST.map((p) => `${p} %`),
        '100 %',
      ],
      rows.flatMap(({ variant, endpoints = [] }) =>
        endpoints.map(({ name, requests, failures, rps, times }) => [
          ...[`${variant}: ${name}`, count(requests), count(failures)],
          ...['50', 'avg', 'min', 'max'].map((key) => ms(times?.[key])),
          ...[number(rps), failures > 0 ? number((failures / requests) * rps) : '0'],
          ...[...timesAt(times, LOCUST), ms(times?.max)],
        ]),
      ),
    ),
    '',
    '</details>',
    '',
    ...(errors.length === 0
      ? ['Errors by endpoint and kind: none.']
      : table(
          ['errors', 'endpoint', 'kind', 'count'],
          errors.map((error) => [error.variant, error.endpoint, error.kind, count(error.count)]),
        )),
  ];
}

const DISTURBED =
  '**Disturbed**: other work took much of these CPUs while this was measured. The table shows that each server does its work. Do not rely on the numbers.';

/** The percentiles of the articles' tables, in their order. */
const RAMP = [99, 98, 95, 90, 85, 80, 75, 50];
const LOCUST = [50, 66, 75, 80, 90, 95, 98, 99, 99.9, 99.99];

/** As the article did: the slowest two of five left out, the others averaged. */
export function bestOf(runs: readonly number[]): number {
  const kept = Math.max(1, runs.length - 2);
  return mean([...runs].sort((a, b) => b - a).slice(0, kept));
}

function bestRps(row: Row | undefined): string {
  if (!row?.runs?.length) return NOTHING;
  if (row.flaw !== null) return row.flaw === BOUND ? atLeast(bestOf(row.runs)) : NOTHING;
  return number(bestOf(row.runs));
}

function describeRun(run: Run): string[] {
  const { guards, instances, loads, servers } = run;
  const of = (n: number, what: string) => (n > 0 ? [`${what} in ${n}`] : []);
  const disturbances = [
    ...of(guards.foreignCpu, "other processes' CPU"),
    ...of(guards.steal, 'stolen time'),
    ...of(guards.stall, 'a stall'),
  ];
  const where = [run.machine, run.cpus, `PHP ${run.php}`].map(escapeMarkdown);
  const named = Object.entries(servers).map(([label, server]) => escapeMarkdown(`${label}: ${server}`));
  return [
    `${run.date}, ${run.tool}. ${where.join('; ')}. Servers: ${named.join('; ')}.`,
    `Load: ${unique(Object.values(loads)).join('; ')}, in ${plural(instances, 'fresh start')}, seed ${run.seed}; ${duration(run.loadSeconds)} of load in ${duration(run.wallSeconds)}.`,
    `Disturbances in ${plural(guards.slices, 'slice')}: ${disturbances.join(', ') || 'none'}. Warnings: ${run.warnings.map((code) => `\`${code}\``).join(', ') || 'none'}.`,
  ];
}

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (texts: readonly string[]) => `| ${texts.map(escapeMarkdown).join(' | ')} |`;
  return [line(heads), `| :-- |${' --: |'.repeat(heads.length - 1)}`, ...rows.map(line)];
}

function cells(name: string, { flaw }: Row, found: readonly string[]): string[] {
  return [name, ...(flaw === null ? found : found.map(() => NOTHING))];
}

function timesAt(times: Times | null, percents: readonly number[]): string[] {
  return percents.map((p) => ms(times?.[String(p)]));
}

function number(found: number | null | undefined): string {
  return ms(found);
}

function value(found: Value | null): string {
  if (found === null) return NOTHING;
  const { value, half } = withHalf(found);
  return half === '' ? value : `${value} ± ${half}`;
}

export function sustained(found: Row['holds']): string {
  if (found?.kind === 'beyond') return atLeast(found.value);
  if (found?.kind === 'below') return `< ${digits(found.value)}`;
  return value(found);
}

function verdict(found: Against | undefined): string {
  if (found?.ratio == null) return NOTHING;
  const { ratio, low, high } = found;
  const told = change(ratio, low === null || high === null ? null : { low, high });
  return `${told.value}${told.interval && ` (${told.interval})`} ${found.verdict.replace('-', ' ')}`;
}

export function isAt(variant: string, scenario: string) {
  return (row: Pick<Row, 'variant' | 'scenario'>) => row.variant === variant && row.scenario === scenario;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
