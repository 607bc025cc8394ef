import type { ScenarioSummary } from '../../analyse/summary.ts';
import { count, digits, NOTHING } from '../numbers.ts';
import { groupOf, kindOf, metricCells, STATES, thresholdsOf } from '../scripted.ts';
import type { Numbers } from './charts.ts';
import { type Column, folded, table } from './details.ts';
import { type Html, html, name } from './html.ts';

/** What a k6 script checked, its thresholds and its own metrics, folded. */
export function renderScripted(scenario: ScenarioSummary, numbers: Numbers): Html {
  const all = [...scenario.rows, ...scenario.bases];
  const checks = all.flatMap(({ variant, label, checks: own }) =>
    own.map((check) => ({ ...check, variant, label })),
  );
  const metrics = all.flatMap(({ variant, label, script }) =>
    (script?.metrics ?? []).map((metric) => ({ metric, variant, label })),
  );
  const thresholds = thresholdsOf(scenario);
  const of = { title: 'Variant', text: true, cell: ({ label }: { label: string }) => name(label) };
  const section = <T extends { variant: string; label: string }>(
    title: string,
    columns: readonly Column<T>[],
    items: readonly T[],
  ) =>
    items.length === 0
      ? html``
      : folded(
          title,
          table<T>(title, [of, ...columns], items, ({ variant }) => numbers.get(variant)),
        );
  return html`${section<(typeof checks)[number]>(
    'Checks',
    [
      { title: 'Check', text: true, cell: (check) => name(check.name) },
      { title: 'Group', text: true, cell: (check) => (check.group ? name(groupOf(check)) : NOTHING) },
      { title: 'passed', cell: ({ passes }) => count(passes) },
      {
        title: 'failed',
        cell: ({ fails }) => (fails > 0 ? html`<span class="bad">${count(fails)}</span>` : count(fails)),
      },
    ],
    checks,
  )}${section<(typeof thresholds)[number]>(
    'Thresholds',
    [
      { title: 'Metric', text: true, cell: ({ threshold }) => name(threshold.metric) },
      { title: 'Threshold', text: true, cell: ({ threshold }) => name(threshold.condition) },
      { title: 'found', cell: ({ threshold: { value } }) => (value === null ? NOTHING : digits(value)) },
      {
        title: 'Outcome',
        text: true,
        cell: ({ threshold: { state, why } }) =>
          html`${state === 'missed' ? html`<span class="bad">missed</span>` : STATES[state]}${why === null ? '' : `: ${why}`}`,
      },
    ],
    thresholds,
  )}${section<(typeof metrics)[number]>(
    'Metrics of the script',
    [
      { title: 'Metric', text: true, cell: ({ metric }) => name(metric.name) },
      { title: 'Kind', text: true, cell: ({ metric }) => kindOf(metric) },
      ...(['count', 'value', 'min', 'p50', 'p95', 'p99', 'max'] as const).map((key) => ({
        title: key,
        cell: ({ metric }: (typeof metrics)[number]) => metricCells(metric)[key],
      })),
    ],
    metrics,
  )}`;
}
