import { leadsOf } from '../../analyse/gates.ts';
import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { Comparison } from '../../results/results.ts';
import { cleanLine } from '../../text/plain.ts';
import { bothNumbers, bothTitle, describeVerdict, levelOf, type Medium } from '../changes.ts';
import { metricOf, TOGETHER } from '../comparisons.ts';
import { change, NOTHING } from '../numbers.ts';
import { counterpart, headline, tellGates } from '../verdicts.ts';
import type { Numbers } from './charts.ts';
import { type Html, html, isolate, name, raw, sentence } from './html.ts';

/** What the page says of texts of others where they stand in a sentence. */
export const medium: Medium = { name: isolate, text: cleanLine };

/** What changed against the other ref or an earlier run, and what became of the gates; nothing where neither is. */
export function renderHeadline(summary: Summary): Html | null {
  const [first, ...others] = headline(summary, medium).map(({ text }) => text);
  const gates = tellGates(summary, medium);
  if (!first && gates.length === 0) return null;
  return html`<section class="card"><h2 class="visually-hidden">What changed</h2>
${first && html`<p class="verdict">${sentence(first)}</p>`}${others.map((text) => html`<p class="more">${sentence(text)}</p>`)}
${
  gates.length > 0 &&
  html`<ul class="gates">${gates.map(
    ({ state, gate, verdict, because }) =>
      html`<li>${sentence(gate)} <strong class="gate ${state}">${verdict}</strong>: ${sentence(because)}.</li>`,
  )}</ul>`
}</section>`;
}

/**
 * Each variant against its counterpart of a kind, as a picture of the intervals; then all that was compared, folded.
 * Among the variants themselves the ranking has said what is sure: there the metric of the ranking is enough.
 */
export function renderComparisons(
  kind: Comparison['against'],
  scenario: ScenarioSummary,
  summary: Summary,
  numbers: Numbers,
): Html | null {
  const leads = leadsOf(scenario.comparisons);
  const isSure = ({ verdict }: Comparison) => verdict === 'slower' || verdict === 'faster';
  const all = scenario.comparisons.filter(({ against, ratio }) => against === kind && ratio !== null);
  const shown = all.filter(
    (comparison) => leads.has(comparison) || (kind !== 'reference' && isSure(comparison)),
  );
  const [first] = shown;
  if (!first) return null;
  if (kind === 'reference' && shown.every(({ verdict }) => verdict === 'inconclusive')) return null;
  const title = `${kind === 'reference' ? 'Compared with' : 'Changes since'} ${counterpart(first, summary, medium)}`;
  return html`<h3>${sentence(title)}</h3>${table(title, shown, summary, numbers)}${
    all.length > shown.length &&
    html`<details><summary>All metrics</summary>${table(`${title}, all metrics`, all, summary, numbers)}</details>`
  }${all.some(({ how }) => how === 'together') && html`<p class="more">${TOGETHER}</p>`}`;
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
    return html`<tr data-variant="${numbers.get(variant)}"><th scope="row" class="text variant">${name(labels.get(variant) ?? variant)}</th><td class="text">${metricOf(comparison)}</td><td class="number">${bothNumbers(comparison) || NOTHING}</td><td class="number main">${found?.value ?? NOTHING}</td><td class="number">${ends || NOTHING}</td><td class="bar">${picture(comparison, at)}</td><td class="text verdict-cell ${verdict}">${why}${isNote && ' (note)'}</td><td class="number">${pairs}</td><td class="number">${slices}</td></tr>\n`;
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

function picture({ ratio, interval, verdict }: Comparison, at: (ratio: number) => string): Html {
  if (ratio === null) return html``;
  const range =
    interval &&
    html`<line class="range" x1="${at(interval.low)}" x2="${at(interval.high)}" y1="50%" y2="50%"/>`;
  return html`<svg class="forest ${verdict}" width="100%" height="18" aria-hidden="true"><line class="zero" x1="${at(1)}" x2="${at(1)}" y1="0" y2="100%"/>${range}<circle cx="${at(ratio)}" cy="50%" r="4.5"/></svg>`;
}
