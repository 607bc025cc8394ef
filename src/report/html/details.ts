import type { EndpointRow, PooledLatency, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { Variant } from '../../results/results.ts';
import { percent } from '../../text/percent.ts';
import { cut, plural } from '../../text/plain.ts';
import { type Tried, triedOf } from '../capacity.ts';
import { checkedLines } from '../checked.ts';
import { answerText, logText } from '../evidence.ts';
import { bytes, count, digits, duration, ms, NOTHING, share } from '../numbers.ts';
import { type Start, startsLegend, startsOf } from '../starts.ts';
import { type Timed, withUpTo } from '../upto.ts';
import { commandsOf, DOUBTFUL, machineFacts, overhead, placeRule, seedsOf, startedAfresh } from '../words.ts';
import type { Numbers } from './charts.ts';
import { type Html, html, name } from './html.ts';

const SAMPLES = 5;
const SAMPLE_CHARACTERS = 500;
const POINTS = [50, 66, 75, 80, 85, 90, 95, 98, 99, 99.9, 99.99] as const;

type Cell = Html | string;
export interface Column<T> {
  title: Cell;
  text?: boolean;
  /** Of many words: as wide as reading them takes. */
  long?: boolean;
  cell: (item: T) => Cell;
}

/** A table of its own, with the rows that `variant` tells of hidden with it. */
export function table<T>(
  caption: string,
  columns: readonly Column<T>[],
  items: readonly T[],
  variantOf: (item: T) => number | undefined,
): Html {
  const kind = ({ text, long }: Column<T>) => `${text ? 'text' : 'number'}${long ? ' long' : ''}`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table class="rows">
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col" class="${kind(column)}">${column.title}</th>`)}</tr></thead>
<tbody>${items.map(
    (item) =>
      html`<tr data-variant="${variantOf(item)}">${columns.map((column, i) =>
        i === 0
          ? html`<th scope="row" class="${kind(column)} variant">${column.cell(item)}</th>`
          : html`<td class="${kind(column)}">${column.cell(item)}</td>`,
      )}</tr>\n`,
  )}</tbody></table></div>`;
}

export function folded(title: string, body: Html): Html {
  return html`<details><summary>${title}</summary>${body}</details>`;
}

/** How long fresh containers took to their first answer; nothing where that was not timed by itself. */
export function renderStarts({ variants }: Summary, numbers: Numbers): Html | null {
  const starts = startsOf(variants);
  if (starts.length === 0) return null;
  const columns: Column<Start>[] = [
    { title: 'Variant', text: true, cell: ({ label }) => name(label) },
    { title: html`median <small>ms</small>`, cell: (start) => start.median },
    { title: html`mean <small>ms</small>`, cell: (start) => start.mean },
    { title: html`range <small>ms</small>`, cell: (start) => start.range },
    { title: 'starts', cell: (start) => start.starts },
    { title: 'image', cell: (start) => start.size },
    { title: 'build', cell: (start) => start.build },
  ];
  return html`${table('Cold starts', columns, starts, ({ variant }) => numbers.get(variant))}
<p class="legend-line">${startsLegend(variants)}</p>`;
}

/** Percentiles, rates that were tried, endpoints and errors of a scenario, folded. */
export function renderScenarioDetails(scenario: ScenarioSummary, numbers: Numbers): Html {
  return html`${percentiles(scenario, numbers)}${tried(scenario, numbers)}${endpoints(scenario, numbers)}${errors(scenario, numbers)}`;
}

function at(latency: PooledLatency | null, p: number): string {
  return ms(latency?.percentiles.find((point) => point.p === p)?.ms);
}

function percentiles({ rows, bases }: ScenarioSummary, numbers: Numbers): Html {
  const measured = [...rows, ...bases].filter((row) => row.latency);
  if (measured.length === 0) return html``;
  type Item = (typeof measured)[number];
  const ratio = (value: number | null) => (value === null ? NOTHING : percent(value));
  const columns: Column<Timed>[] = [
    { title: 'Variant', text: true, cell: ({ label, upTo }) => html`${name(label)}${upTo}` },
    { title: 'min', cell: (row) => ms(row.latency?.minMs) },
    { title: 'average', cell: (row) => ms(row.latency?.avgMs) },
    ...POINTS.map((p) => ({ title: `${p} %`, cell: (row: Timed) => at(row.latency, p) })),
    { title: 'max', cell: (row) => ms(row.latency?.maxMs) },
    { title: 'right', cell: (row) => share(row.okRatio) },
    {
      title: 'p99 of the starts',
      cell: ({ p99 }) => (p99?.range ? `${digits(p99.range.low)}–${digits(p99.range.high)}` : NOTHING),
    },
  ];
  const rest: Column<Item>[] = [
    { title: 'Variant', text: true, cell: (row) => name(row.label) },
    { title: 'requests', cell: (row) => count(row.requests) },
    { title: 'right', cell: (row) => count(row.okCount) },
    { title: 'dropped', cell: (row) => count(row.dropped) },
    { title: 'interrupted', cell: (row) => count(row.interrupted) },
    { title: 'slices good', cell: (row) => count(row.slices.ok) },
    { title: 'failed', cell: (row) => count(row.slices.failed) },
    { title: 'void', cell: (row) => count(row.slices.void) },
    { title: 'generator-bound', cell: (row) => count(row.slices.generatorBound) },
    { title: 'server CPU', cell: (row) => ratio(row.cpuBusyRatio) },
    { title: 'k6 CPU', cell: (row) => ratio(row.generatorBusyRatio) },
    { title: 'memory max', cell: (row) => (row.memory ? bytes(row.memory.maxBytes) : NOTHING) },
    { title: 'processes', cell: (row) => (row.processes ? count(row.processes.max) : NOTHING) },
  ];
  const variantOf = ({ variant }: { variant: string }) => numbers.get(variant);
  return folded(
    'All percentiles and resources',
    html`${table('Response time, ms', columns, measured.flatMap(withUpTo), variantOf)}${table('Counts and resources', rest, measured, variantOf)}`,
  );
}

function tried(scenario: ScenarioSummary, numbers: Numbers): Html {
  const lines = triedOf(scenario);
  if (lines.length === 0) return html``;
  const columns: Column<Tried>[] = [
    { title: 'Variant', text: true, cell: ({ label }) => name(label) },
    { title: html`offered <small>rps</small>`, cell: ({ offered }) => offered },
    { title: html`answered in time <small>rps</small>`, cell: ({ served }) => served },
    { title: 'right', cell: ({ ok }) => ok },
    { title: html`p50 <small>ms</small>`, cell: ({ p50 }) => p50 },
    { title: html`p95 <small>ms</small>`, cell: ({ p95 }) => p95 },
    { title: html`p99 <small>ms</small>`, cell: ({ p99 }) => p99 },
    { title: 'dropped', cell: ({ dropped }) => dropped },
    { title: 'held', text: true, cell: ({ held }) => held },
  ];
  const title = 'Rates tried for the capacity';
  return folded(
    title,
    table(title, columns, lines, ({ variant }) => numbers.get(variant)),
  );
}

function endpoints({ rows, bases }: ScenarioSummary, numbers: Numbers): Html {
  type Item = EndpointRow & { variant: string; label: string; isSum: boolean };
  const items = [...rows, ...bases].flatMap((row): Item[] => {
    // With one endpoint the sum says it all over again.
    const own = row.endpoints.length === 2 ? row.endpoints.slice(0, 1) : row.endpoints;
    return own.map((endpoint, i) => ({
      ...endpoint,
      ...{ variant: row.variant, label: row.label, isSum: i > 0 && i === own.length - 1 },
    }));
  });
  if (items.length === 0) return html``;
  const columns: Column<Item>[] = [
    { title: 'Variant', text: true, cell: (item) => name(item.label) },
    {
      title: 'Endpoint',
      text: true,
      cell: (item) => (item.isSum ? html`<strong>Aggregated</strong>` : name(item.name)),
    },
    { title: 'requests', cell: (item) => count(item.requests) },
    { title: 'failures', cell: (item) => count(item.failures) },
    {
      title: 'bytes',
      cell: ({ bytesPerResponse }) =>
        bytesPerResponse === null ? NOTHING : count(Math.round(bytesPerResponse)),
    },
    { title: 'requests/s', cell: (item) => digits(item.rps) },
    {
      title: 'failures/s',
      cell: (item) => (item.failures === 0 ? '0' : digits(item.failuresPerSecond)),
    },
    { title: 'min', cell: (item) => ms(item.latency?.minMs) },
    { title: 'average', cell: (item) => ms(item.latency?.avgMs) },
    ...POINTS.map((p) => ({ title: `${p} %`, cell: (item: Item) => at(item.latency, p) })),
    { title: 'max', cell: (item) => ms(item.latency?.maxMs) },
  ];
  return folded(
    'Endpoints',
    table('Endpoints', columns, items, (item) => numbers.get(item.variant)),
  );
}

function errors({ rows, bases }: ScenarioSummary, numbers: Numbers): Html {
  const items = [...rows, ...bases].flatMap(({ variant, label, errors: found }) =>
    found.map((error, i) => ({
      ...error,
      variant,
      label,
      withSample: i < SAMPLES && (error.sample || error.answer || error.log),
    })),
  );
  if (items.length === 0) return html``;
  type Item = (typeof items)[number];
  const columns: Column<Item>[] = [
    { title: 'Variant', text: true, cell: (item) => name(item.label) },
    { title: 'Endpoint', text: true, cell: (item) => name(item.endpoint) },
    { title: 'Kind', text: true, cell: (item) => name(item.kind) },
    { title: 'Count', cell: (item) => count(item.count) },
  ];
  const samples = items
    .filter((item) => item.withSample)
    .map(
      ({ variant, label, kind, endpoint, sample, answer, log }) =>
        html`<div data-variant="${numbers.get(variant)}"><p>First ${name(kind)} of ${name(label)} at ${name(endpoint)}:</p>
<pre tabindex="0" dir="auto">${answer ? answerText(answer) : cut(sample ?? '', SAMPLE_CHARACTERS)}</pre>${
          log && html`<p>What it has logged meanwhile:</p><pre tabindex="0" dir="auto">${logText(log)}</pre>`
        }</div>`,
    );
  return folded(
    'Errors',
    html`${table('Errors', columns, items, (item) => numbers.get(item.variant))}${samples}`,
  );
}

/** Machine, versions, and what the variants are made of. */
export function renderEnvironment(summary: Summary, numbers: Numbers): Html {
  return html`<dl class="facts">${machineFacts(summary).map(([key, value]) => html`<div><dt>${key}</dt><dd dir="auto">${value}</dd></div>`)}</dl>
${table('Variants', variantColumns, summary.variants, ({ id }) => numbers.get(id))}`;
}

const short = (id: string) => id.replace(/^(sha256:)?(.{12}).*$/, '$2');

const variantColumns: Column<Variant>[] = [
  { title: 'Variant', text: true, cell: ({ label }) => name(label) },
  { title: 'Id', text: true, cell: ({ id }) => name(id) },
  {
    title: 'PHP',
    text: true,
    cell: ({ facts, php }) =>
      facts ? `${facts.php} ${facts.sapi}${facts.zts ? ' ZTS' : ''}` : `${php} (not running)`,
  },
  { title: 'Server', text: true, cell: ({ facts }) => facts?.server ?? NOTHING },
  {
    title: 'Opcache',
    text: true,
    cell: ({ facts }) => (facts ? (facts.opcache ? 'on' : html`<strong class="bad">off</strong>`) : NOTHING),
  },
  { title: 'JIT', text: true, cell: ({ facts }) => facts?.jit ?? NOTHING },
  {
    title: 'Options',
    text: true,
    long: true,
    cell: ({ options }) =>
      html`<code>${Object.entries(options)
        .map(([key, value]) => `${key}=${value}`)
        .join(' ')}</code>`,
  },
  {
    title: 'Image',
    text: true,
    cell: ({ image }) => (image ? html`<code>${short(image.id)}</code>` : NOTHING),
  },
  { title: 'Size', cell: ({ image }) => (image ? bytes(image.sizeBytes) : NOTHING) },
  { title: 'Build', cell: ({ image }) => (image ? duration(image.buildSeconds) : NOTHING) },
  {
    title: 'Based on',
    text: true,
    long: true,
    cell: ({ image }) =>
      image
        ? html`${image.bases.map(({ name: official, used, digest, id }, i) => {
            const pinned = digest ?? id;
            return html`${i > 0 ? ', ' : ''}${used === official ? name(official) : html`${name(used)} in place of ${name(official)}`}${pinned && html` <code>${short(pinned)}</code>`}`;
          })}`
        : NOTHING,
  },
];

/** How often what was loaded, how to do it again, and what the numbers mean. */
export function renderMethod(summary: Summary): Html {
  const { run, scenarios } = summary;
  const loads = scenarios.map(({ facts }) => {
    const warmup =
      facts.warmupMs > 0
        ? `after ${duration(facts.warmupMs / 1000)} of warm-up that is not counted`
        : 'without warm-up';
    return html`<li><code>${facts.name}</code>: journey <code>${facts.journey}</code>, load <code>${facts.load || 'of the script'}</code> in each of ${plural(facts.blocks, 'block')} per start, ${warmup}; timeout ${duration(facts.timeoutMs / 1000)}${facts.reuse ? '' : '; a new connection for each request'}.</li>`;
  });
  return html`<p>Every server was started afresh ${startedAfresh(summary)}. A block is one slice of load on every variant, one after the other or in turns, in random order (${seedsOf(run)}); blocks do not overlap.</p>
<ul>${loads}</ul>
${
  summary.checked.length > 0 &&
  html`<p>Checked before the load:</p>
<ul>${checkedLines(summary.checked, summary.variants).map((line) => html`<li dir="auto">${line}</li>`)}</ul>`
}
<p>${overhead(summary)}${run.stopped && html`; stopped by <code>${run.stopped}</code> before the plan was done`}.</p>
<p>To repeat it:</p>
<pre class="command" tabindex="0"><code>${commandsOf(run)}</code></pre>
<dl class="terms">
<dt>RPS</dt><dd>Answers per second, mean of the starts’ means. ≥: the load generator was the limit, the server can do more.</dd>
<dt>±</dt><dd>95 % t interval over the fresh starts; with one start over its slices.</dd>
<dt>p50, p95, p99</dt><dd>From all requests of a variant pooled (histograms with buckets of 1 %), never averaged. ~: ${DOUBTFUL}.</dd>
<dt>OK</dt><dd>Share of right answers; timeouts, resets and wrong bodies count against it. Below the scenario’s limit (99 % if none is given) a variant is not ranked.</dd>
<dt>CPU ms/request</dt><dd>CPU time of the server’s container during its slices ÷ requests. It hardly depends on the load generator.</dd>
<dt>#</dt><dd>1 + the number of variants that are surely better, ${placeRule(summary)}. =: shared.</dd>
</dl>
<p>Run <code>${run.id}</code>, ${run.started} to ${run.finished}.</p>`;
}
