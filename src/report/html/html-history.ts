import type { CountTrend } from '../../history/count-trend.ts';
import type { History } from '../../history/file.ts';
import type { Trend } from '../../history/trend-model.ts';
import { plural } from '../../text/plain.ts';
import {
  brokenLines,
  COUNT_HISTORY_METHOD,
  changeLines,
  countHistory,
  HISTORY_METHOD,
  nameApart,
  nowOf,
  runGrid,
  trendName,
  trendTables,
} from '../view/sections/history-section.ts';
import { digits } from '../words/numbers.ts';
import { type Html, html, name } from './html.ts';
import { renderPage } from './html-shell.ts';
import { gridHtml, textHtml } from './sections.ts';

/** How each variant went on, as one page without a script. */
export function renderHistoryPage(
  trends: readonly Trend[],
  { corrupt }: Pick<History, 'corrupt'>,
  counts: readonly CountTrend[] = [],
): string {
  const title = 'History of benchmarks';
  const body = html`<main id="report">
<h1>${title}</h1>
${trends.length + counts.length === 0 && html`<p>The history has no measurements.</p>`}
${trendTables(trends).map(({ title, trends }) => html`<h2 dir="auto">${textHtml(title)}</h2>${trends.map(renderTrend)}`)}
${trends.length > 0 && html`<p class="note">${HISTORY_METHOD}</p>`}
${
  counts.length > 0 &&
  html`<h2>Counts per request</h2>
<p class="more">On whatever machine. A number that is constant within its runs needs no interval.</p>
${gridHtml(countHistory(counts))}
<p class="note">${COUNT_HISTORY_METHOD}</p>`
}
${brokenLines(corrupt).map((line) => html`<p class="note" dir="auto">${textHtml(line)}</p>`)}
</main>`;
  return [...renderPage({ title, body: [body] })].join('');
}

function renderTrend(trend: Trend): Html {
  const { variant, scenario, load, apart, points } = trend;
  const title = html`${name(variant)}, ${name(scenario)}: ${trendName(trend)}`;
  const changes = changeLines(trend);
  const machines = machinesOf(trend);
  return html`<section class="card trend"><h3>${title}</h3>
<p class="more">${load}${textHtml(nameApart(apart))} · ${plural(points.length, 'run')}${machines.length > 1 && ` on ${machines.length} kinds of machine`} · now ${nowOf(trend)}</p>
${draw(trend)}
${machines.length > 1 && html`<p class="note">Filled: on ${name(machines[0] as string)}; hollow: on other kinds. What differs between them is no change.</p>`}
${changes.length > 0 ? html`<ul>${changes.map((line) => html`<li>${textHtml(line)}</li>`)}</ul>` : html`<p>No change that is sure.</p>`}
<details><summary>The numbers</summary>${gridHtml(runGrid(trend))}</details></section>
`;
}

/** The one that most runs were on first. */
function machinesOf({ points }: Trend): string[] {
  const runsOn = (machine: string) => points.filter((point) => point.machine === machine).length;
  return [...new Set(points.map(({ machine }) => machine))].sort((a, b) => runsOn(b) - runsOn(a));
}

const [WIDTH, HEIGHT, EDGE, BELOW] = [720, 160, 12, 24];

/** Points with their intervals by number of run, and a line for each level. From zero the changes would hardly show. */
function draw(trend: Trend): Html {
  const { points, levels, changes } = trend;
  const [commonest] = machinesOf(trend);
  const ends = points.flatMap(({ value, half }) => [value - (half ?? 0), value + (half ?? 0)]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const span = Math.max(high - low, 0.02 * high);
  const x = (i: number) => (EDGE + ((i + 0.5) / points.length) * (WIDTH - 2 * EDGE)).toFixed(1);
  const y = (value: number) =>
    (HEIGHT - EDGE - ((value - (low + high - span) / 2) / span) * (HEIGHT - 2 * EDGE)).toFixed(1);
  const starts = [0, ...changes.map(({ at }) => at), points.length];
  const edge = (i: number) => (EDGE + (i / points.length) * (WIDTH - 2 * EDGE)).toFixed(1);
  const dayOf = (i: number) => points.at(i)?.date.slice(0, 10);
  const label = `${trendName(trend)} of ${plural(points.length, 'run')}, between ${digits(low)} and ${digits(high)}; ${plural(changes.length, 'change')}`;
  return html`<svg class="trend" viewBox="0 0 ${WIDTH} ${HEIGHT + BELOW}" role="img" aria-label="${label}">
<text x="${EDGE}" y="${EDGE}">${digits(high)}</text><text x="${EDGE}" y="${HEIGHT - 2}">${digits(low)}</text>
<text x="${EDGE}" y="${HEIGHT + BELOW - 4}">${dayOf(0)}</text><text x="${WIDTH - EDGE}" y="${HEIGHT + BELOW - 4}" text-anchor="end">${dayOf(-1)}</text>
${changes.map(({ at }) => html`<line class="change" x1="${edge(at)}" x2="${edge(at)}" y1="0" y2="${HEIGHT}"/>`)}
${levels.map((level, i) => html`<line class="level" x1="${edge(starts[i] as number)}" x2="${edge(starts[i + 1] as number)}" y1="${y(level)}" y2="${y(level)}"/>`)}
${points.map(
  ({ value, half, date, machine }, i) =>
    html`${half !== null && html`<line class="half" x1="${x(i)}" x2="${x(i)}" y1="${y(value - half)}" y2="${y(value + half)}"/>`}<circle${machine !== commonest && html` class="other"`} cx="${x(i)}" cy="${y(value)}" r="3"><title>${date.slice(0, 10)}: ${digits(value)}, ${machine}</title></circle>`,
)}
</svg>`;
}
