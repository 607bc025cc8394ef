import type { EndpointRow, PooledLatency, Row, ScenarioSummary, Summary } from '../analyse/summary.ts';
import type { Variant } from '../results/results.ts';
import { percent } from '../text/percent.ts';
import { cut, plural } from '../text/plain.ts';
import { type Tried, triedOf } from './capacity.ts';
import { checkedLines } from './checked.ts';
import { renderComparisons } from './comparisons.ts';
import { code, codeBlock, escapeHtml, escapeMarkdown } from './escape.ts';
import { answerText, logText } from './evidence.ts';
import { type Column, folded, table } from './markup.ts';
import { bytes, count, digits, duration, ms, NOTHING, share } from './numbers.ts';
import { renderScripted } from './scriptdetails.ts';
import { type Start, startsLegend, startsOf } from './starts.ts';
import { withUpTo } from './upto.ts';
import { commandsOf, DOUBTFUL, machineFacts, overhead, placeRule, seedsOf, startedAfresh } from './words.ts';

/** Of each variant's errors these many are shown with a body, cut to so many characters. */
const SAMPLES = 5;
const SAMPLE_CHARACTERS = 500;
const LOG_LINES = 30;
const LOG_CHARACTERS = 4000;

/** Everything below the tables, folded: percentiles, endpoints, errors, warnings, machine, method. */
export function renderDetails(summary: Summary, stage: 'full' | 'folded'): string {
  const { scenarios } = summary;
  const several = scenarios.length > 1;
  const perScenario = (title: string, render: (scenario: ScenarioSummary) => string) =>
    scenarios.map((scenario) => {
      const body = render(scenario);
      return body && folded(several ? `${title}: ${escapeHtml(scenario.facts.name)}` : title, body);
    });
  return [
    summary.warnings.length > 0 ? folded(plural(summary.warnings.length, 'warning'), warnings(summary)) : '',
    ...perScenario('All that was compared, and how it was decided', (scenario) =>
      renderComparisons(scenario, summary, stage === 'full'),
    ),
    ...perScenario('All percentiles and resources', percentiles),
    ...perScenario('Rates tried for the capacity', tried),
    ...(stage === 'full' ? perScenario('Endpoints', endpoints) : []),
    ...(stage === 'full' ? perScenario('Errors', errors) : []),
    ...(stage === 'full' ? perScenario('Checks, thresholds and metrics of the script', renderScripted) : []),
    stage === 'full' ? logs(summary) : '',
    coldStarts(summary),
    folded('Environment', environment(summary)),
    folded('How this was measured, and how to repeat it', method(summary)),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function warnings(summary: Summary): string {
  return summary.warnings
    .map(({ code: name, message, remedy }) => {
      return `- **${escapeMarkdown(name)}**: ${escapeMarkdown(message)}. *Remedy:* ${escapeMarkdown(remedy)}.`;
    })
    .join('\n');
}

const POINTS = [50, 66, 75, 80, 85, 90, 95, 98, 99, 99.9, 99.99] as const;

function at(latency: PooledLatency | null, p: number): string {
  return ms(latency?.percentiles.find((point) => point.p === p)?.ms);
}

/** Response times in ms from pooled samples, then what else is known of each variant. */
function percentiles({ rows, bases }: ScenarioSummary): string {
  const measured = [...rows, ...bases].filter((row) => row.latency);
  if (measured.length === 0) return '';
  const right = (title: string, cell: (row: Row) => string): Column<Row> => ({ title, right: true, cell });
  const variant: Column<Row> = { title: 'Variant', cell: (row) => code(row.label) };
  const timed = measured.flatMap((row) => withUpTo(row));
  type Timed = (typeof timed)[number];
  const ofTimes = (title: string, cell: (row: Timed) => string): Column<Timed> => ({
    title,
    right: true,
    cell,
  });
  const times = table<Timed>(
    [
      { title: 'Variant', cell: ({ label, upTo }) => `${code(label)}${upTo}` },
      ofTimes('min', (row) => ms(row.latency?.minMs)),
      ofTimes('average', (row) => ms(row.latency?.avgMs)),
      ...POINTS.map((p) => ofTimes(`${p} %`, (row) => at(row.latency, p))),
      ofTimes('max', (row) => ms(row.latency?.maxMs)),
      ...(timed.some(({ upTo }) => upTo)
        ? [ofTimes('OK', (row) => share(row.okRatio).replace('<', '&lt;'))]
        : []),
      ofTimes('p99 of the starts', (row) => range(row.p99?.range)),
    ],
    timed,
  );
  const rest = table(
    [
      variant,
      right('requests', (row) => count(row.requests)),
      right('OK', (row) => count(row.okCount)),
      right('dropped', (row) => count(row.dropped)),
      right('interrupted', (row) => count(row.interrupted)),
      right('slices', slices),
      right('server CPU', (row) => (row.cpuBusyRatio === null ? NOTHING : percent(row.cpuBusyRatio))),
      right('k6 CPU', (row) => (row.generatorBusyRatio === null ? NOTHING : percent(row.generatorBusyRatio))),
      right('memory max', (row) => (row.memory ? bytes(row.memory.maxBytes) : NOTHING)),
      right('processes', (row) => (row.processes ? count(row.processes.max) : NOTHING)),
      right('cold start ms', (row) => ms(row.coldStartMs)),
    ],
    measured,
  );
  return `Response time, ms:\n\n${times}\n\n${rest}`;
}

function range(found: { low: number; high: number } | null | undefined): string {
  return found ? `${digits(found.low)}–${digits(found.high)}` : NOTHING;
}

function slices({ slices: found }: Row): string {
  const others = [
    found.failed > 0 ? `${found.failed} failed` : '',
    found.void > 0 ? `${found.void} void` : '',
    found.generatorBound > 0 ? `${found.generatorBound} generator-bound` : '',
  ].filter(Boolean);
  return [String(found.ok), ...others].join(', ');
}

/** A row per variant and rate, in the order in which they were tried. */
function tried(scenario: ScenarioSummary): string {
  const lines = triedOf(scenario);
  if (lines.length === 0) return '';
  const right = (title: string, cell: (line: Tried) => string): Column<Tried> => ({
    ...{ title, right: true, cell },
  });
  return table<Tried>(
    [
      { title: 'Variant', cell: ({ label }) => code(label) },
      right('offered, rps', ({ offered }) => offered),
      right('answered in time', ({ served }) => served),
      right('OK', ({ ok }) => ok.replace('<', '&lt;')),
      right('p50 ms', ({ p50 }) => p50),
      right('p95', ({ p95 }) => p95),
      right('p99', ({ p99 }) => p99),
      right('dropped', ({ dropped }) => dropped),
      { title: 'held', cell: ({ held }) => escapeMarkdown(held) },
    ],
    lines,
  );
}

/** A row per variant and endpoint, and one for all its endpoints together. */
function endpoints({ rows, bases }: ScenarioSummary): string {
  const lines = [...rows, ...bases].flatMap((row) => {
    // With one endpoint the sum says it all over again.
    const own = row.endpoints.length === 2 ? row.endpoints.slice(0, 1) : row.endpoints;
    return own.map((endpoint, i) => ({
      ...endpoint,
      label: row.label,
      isSum: i > 0 && i === own.length - 1,
    }));
  });
  if (lines.length === 0) return '';
  type Line = EndpointRow & { label: string; isSum: boolean };
  const right = (title: string, cell: (line: Line) => string): Column<Line> => ({ title, right: true, cell });
  return table<Line>(
    [
      { title: 'Variant', cell: (line) => code(line.label) },
      { title: 'Endpoint', cell: (line) => (line.isSum ? '**Aggregated**' : code(line.name)) },
      right('requests', (line) => count(line.requests)),
      right('failures', (line) => count(line.failures)),
      right('median ms', (line) => at(line.latency, 50)),
      right('average', (line) => ms(line.latency?.avgMs)),
      right('min', (line) => ms(line.latency?.minMs)),
      right('max', (line) => ms(line.latency?.maxMs)),
      right('bytes', (line) =>
        line.bytesPerResponse === null ? NOTHING : count(Math.round(line.bytesPerResponse)),
      ),
      right('requests/s', (line) => digits(line.rps)),
      right('failures/s', (line) => (line.failures === 0 ? '0' : digits(line.failuresPerSecond))),
      ...POINTS.map((p) => right(`${p} %`, (line) => at(line.latency, p))),
      right('100 %', (line) => ms(line.latency?.maxMs)),
    ],
    lines,
  );
}

function errors({ rows, bases }: ScenarioSummary): string {
  const all = [...rows, ...bases];
  const lines = all.flatMap((row) => row.errors.map((error) => ({ ...error, label: row.label })));
  if (lines.length === 0) return '';
  const counts = table(
    [
      { title: 'Variant', cell: (line) => code(line.label) },
      { title: 'Endpoint', cell: (line) => code(line.endpoint) },
      { title: 'Kind', cell: (line) => code(line.kind) },
      { title: 'Count', right: true, cell: (line) => count(line.count) },
    ],
    lines,
  );
  const samples = all.flatMap((row) =>
    row.errors
      .filter(({ sample, answer, log }) => sample || answer || log)
      .slice(0, SAMPLES)
      .map((error) => {
        const title = `First ${code(error.kind)} of ${code(row.label)} at ${code(error.endpoint)}:`;
        const text = error.answer ? answerText(error.answer) : cut(error.sample ?? '', SAMPLE_CHARACTERS);
        const log = error.log ? `\n\nWhat it has logged meanwhile:\n\n${codeBlock(logText(error.log))}` : '';
        return `${title}\n\n${codeBlock(text)}${log}`;
      }),
  );
  return [counts, ...samples].join('\n\n');
}

function logs({ variants }: Summary): string {
  const failed = variants.filter(({ failure }) => failure?.answer || failure?.log.trim());
  if (failed.length === 0) return '';
  const bodies = failed.map(({ label, failure }) => {
    const lines = (failure?.log ?? '').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
    const log = lines.trim() ? `\n\n${codeBlock(lines.slice(-LOG_CHARACTERS))}` : '';
    const answer = failure?.answer ? ` it answered\n\n${codeBlock(answerText(failure.answer))}` : '';
    return `${code(label)}:${answer}${answer && log && '\n\nand logged'}${log}`;
  });
  return folded('Answers and logs of what failed', bodies.join('\n\n'));
}

function coldStarts({ variants }: Summary): string {
  const starts = startsOf(variants);
  if (starts.length === 0) return '';
  const right = (title: string, cell: (start: Start) => string): Column<Start> => ({
    ...{ title, right: true, cell },
  });
  const lines = table(
    [
      { title: 'Variant', cell: ({ label }) => code(label) },
      right('median', (start) => start.median),
      right('mean', (start) => start.mean),
      right('range', ({ range: found }) => found),
      right('starts', (start) => start.starts),
      right('image', (start) => start.size),
      right('build', (start) => start.build),
    ],
    starts,
  );
  const legend = startsLegend(variants);
  return folded('Cold starts', `${escapeMarkdown(legend.replace(/^f/, 'F'))}:\n\n${lines}`);
}

function environment(summary: Summary): string {
  const machine = table<[string, string]>(
    [
      { title: '', cell: ([name]) => name },
      { title: '', cell: ([, value]) => escapeMarkdown(value) },
    ],
    machineFacts(summary),
  );
  return `${machine}\n\n${table(variantColumns, summary.variants)}`;
}

const variantColumns: Column<Variant>[] = [
  { title: 'Variant', cell: (variant) => code(variant.label) },
  { title: 'Id', cell: (variant) => code(variant.id) },
  {
    title: 'PHP',
    cell: ({ facts, php }) =>
      escapeMarkdown(facts ? `${facts.php} ${facts.sapi}${facts.zts ? ' ZTS' : ''}` : `${php} (not running)`),
  },
  { title: 'Server', cell: ({ facts }) => (facts ? escapeMarkdown(facts.server) : NOTHING) },
  { title: 'Opcache', cell: ({ facts }) => (facts ? (facts.opcache ? 'on' : '**off**') : NOTHING) },
  { title: 'JIT', cell: ({ facts }) => (facts ? escapeMarkdown(facts.jit) : NOTHING) },
  {
    title: 'Options',
    cell: ({ options }) =>
      code(
        Object.entries(options)
          .map(([name, value]) => `${name}=${value}`)
          .join(' '),
      ),
  },
  {
    title: 'Image',
    cell: ({ image }) => (image ? code(image.id.replace(/^(sha256:)?(.{12}).*$/, '$2')) : NOTHING),
  },
  { title: 'Size', right: true, cell: ({ image }) => (image ? bytes(image.sizeBytes) : NOTHING) },
  { title: 'Build', right: true, cell: ({ image }) => (image ? duration(image.buildSeconds) : NOTHING) },
  { title: 'Based on', cell: ({ image }) => (image ? image.bases.map(base).join(', ') : NOTHING) },
];

function base({ name, used, digest, id }: NonNullable<Variant['image']>['bases'][number]): string {
  const image = used === name ? code(name) : `${code(used)} in place of ${code(name)}`;
  const pinned = digest ?? id;
  return pinned ? `${image} ${code(pinned.replace(/^(sha256:)?(.{12}).*$/, '$2'))}` : image;
}

/** What the servers answered before the load. */
function checked(summary: Summary): string {
  const lines = checkedLines(summary.checked, summary.variants).map((line) => `- ${escapeMarkdown(line)}`);
  return lines.length > 0 ? `Checked before the load:\n\n${lines.join('\n')}\n\n` : '';
}

function method(summary: Summary): string {
  const { run, scenarios } = summary;
  const loads = scenarios.map(({ facts }) => {
    const warmup =
      facts.warmupMs > 0
        ? `after ${duration(facts.warmupMs / 1000)} of warm-up that is not counted`
        : 'without warm-up';
    return `- ${code(facts.name)}: journey ${code(facts.journey)}, load ${code(facts.load)} in each of ${plural(facts.blocks, 'block')} per start, ${warmup}; timeout ${duration(facts.timeoutMs / 1000)}${facts.reuse ? '' : '; a new connection for each request'}.`;
  });
  return `Every server was started afresh ${startedAfresh(summary)}. A block is one slice of load on every variant, one after the other or in turns, in random order (${seedsOf(run)}); blocks do not overlap.

${loads.join('\n')}

${checked(summary)}${overhead(summary)}${run.stopped ? `; stopped by ${code(run.stopped)} before the plan was done` : ''}.

${codeBlock(commandsOf(run), 'sh')}

How each number was got, and how sure it is:

- **RPS**: answers per second, mean of the starts' means. **±**: 95 % t interval over the starts; with one start over its slices. *≥*: the load generator was the limit, the server can do more.
- **p50, p95, p99**: from all requests of a variant pooled (histograms with buckets of 1 %), never averaged. *\\~*: ${DOUBTFUL}.
- **OK**: share of right answers; timeouts, resets and wrong bodies count against it. Below the scenario's limit (99 % if none is given) a variant is not ranked.
- **CPU ms/request**: CPU time of the server's container during its slices ÷ requests. It hardly depends on the load generator.
- **#**: 1 + the number of variants that are surely better, ${placeRule(summary)}. *=*: shared.

Run ${code(run.id)}, ${escapeMarkdown(run.started)} to ${escapeMarkdown(run.finished)}.`;
}
