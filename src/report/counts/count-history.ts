import type { CountTrend } from '../../history/count-trend.ts';
import { describeCount } from '../../results/count-names.ts';
import { code, escapeMarkdown } from '../format/escape.ts';
import { type MarkdownColumn, table } from '../format/markup.ts';
import { type Html, html, name } from '../html/html.ts';
import { NOTHING } from '../words/numbers.ts';
import { countAmount } from './count-words.ts';

/** So many changes of a count are told, the newest. */
const TOLD = 10;

const titleOf = (trend: CountTrend) => describeCount(trend.name).title;

function nowOf({ points, name }: CountTrend): string {
  const last = points.at(-1);
  return last ? countAmount(last.value, name) : NOTHING;
}

/** `2026-03-16 at c10`, `3 → 14` */
function changesOf({ points, changes, name }: CountTrend) {
  return changes.slice(-TOLD).map((at) => {
    const [before, now] = [points[at - 1], points[at]] as [
      CountTrend['points'][number],
      CountTrend['points'][number],
    ];
    const both = `${countAmount(before.value, name)} → ${countAmount(now.value, name)}`;
    return { date: now.date.slice(0, 10), commit: now.commit?.slice(0, 10) ?? null, both };
  });
}

/** Counts per request from run to run, as Markdown; empty where none were kept. */
export function renderCountHistory(
  trends: readonly CountTrend[],
  drawn: (values: readonly number[]) => string,
): string {
  if (trends.length === 0) return '';
  const columns: MarkdownColumn<CountTrend>[] = [
    { title: 'Variant', cell: ({ variant }) => code(variant) },
    { title: 'Scenario', cell: ({ scenario, load }) => `${code(scenario)} ${escapeMarkdown(load)}` },
    { title: 'Count', cell: (trend) => escapeMarkdown(titleOf(trend)) },
    { title: 'Trend', cell: ({ points }) => drawn(points.map(({ value }) => value)) },
    { title: 'Runs', right: true, cell: ({ points }) => String(points.length) },
    { title: 'Now', right: true, cell: nowOf },
    {
      title: 'Changes',
      cell: (trend) =>
        changesOf(trend)
          .map(
            ({ date, commit, both }) => `${date}${commit === null ? '' : ` at ${code(commit)}`}: **${both}**`,
          )
          .join('<br>') || NOTHING,
    },
  ];
  return `Counts per request, on whatever machine:\n\n${table(columns, trends)}`;
}

/** The same for the page. */
export function renderCountHistoryPage(trends: readonly CountTrend[]): Html | false {
  if (trends.length === 0) return false;
  const list = (trend: CountTrend) =>
    changesOf(trend).map(
      ({ date, commit, both }) =>
        html`<li>${date}${commit !== null && html` at ${name(commit)}`}: <strong>${both}</strong></li>`,
    );
  return html`<h2>Counts per request</h2>
<p class="more">On whatever machine. A number that is constant within its runs needs no interval.</p>
<div class="scroll" role="region" tabindex="0" aria-label="Counts per request"><table class="rows">
<thead><tr><th scope="col" class="text">Variant</th><th scope="col" class="text">Scenario</th><th scope="col" class="text">Count</th><th scope="col" class="number">Runs</th><th scope="col" class="number">Now</th><th scope="col" class="text">Changes</th></tr></thead>
<tbody>${trends.map(
    (trend) =>
      html`<tr><th scope="row" class="text">${name(trend.variant)}</th><td class="text">${name(trend.scenario)}</td><td class="text">${titleOf(trend)}</td><td class="number">${trend.points.length}</td><td class="number main">${nowOf(trend)}</td><td class="text"><ul>${list(trend)}</ul></td></tr>\n`,
  )}</tbody></table></div>`;
}
