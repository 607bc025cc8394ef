import { leadsOf } from '../../analyse/judge/gates.ts';
import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { Comparison } from '../../results/results.ts';
import { cleanLine } from '../../text/plain.ts';
import { metricOf, TOGETHER } from '../format/md-comparisons.ts';
import { answerOf, type ReportAnswer } from '../view/answer.ts';
import { type Medium, PLAIN_MARKS, shortCommit, THIS_CHANGE } from '../view/medium.ts';
import { bothNumbers, bothTitle, describeVerdict, levelOf, type Names } from '../words/changes.ts';
import { change, NOTHING } from '../words/numbers.ts';
import { counterpart } from '../words/verdicts.ts';
import type { Numbers } from './charts/variants.ts';
import { type Html, html, isolate, name, raw, sentence } from './html.ts';

/** What the page makes of texts of others where they stand in a sentence. */
export const names: Names = { name: isolate, text: cleanLine };
const medium: Medium = {
  ...names,
  ...THIS_CHANGE,
  code: isolate,
  call: isolate,
  place: isolate,
  commit: (commit) => isolate(shortCommit(commit)),
  marks: PLAIN_MARKS,
};

/** Did it get slower? Nothing where nothing was to be compared. */
export function renderAnswer(summary: Summary, numbers: Numbers): Html | null {
  const answer = answerOf(summary, medium);
  if (!answer) return null;
  const { mark, headline, points, title, rows, notes } = answer;
  return html`<section class="card answer"><h2 class="visually-hidden">What changed</h2>
<p class="verdict ${mark}"><span aria-hidden="true">${PLAIN_MARKS[mark]}</span> ${sentence(headline)}</p>
${points.map(
  ({ label, text }) =>
    html`<p class="more">${label && html`<strong>${label}${text ? ':' : '.'}</strong> `}${sentence(text)}</p>`,
)}
${rows.length > 0 && html`<p>${sentence(title)}:</p>${changeTable(answer, numbers)}`}
${notes.length > 0 && html`<p class="legend-line">${notes.join(' ')}</p>`}
</section>`;
}

/** The table of changes, with a picture of the intervals after them. */
function changeTable({ table: { columns, rows: lines }, rows }: ReportAnswer, numbers: Numbers): Html {
  const at = scaleOf(rows.map(({ comparison }) => comparison));
  const pictured = columns.findIndex(({ key }) => key === 'interval');
  const kind = (i: number) => (columns[i]?.align === 'right' ? 'number' : 'text');
  const cell = (line: (typeof lines)[number], row: (typeof rows)[number], i: number) => {
    const { text = '', strong = false, tone } = line.cells[i] ?? {};
    const shown = strong ? html`<strong>${sentence(text)}</strong>` : sentence(text);
    if (columns[i]?.key === 'label') return html`<th scope="row" class="text variant">${shown}</th>`;
    const picture = i === pictured && html`<td class="bar">${pictureOf(row.comparison, at)}</td>`;
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
      html`<tr data-variant="${numbers.get(line.variant)}">${columns.map((_, i) => cell(line, rows[r] as (typeof rows)[number], i))}</tr>\n`,
  )}</tbody></table></div>`;
}

const PICTURE_HEAD = raw(
  '<th scope="col" class="text bar"><span class="visually-hidden">picture of the interval</span></th>',
);

/**
 * All that was compared of a kind, with pictures of the intervals. Of what changed the answer has the lead, so it is
 * folded; among the variants themselves the ranking shows what is sure, so the metric of the ranking is enough.
 */
export function renderComparisonsHtml(
  kind: Comparison['against'],
  scenario: ScenarioSummary,
  summary: Summary,
  numbers: Numbers,
): Html | null {
  const all = scenario.comparisons.filter(({ against, ratio }) => against === kind && ratio !== null);
  const [first] = all;
  if (!first) return null;
  const title = `Compared with ${counterpart(first, summary, names)}`;
  const folded = (name: string) =>
    html`<details><summary>${sentence(name)}</summary>${table(`${title}, all metrics`, all, summary, numbers)}</details>`;
  const together = all.some(({ how }) => how === 'together') && html`<p class="more">${TOGETHER}</p>`;
  if (kind !== 'reference') return html`${folded(`${title}, all metrics`)}${together}`;
  const leads = leadsOf(scenario.comparisons);
  const shown = all.filter((comparison) => leads.has(comparison));
  if (shown.every(({ verdict }) => verdict === 'inconclusive')) return null;
  return html`<h3>${sentence(title)}</h3>${table(title, shown, summary, numbers)}${
    all.length > shown.length && folded('All metrics')
  }${together}`;
}

function table(title: string, shown: readonly Comparison[], { variants }: Summary, numbers: Numbers): Html {
  const labels = new Map(variants.map(({ id, label }) => [id, label]));
  const interval = shown.find((comparison) => comparison.interval)?.interval;
  const at = scaleOf(shown);
  const head = [
    ['Variant', 'text'],
    ['Metric', 'text'],
    [bothTitle(shown[0]?.against ?? 'base'), 'number'],
    ['Δ', 'number'],
    [interval ? levelOf(interval) : 'interval', 'number'],
    [raw('<span class="visually-hidden">picture of the interval</span>'), 'text bar'],
    ['Verdict', 'text'],
    ['pairs of starts', 'number'],
    ['of slices', 'number'],
  ] as const;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table class="rows">
<caption class="visually-hidden">${sentence(title)}</caption>
<thead><tr>${head.map(([title, kind]) => html`<th scope="col" class="${kind}">${title}</th>`)}</tr></thead>
<tbody>${shown.map((comparison) => {
    const { variant, ratio, interval: range, verdict, primary, reasons, pairs, slices } = comparison;
    const found = ratio === null ? null : change(ratio, range);
    const ends = found?.interval && (found.interval.includes('×') ? found.interval : `${found.interval} %`);
    const isNote = !primary && (verdict === 'slower' || verdict === 'faster');
    const why = sentence([describeVerdict(comparison), ...reasons.slice(0, 1)].join('; '));
    return html`<tr data-variant="${numbers.get(variant)}"><th scope="row" class="text variant">${name(labels.get(variant) ?? variant)}</th><td class="text">${metricOf(comparison)}</td><td class="number">${bothNumbers(comparison) || NOTHING}</td><td class="number main">${found?.value ?? NOTHING}</td><td class="number">${ends || NOTHING}</td><td class="bar">${pictureOf(comparison, at)}</td><td class="text verdict-cell ${verdict}">${why}${isNote && ' (note)'}</td><td class="number">${pairs}</td><td class="number">${slices}</td></tr>\n`;
  })}</tbody></table></div>`;
}

/** One scale for all rows, even in the logarithm, since a half is as far from one as a double. */
function scaleOf(shown: readonly Comparison[]): (ratio: number) => string {
  const ends = shown.flatMap(({ ratio, interval }) => [ratio ?? 1, interval?.low ?? 1, interval?.high ?? 1]);
  const logs = [0, ...ends.filter((end) => end > 0).map(Math.log)];
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const room = (high - low || 0.01) * 0.06;
  return (ratio) => {
    const share = (Math.log(Math.max(ratio, 1e-9)) - low + room) / (high - low + 2 * room);
    return `${Math.min(100, Math.max(0, share * 100)).toFixed(1)}%`;
  };
}

function pictureOf({ ratio, interval, verdict }: Comparison, at: (ratio: number) => string): Html {
  if (ratio === null) return html``;
  const range =
    interval &&
    html`<line class="range" x1="${at(interval.low)}" x2="${at(interval.high)}" y1="50%" y2="50%"/>`;
  return html`<svg class="forest ${verdict}" width="100%" height="18" aria-hidden="true"><line class="zero" x1="${at(1)}" x2="${at(1)}" y1="0" y2="100%"/>${range}<circle cx="${at(ratio)}" cy="50%" r="4.5"/></svg>`;
}
