import type { Scenario } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';

/** Warns of thresholds in k6 scripts that work differently than with k6 alone, and of loads of theirs that are hard to compare. */
export function warnOfScripts(scenarios: readonly Scenario[]): Warning[] {
  return [...warnOfThresholds(scenarios), ...scenarios.flatMap(warnOfMixedLoad)];
}

function warnOfMixedLoad({ name, script }: Scenario): Warning[] {
  if (script?.rates !== 'some') return [];
  return [
    {
      code: 'script-mixed-load',
      message: `scenario ${name}: its script has executors with an arrival rate and others: RPS decides, though the rates fix a part of it, so slower answers change it less`,
      remedy: 'measure the two kinds in separate scripts, or compare latency: `fail-on: p50 slower > 3%`',
      variant: null,
    },
  ];
}

function warnOfThresholds(scenarios: readonly Scenario[]): Warning[] {
  return scenarios.flatMap(({ name, load, script }) => {
    const thresholds = script?.thresholds ?? [];
    const say = (those: readonly { metric: string; condition: string }[]) =>
      those.map(({ metric, condition }) => `${metric} ${condition}`).join(', ');
    const warn = (code: string, those: typeof thresholds, meaning: string, remedy: string): Warning[] =>
      those.length === 0
        ? []
        : [{ code, message: `scenario ${name}: ${say(those)}: ${meaning}`, remedy, variant: null }];
    return [
      ...warn(
        'threshold-abort',
        thresholds.filter(({ aborts }) => aborts),
        'abortOnFail has no effect: the threshold is evaluated at the end, over all slices',
        'nothing to do: a missed threshold is reported, and the exit code is 1',
      ),
      ...warn(
        'threshold-by-slice',
        thresholds.filter(({ condition }) => /^\s*(count|value)\b/.test(condition)),
        'counts and last values cannot be combined over slices, so each slice must meet the threshold',
        'use a rate or a trend for one number over all slices',
      ),
      ...warn(
        'threshold-scenario',
        thresholds.filter(({ metric }) => load !== null && /[{,]\s*scenario:/.test(metric)),
        'no request has this tag, because `load` replaces the scenarios of the script',
        'remove `load`, so that the script uses its own',
      ),
    ];
  });
}
