import type { CountTrend } from '../../history/count-trend.ts';
import type { History } from '../../history/file.ts';
import type { Trend } from '../../history/trend-model.ts';
import { plural } from '../../text/plain.ts';
import { renderCountHistoryPage } from '../counts/count-history.ts';
import { HISTORY_METHOD, nowOf, sectionsOf, TREND_NAMES, type TrendSection, tellChange } from '../history.ts';
import { digits, NOTHING } from '../words/numbers.ts';
import { type Html, html, name } from './html.ts';
import { renderPage } from './shell.ts';

/** How each variant went on, as one page without a script. */
export function renderHistoryPage(
  trends: readonly Trend[],
  { corrupt }: Pick<History, 'corrupt'>,
  counts: readonly CountTrend[] = [],
): string {
  const title = 'History of benchmarks';
  const body = html`<main id="report">
<h1>${title}</h1>
${trends.length === 0 && html`<p>The history has no measurements.</p>`}
${sectionsOf(trends).map(renderSection)}
${renderCountHistoryPage(counts)}
<p class="note">${HISTORY_METHOD}</p>
${corrupt.length > 0 && html`<p class="note">${plural(corrupt.length, 'line')} of the history could not be read: ${corrupt.map(({ line }) => line).join(', ')}.</p>`}
</main>`;
  return [...renderPage({ title, body: [body] })].join('');
}

function renderSection({ reference, machine, trends }: TrendSection): Html {
  const title =
    reference === null ? html`On ${name(machine)}` : html`Beside ${name(reference)}, on whatever machine`;
  return html`<h2>${title}</h2>
${reference !== null && html`<p class="more">Each number ÷ that of ${name(reference)} in the same run.</p>`}
${trends.map(renderTrend)}`;
}

function renderTrend(trend: Trend): Html {
  const { variant, scenario, load, metric, points, changes } = trend;
  const title = html`${name(variant)}, ${name(scenario)}: ${TREND_NAMES[metric]}`;
  const list = changes.map((change) => {
    const { date, commit } = points[change.at] as Trend['points'][number];
    const { whose, value, range, doubt } = tellChange(change);
    return html`<li>${date.slice(0, 10)}${commit !== null && html` at ${name(commit.slice(0, 10))}`}: ${whose}<strong>${value}</strong>${range}${doubt}</li>`;
  });
  const machines = machinesOf(trend);
  return html`<section class="card trend"><h3>${title}</h3>
<p class="more">${load} · ${plural(points.length, 'run')}${machines.length > 1 && ` on ${machines.length} kinds of machine`} · now ${nowOf(trend)}</p>
${draw(trend)}
${machines.length > 1 && html`<p class="note">Filled: on ${name(machines[0] as string)}; hollow: on other kinds. What differs between them is no change.</p>`}
${list.length > 0 ? html`<ul>${list}</ul>` : html`<p>No change that is sure.</p>`}
<details><summary>The numbers</summary><div class="scroll" role="region" tabindex="0" aria-label="Numbers"><table class="rows">
<thead><tr><th scope="col" class="text">Run</th><th scope="col" class="text">Commit</th><th scope="col" class="text">Machine</th><th scope="col" class="number">${TREND_NAMES[metric]}</th><th scope="col" class="number">±</th></tr></thead>
<tbody>${points.map(
    ({ date, commit, machine, value, half }) =>
      html`<tr><th scope="row" class="text">${date.slice(0, 16).replace('T', ' ')}</th><td class="text">${commit === null ? NOTHING : name(commit.slice(0, 10))}</td><td class="text">${name(machine)}</td><td class="number main">${digits(value)}</td><td class="number">${half === null ? NOTHING : digits(half)}</td></tr>\n`,
  )}</tbody></table></div></details></section>
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
  const { points, levels, changes, metric } = trend;
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
  const label = `${TREND_NAMES[metric]} of ${plural(points.length, 'run')}, between ${digits(low)} and ${digits(high)}; ${plural(changes.length, 'change')}`;
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
