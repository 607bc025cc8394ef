import { leadsOf } from '../../analyse/gates.ts';
import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { Comparison } from '../../results.ts';
import { describeVerdict, levelOf, nounOf } from '../changes.ts';
import { atMost, change, NOTHING } from '../numbers.ts';
import type { Numbers } from './charts.ts';
import { type Html, html, name, raw } from './html.ts';

const KINDS = ['base', 'earlier', 'reference'] as const;

/** Each variant against its counterpart, as a picture of the intervals; then all that was compared, folded. */
export function renderComparisons(scenario: ScenarioSummary, summary: Summary, numbers: Numbers): Html {
  const leads = leadsOf(scenario.comparisons);
  const isSure = ({ verdict }: Comparison) => verdict === 'slower' || verdict === 'faster';
  return html`${KINDS.map((kind) => {
    const all = scenario.comparisons.filter(({ against, ratio }) => against === kind && ratio !== null);
    const shown = all.filter((comparison) => leads.has(comparison) || isSure(comparison));
    const [first] = shown;
    if (!first) return null;
    const title = html`Changes against ${counterpart(first, summary)}`;
    return html`<h3>${title}</h3>${table(shown, summary, numbers)}${
      all.length > shown.length &&
      html`<details><summary>All metrics</summary>${table(all, summary, numbers)}</details>`
    }`;
  })}`;
}

function counterpart({ against, reference }: Comparison, { plan, variants }: Summary): Html {
  if (against === 'base' && plan.compareTo) return name(plan.compareTo.ref);
  if (against === 'earlier') return html`the earlier run`;
  return name(variants.find(({ id }) => id === reference)?.label ?? reference);
}

function table(shown: readonly Comparison[], { variants }: Summary, numbers: Numbers): Html {
  const labels = new Map(variants.map(({ id, label }) => [id, label]));
  const interval = shown.find((comparison) => comparison.interval)?.interval;
  const at = scaleOf(shown);
  const head = [
    ['Variant', 'text'],
    ['Metric', 'text'],
    ['Δ', 'number'],
    [interval ? levelOf(interval) : 'interval', 'number'],
    [raw('<span class="visually-hidden">picture of the interval</span>'), 'text bar'],
    ['Verdict', 'text'],
    ['pairs of starts', 'number'],
    ['of slices', 'number'],
  ] as const;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Comparisons"><table class="rows">
<thead><tr>${head.map(([title, kind]) => html`<th scope="col" class="${kind}">${title}</th>`)}</tr></thead>
<tbody>${shown.map((comparison) => {
    const { variant, metric, ratio, interval: range, verdict, primary, reasons, pairs, slices } = comparison;
    const found = ratio === null ? null : change(ratio, range);
    const isNote = !primary && (verdict === 'slower' || verdict === 'faster');
    const why = [describeVerdict(comparison), ...reasons].join('; ');
    return html`<tr data-variant="${numbers.get(variant)}"><th scope="row" class="text variant">${name(labels.get(variant) ?? variant)}</th><td class="text">${nounOf(metric)}</td><td class="number main">${found?.value ?? NOTHING}</td><td class="number">${found?.interval || NOTHING}</td><td class="bar">${picture(comparison, at)}</td><td class="text ${verdict}">${why}${isNote && ' (note)'}</td><td class="number">${pairs}</td><td class="number">${slices}</td></tr>\n`;
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

/** The smallest change that could have been found, beside the verdict of no difference. */
export function detectableOf({ detectable }: ScenarioSummary): string {
  const found = detectable.base ?? detectable.reference;
  return found === null ? '' : `a change of ${atMost(found)} or more would have been found with 95 % power`;
}
