import type { ScenarioSummary } from '../analyse/summary.ts';
import { code, escapeMarkdown } from './escape.ts';
import { type Column, table } from './markup.ts';
import { count, digits, NOTHING } from './numbers.ts';
import { groupOf, kindOf, metricCells, STATES, thresholdsOf } from './scripted.ts';

/** What a k6 script checked, its thresholds and its own metrics, as Markdown; empty where there are none. */
export function renderScripted(scenario: ScenarioSummary): string {
  const all = [...scenario.rows, ...scenario.bases];
  const checks = all.flatMap(({ label, checks: own }) => own.map((check) => ({ ...check, label })));
  const metrics = all.flatMap(({ label, script }) =>
    (script?.metrics ?? []).map((metric) => ({ metric, label })),
  );
  const right = <T>(title: string, cell: (line: T) => string): Column<T> => ({ title, right: true, cell });
  const variant = { title: 'Variant', cell: ({ label }: { label: string }) => code(label) };
  const parts = [
    table<(typeof checks)[number]>(
      [
        variant,
        { title: 'Check', cell: ({ name }) => code(name) },
        { title: 'Group', cell: (check) => (check.group ? code(groupOf(check)) : NOTHING) },
        right('passed', ({ passes }) => count(passes)),
        right('failed', ({ fails }) => count(fails)),
      ],
      checks,
    ),
    table<ReturnType<typeof thresholdsOf>[number]>(
      [
        variant,
        { title: 'Metric', cell: ({ threshold }) => code(threshold.metric) },
        { title: 'Threshold', cell: ({ threshold }) => code(threshold.condition) },
        right('found', ({ threshold: { value } }) => (value === null ? NOTHING : digits(value))),
        {
          title: 'Outcome',
          cell: ({ threshold: { state, why } }) =>
            `${state === 'missed' ? '**missed**' : STATES[state]}${why === null ? '' : `: ${escapeMarkdown(why)}`}`,
        },
      ],
      thresholdsOf(scenario),
    ),
    table<(typeof metrics)[number]>(
      [
        variant,
        { title: 'Metric', cell: ({ metric }) => code(metric.name) },
        { title: 'Kind', cell: ({ metric }) => kindOf(metric) },
        ...(['count', 'value', 'min', 'p50', 'p95', 'p99', 'max'] as const).map((key) =>
          right<(typeof metrics)[number]>(key, ({ metric }) => metricCells(metric)[key].replace('<', '&lt;')),
        ),
      ],
      metrics,
    ),
  ];
  const shown = [checks.length > 0, thresholdsOf(scenario).length > 0, metrics.length > 0];
  return parts.filter((_, i) => shown[i]).join('\n\n');
}
