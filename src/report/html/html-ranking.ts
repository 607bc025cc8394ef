import type { Row, ScenarioSummary } from '../../analyse/summary.ts';
import type { Estimate } from '../../stats/estimate.ts';
import { namesText } from '../view/model.ts';
import type { RankCell, RankColumn } from '../view/ranking.ts';
import type { ScenarioView } from '../view/scenario.ts';
import { answerText, groupAlike, logText } from '../words/evidence.ts';
import { DOUBTFUL } from '../words/legends.ts';
import { drawnValue } from '../words/ranked.ts';
import { reasonOf } from '../words/unranked.ts';
import type { Numbers } from './charts/variant-numbers.ts';
import { type Html, html, name, sentence } from './html.ts';
import { textHtml } from './sections.ts';

/** Content of a row's cell in one column of the ranking. */
type Show = (row: Row) => Html | string;
interface Column extends Pick<RankColumn, 'title' | 'unit' | 'help' | 'isText'> {
  className?: string | undefined;
  show: Show;
  sort: RankColumn['sort'];
}

/** The ranking, then what stands apart from it. */
export function renderRanking(view: ScenarioView, scenario: ScenarioSummary, numbers: Numbers): Html {
  const { ranked, apart, failed } = view;
  const others = scenario.bases.filter(({ state }) => state.kind !== 'failed');
  const [place, label, ...rest] = [view.place, view.label, ...view.numbers].map(columnOf) as [Column, Column];
  const below = (title: string, found: readonly Row[], more: readonly Column[]) =>
    html`<h3>${title}</h3>${table(title, [label, ...rest, ...more], found, numbers)}`;
  return html`${
    ranked.length > 0 && table('Ranking', [place, label, barColumn(scenario), ...rest], ranked, numbers)
  }${apart.map(({ title, rows }) => below(title, rows, [WHY]))}${others.length > 0 && below('What they are compared with', others, [])}${
    failed.length > 0 &&
    html`<h3>Failed</h3><ul class="failed">${groupFailed(failed).map((alike) => renderFailed(alike, numbers))}</ul>`
  }`;
}

const WHY: Column = {
  ...{ title: 'Why', isText: true, className: 'why' },
  show: (row) => sentence(reasonOf(row.state)),
  sort: (row) => reasonOf(row.state),
};

function columnOf(column: RankColumn): Column {
  const { key, title, unit, help, isText, isMain, sort } = column;
  const className = key === 'rank' ? 'place' : key === 'label' ? 'variant' : isMain ? 'main' : undefined;
  const show: Show = (row) => {
    const cell = column.cell(row);
    if (key === 'label') return name(cell.text);
    return key === 'rank' && cell.isBest ? html`${STAR} ${cell.text}` : showNumber(cell);
  };
  return {
    title,
    className,
    show,
    sort,
    ...{ ...(unit && { unit }), ...(help && { help }), ...(isText && { isText }) },
  };
}

const STAR = html`<span class="star" title="surely ahead of all others that are ranked">★</span>`;

function showNumber({ text, half, isBad, isDoubtful }: RankCell): Html {
  const doubt = isDoubtful && html`<abbr title="${DOUBTFUL}">~</abbr>`;
  const shown = isBad ? html`<span class="bad">${text}</span>` : text;
  return html`${doubt}${shown}${half && html` <small>± ${half}</small>`}`;
}

function barColumn({ rows, metric }: ScenarioSummary): Column {
  const main = (row: Row) => drawnValue(metric, row);
  const ends = rows
    .filter((row) => row.state.kind === 'ranked')
    .map((row) => (main(row)?.value ?? 0) + (main(row)?.half ?? 0));
  const top = Math.max(...ends, Number.MIN_VALUE);
  return {
    ...{ title: '', isText: true, className: 'bar' },
    show: (row) => bar(main(row), top),
    sort: () => null,
  };
}

function groupFailed(failed: readonly Row[]) {
  return groupAlike(
    failed,
    ({ state }) => reasonOf(state),
    ({ state }) => state.kind === 'failed' && [state.answer, state.log],
  );
}

function renderFailed(alike: readonly [Row, ...Row[]], numbers: Numbers): Html {
  const [{ state }] = alike;
  const answer = state.kind === 'failed' && state.answer;
  const last = state.kind === 'failed' ? logText(state.log, true) : '';
  const variants = alike.map(({ variant }) => numbers.get(variant)).join(' ');
  return html`<li data-variant="${variants}">${textHtml(namesText(alike))}: ${reasonOf(state)}${
    answer &&
    html`<details><summary>What it answered</summary><pre tabindex="0" dir="auto">${answerText(answer)}</pre></details>`
  }${
    last &&
    html`<details><summary>Last lines of its log</summary><pre tabindex="0" dir="auto">${last}</pre></details>`
  }</li>`;
}

function table(title: string, columns: readonly Column[], rows: readonly Row[], numbers: Numbers): Html {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table class="rows" data-sortable>
<caption>${title}</caption>
<thead><tr>${columns.map(head)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr data-variant="${numbers.get(row.variant)}" class="${row.state.kind === 'ranked' && row.state.rank === 1 && 'first'}">${columns.map((column) => cell(column, row))}</tr>\n`,
  )}</tbody></table></div>`;
}

const kindOf = ({ isText }: Column) => (isText ? 'text' : 'number');
const classOf = (column: Column) => [kindOf(column), column.className].filter(Boolean).join(' ');

function head(column: Column): Html {
  const { title, unit, help, className } = column;
  const shown = help ? html`<abbr title="${help}">${title}</abbr>` : title;
  return html`<th scope="col" class="${classOf(column)}" data-sort="${className === 'bar' ? null : kindOf(column)}">${shown}${unit && html` <small>${unit}</small>`}</th>`;
}

function cell(column: Column, row: Row): Html {
  const attributes = html`class="${classOf(column)}" data-value="${column.sort(row)}"`;
  return column.className === 'variant'
    ? html`<th scope="row" ${attributes}>${column.show(row)}</th>`
    : html`<td ${attributes}>${column.show(row)}</td>`;
}

/** Length for the number, whiskers for its interval. A style attribute would need a hole in the page's policy. */
function bar(found: Estimate | null, top: number): Html | string {
  if (!found) return '';
  const at = (value: number) => `${Math.max(0, Math.min(100, (value / top) * 100)).toFixed(1)}%`;
  const half = found.half ?? 0;
  const whisker =
    half > 0 && html`<line x1="${at(found.value - half)}" x2="${at(found.value + half)}" y1="50%" y2="50%"/>`;
  return html`<svg width="100%" height="14" aria-hidden="true"><rect width="${at(found.value)}" height="100%" rx="2"/>${whisker}</svg>`;
}
