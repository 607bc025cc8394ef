import type { CheckRow, MetricRow, ScenarioSummary, ThresholdRow } from '../../../analyse/summary.ts';
import { QUANTILES } from '../../../results/quantiles.ts';
import {
  checkGroupOf,
  foundOf,
  metricCells,
  metricKindOf,
  STATES,
  thresholdsOf,
} from '../../words/loads/scripted.ts';
import { count, NOTHING } from '../../words/numbers.ts';
import { type Column, grid, left, right, type Section, section, variantColumn } from '../model.ts';

type Of<T> = { variant: string; label: string } & T;

/** Checks, thresholds and own metrics of a k6 script; checks of a bundled journey that found wrong answers. */
export function scriptSection(scenario: ScenarioSummary): Section[] {
  const all = [...scenario.rows, ...scenario.bases];
  const checks = all.flatMap(({ variant, label, checks: own }) =>
    own.map((check) => ({ ...check, variant, label })),
  );
  const metrics = all.flatMap(({ variant, label, script }) =>
    (script?.metrics ?? []).map((metric) => ({ metric, variant, label })),
  );
  const thresholds = thresholdsOf(scenario);
  const isScript = thresholds.length > 0 || all.some(({ script }) => script !== null);
  return section(
    isScript ? 'Checks, thresholds and metrics of the script' : 'Checks of the answers',
    [
      ...(checks.length > 0 ? [grid('Checks', CHECKS, checks)] : []),
      ...(thresholds.length > 0 ? [grid('Thresholds', THRESHOLDS, thresholds)] : []),
      ...(metrics.length > 0 ? [grid('Metrics of the script', METRICS, metrics)] : []),
    ],
    true,
  );
}

const CHECKS: Column<Of<CheckRow>>[] = [
  variantColumn,
  left('Check', ({ name }) => ({ name })),
  left('Group', (check) => (check.group ? { name: checkGroupOf(check) } : NOTHING)),
  right('passed', ({ passes }) => count(passes)),
  right('failed', ({ fails }) => (fails > 0 ? { strong: count(fails), tone: 'bad' } : count(fails))),
];

const THRESHOLDS: Column<Of<{ threshold: ThresholdRow }>>[] = [
  variantColumn,
  left('Metric', ({ threshold }) => ({ name: threshold.metric })),
  left('Threshold', ({ threshold }) => ({ name: threshold.condition })),
  right('found', ({ threshold }) => foundOf(threshold)),
  left('Outcome', ({ threshold: { state, why } }) => [
    state === 'missed' ? { strong: STATES[state], tone: 'bad' } : STATES[state],
    ...(why === null ? [] : [': ', { text: why }]),
  ]),
];

const METRICS: Column<Of<{ metric: MetricRow }>>[] = [
  variantColumn,
  left('Metric', ({ metric }) => ({ name: metric.name })),
  left('Kind', ({ metric }) => metricKindOf(metric)),
  ...(['count', 'value', 'min', ...QUANTILES, 'max'] as const).map((key) =>
    right<Of<{ metric: MetricRow }>>(key, ({ metric }) => metricCells(metric)[key]),
  ),
];
