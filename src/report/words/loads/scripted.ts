import { passedRatio } from '../../../analyse/rows/script-rows.ts';
import { digitsOfOutcome } from '../../../analyse/rows/thresholds.ts';
import type { CheckRow, MetricRow, Row, ScenarioSummary, ThresholdRow } from '../../../analyse/summary.ts';
import { eachQuantile, type Quantile } from '../../../results/quantiles.ts';
import type { Names } from '../changes.ts';
import { count, digits, NOTHING, share } from '../numbers.ts';

/** Whether some variant's answers were checked by a script, or found wrong by a bundled journey. */
export function hasChecks({ rows, bases }: Pick<ScenarioSummary, 'rows' | 'bases'>): boolean {
  return [...rows, ...bases].some(({ checks }) => checks.length > 0);
}

/** The passes of the check that failed most: `0 of 706`; `100 %` if none failed. */
export function checked({ checks: [worst] }: Pick<Row, 'checks'>): string {
  if (!worst) return NOTHING;
  return worst.fails === 0 ? share(1) : `${count(worst.passes)} of ${count(worst.passes + worst.fails)}`;
}

export function hasFailedChecks({ checks: [worst] }: Pick<Row, 'checks'>): boolean {
  return worst !== undefined && passedRatio(worst) < 1;
}

/** Thresholds of a script with their results, one for each variant and threshold. */
export function thresholdsOf({ rows, bases }: Pick<ScenarioSummary, 'rows' | 'bases'>): {
  variant: string;
  label: string;
  threshold: ThresholdRow;
}[] {
  return [...rows, ...bases].flatMap(({ variant, label, script }) =>
    (script?.thresholds ?? []).map((threshold) => ({ variant, label, threshold })),
  );
}

/** `thresholds: 5 of 6 passed; missed by apache: http_req_duration p(95)<100 (134)` */
export function thresholdsLine(scenario: Pick<ScenarioSummary, 'rows' | 'bases'>, medium: Names): string {
  const all = thresholdsOf(scenario);
  if (all.length === 0) return '';
  const of = (state: ThresholdRow['state']) => all.filter(({ threshold }) => threshold.state === state);
  const [missed, open] = [of('missed'), of('open')];
  const words = missed
    .slice(0, 3)
    .map(({ label, threshold }) => `${medium.name(label)} ${medium.text(sayThreshold(threshold))}`);
  const more = missed.length > 3 ? ` and ${missed.length - 3} more` : '';
  return [
    `thresholds of the script: ${of('passed').length} of ${all.length} passed`,
    ...(missed.length > 0 ? [`missed: ${words.join(', ')}${more}`] : []),
    ...(open.length > 0 ? [`${open.length} not judged`] : []),
  ].join('; ');
}

function sayThreshold(threshold: ThresholdRow): string {
  const { metric, condition, value } = threshold;
  return `${metric} ${condition}${value === null ? '' : ` (${foundOf(threshold)})`}`;
}

/** The value of a threshold, with as many digits as its outcome needs. */
export function foundOf(threshold: ThresholdRow): string {
  const { value } = threshold;
  if (value === null) return NOTHING;
  const needed = digitsOfOutcome(threshold, value);
  return needed === 3 ? digits(value) : value.toLocaleString('en', { maximumSignificantDigits: needed });
}

/** The group of a check: `checkout › pay`; empty if it has none. */
export function checkGroupOf({ group }: Pick<CheckRow, 'group'>): string {
  return group.split('::').filter(Boolean).join(' › ');
}

/** A line per variant and metric of a script, as cells. */
export function metricCells(metric: MetricRow): Record<'count' | 'value' | 'min' | Quantile | 'max', string> {
  const number = (value: number | null) => (value === null ? NOTHING : digits(value));
  return {
    count: count(metric.count),
    value: metric.type === 'rate' ? share(metric.ratio) : number(metric.value),
    ...{ min: number(metric.min), max: number(metric.max) },
    ...eachQuantile((quantile) => number(metric[quantile])),
  };
}

/** `trend, ms` */
export function metricKindOf({ type, contains }: MetricRow): string {
  const unit = { time: ', ms', data: ', bytes' }[contains] ?? '';
  return `${type}${unit}`;
}

/** As a table shows it. */
export const STATES = { passed: 'passed', missed: 'missed', open: 'not judged' } as const;
