import { leadsOf } from '../../analyse/judge/gates.ts';
import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { Comparison } from '../../results/results.ts';
import { cleanLine } from '../../text/plain.ts';
import { hasNumber } from '../view/answer/amounts.ts';
import { answerOf, checkOf, type Point, type ReportAnswer } from '../view/answer/answer.ts';
import { answerOfAll } from '../view/answer/merged-answer.ts';
import { type Medium, PLAIN_MARKS, shortCommit, THIS_CHANGE } from '../view/medium.ts';
import { compareTables, TOGETHER } from '../view/sections/comparisons.ts';
import type { Numbers } from './charts/variant-numbers.ts';
import { type Html, html, isolate, raw, sentence } from './html.ts';
import { drawRange, gridHtml, scaleOf } from './sections.ts';

/** Formats texts of others within sentences of the page. */
export const pageMedium: Medium = {
  ...{ name: isolate, text: cleanLine },
  ...THIS_CHANGE,
  code: isolate,
  call: isolate,
  place: isolate,
  commit: (commit) => isolate(shortCommit(commit)),
  marks: PLAIN_MARKS,
};

/** Did it get slower? If nothing was to be compared, only whether the check fails; null if it has nothing to check. */
export function renderAnswer(summary: Summary, numbers: Numbers, missing: readonly number[]): Html | null {
  const medium = { ...pageMedium, missing };
  const answer = answerOf(summary, medium);
  if (answer) return showAnswer(answer, numbers);
  const points = checkOf(summary, medium);
  if (points.length === 0) return null;
  return html`<section class="card answer"><h2 class="visually-hidden">Check</h2>
${showPoints(points)}
</section>`;
}

/** One answer for several groups. Its rows belong to no group, so the filters leave them. */
export function renderAnswerHtml(groups: readonly Summary[], missing: readonly number[]): Html | null {
  const answer = answerOfAll(groups, { ...pageMedium, missing });
  return answer && showAnswer(answer, new Map());
}

function showAnswer(answer: ReportAnswer, numbers: Numbers): Html {
  const { mark, headline, points, title, rows, notes } = answer;
  return html`<section class="card answer"><h2 class="visually-hidden">What changed</h2>
<p class="verdict ${mark}"><span aria-hidden="true">${PLAIN_MARKS[mark]}</span> ${sentence(headline)}</p>
${showPoints(points)}
${rows.length > 0 && html`<p>${sentence(title)}:</p>${changeTable(answer, numbers)}`}
${notes.length > 0 && html`<p class="legend-line">${notes.join(' ')}</p>`}
</section>`;
}

function showPoints(points: readonly Point[]): Html[] {
  return points.map(
    ({ label, text }) =>
      html`<p class="more">${label && html`<strong>${sentence(label)}${text ? ':' : '.'}</strong> `}${sentence(text)}</p>`,
  );
}

/** The table of changes, with a picture of the intervals after them. */
function changeTable({ table: { columns, rows: lines }, rows }: ReportAnswer, numbers: Numbers): Html {
  const drawn = rows.filter((row) => hasNumber(row, row.comparison));
  const at = scaleOf(drawn.map(({ comparison }) => comparison));
  const pictured = columns.findIndex(({ key }) => key === 'interval');
  const rowOf = (variant: string) => numbers.has(variant) && html` data-variant="${numbers.get(variant)}"`;
  const kind = (i: number) => (columns[i]?.align === 'right' ? 'number' : 'text');
  const cell = (line: (typeof lines)[number], row: (typeof rows)[number], i: number) => {
    const { text = '', strong = false, tone } = line.cells[i] ?? {};
    const shown = strong ? html`<strong>${sentence(text)}</strong>` : sentence(text);
    if (columns[i]?.key === 'label') return html`<th scope="row" class="text variant">${shown}</th>`;
    const picture =
      i === pictured && html`<td class="bar">${drawn.includes(row) && drawRange(row.comparison, at)}</td>`;
    return html`<td class="${[kind(i), tone].filter(Boolean).join(' ')}">${shown}</td>${picture}`;
  };
  return html`<div class="scroll" role="region" tabindex="0" aria-label="What changed"><table class="rows">
<caption class="visually-hidden">What changed</caption>
<thead><tr>${columns.map(
    ({ title }, i) =>
      html`<th scope="col" class="${kind(i)}">${title ? sentence(title) : html`<span class="visually-hidden">mark</span>`}</th>${i === pictured && PICTURE_HEAD}`,
  )}</tr></thead>
<tbody>${lines.map(
    (line, r) =>
      html`<tr${rowOf(line.variant)}>${columns.map((_, i) => cell(line, rows[r] as (typeof rows)[number], i))}</tr>\n`,
  )}</tbody></table></div>`;
}

const PICTURE_HEAD = raw(
  '<th scope="col" class="text bar"><span class="visually-hidden">picture of the interval</span></th>',
);

/**
 * All that was compared of a kind, with pictures of the intervals. Comparisons with the base are folded, because
 * the answer leads with what changed. Comparisons among the variants show only the metric of the ranking, and nothing if
 * that is unsure, because the ranking shows what is sure. All their metrics are folded below, if any of them is sure.
 */
export function renderComparisonsHtml(
  kind: Comparison['against'],
  scenario: ScenarioSummary,
  summary: Summary,
  numbers: Numbers,
): Html | null {
  const all = scenario.comparisons.filter(
    ({ against, ratio }) => against === kind && (kind !== 'reference' || ratio !== null),
  );
  const [found] = compareTables(all, summary, pageMedium, false);
  if (!found) return null;
  const title = `Compared with ${found.against}`;
  const folded = (name: string) =>
    html`<details><summary>${sentence(name)}</summary>${gridHtml(found.grid, numbers)}</details>`;
  const together = all.some(({ how }) => how === 'together') && html`<p class="more">${TOGETHER}</p>`;
  if (kind !== 'reference') return html`${folded(`${title}, all metrics`)}${together}`;
  const leads = leadsOf(scenario.comparisons);
  const shown = all.filter((comparison) => leads.has(comparison));
  const isOpen = ({ verdict }: Comparison) => verdict === 'inconclusive';
  if (all.every(isOpen)) return null;
  if (shown.every(isOpen)) return html`${folded(`${title}, all metrics`)}${together}`;
  return html`<h3>${sentence(title)}</h3>${compareTables(shown, summary, pageMedium, false).map(({ grid }) => gridHtml(grid, numbers))}${
    all.length > shown.length && folded('All metrics')
  }${together}`;
}
