import type { Warning } from '../../results/results.ts';
import { plural, someOf } from '../../text/plain.ts';
import { passedRatio, sayChecks } from '../rows/script-rows.ts';
import type { Row, ScenarioSummary, ScriptEvent, ScriptRow } from '../summary.ts';
import { warning } from './flaws.ts';

/** Faults that a script or a bundled journey found, and faults of a script itself. */
export function findScriptFlaws(scenario: ScenarioSummary): Warning[] {
  const rows = [...scenario.rows, ...scenario.bases];
  const where = `scenario ${scenario.facts.name}`;
  return [
    ...ofChecks(where, rows),
    ...ofErrors(where, rows),
    ...ofThresholds(where, rows),
    ...ofBounds(where, rows),
  ];
}

function ofChecks(where: string, rows: readonly Row[]): Warning[] {
  const failing = rows.filter(({ checks: [worst] }) => worst && passedRatio(worst) < 1);
  if (failing.length === 0) return [];
  const words = failing.map(({ label, checks }) => `${label} ${checks[0] ? sayChecks(checks[0]) : ''}`);
  return [
    warning(
      'checks-failed',
      `${where}: ${words.join('; ')}: RPS and latency count those answers, too`,
      'look at the answers, or fix the check; --slo checks=90% sets the share that must pass',
      failing,
    ),
  ];
}

function ofErrors(where: string, rows: readonly Row[]): Warning[] {
  const told = (
    code: string,
    of: (script: ScriptRow) => ScriptEvent,
    say: (event: ScriptEvent, script: ScriptRow) => string,
    meaning: string,
    remedy: string,
  ): Warning[] => {
    const found = rows.flatMap((row) =>
      row.script && of(row.script).count > 0 ? [{ row, script: row.script }] : [],
    );
    if (found.length === 0) return [];
    const words = found.map(({ row, script }) => `${row.label} ${say(of(script), script)}`);
    const first = found.map(({ script }) => of(script).first).find((text) => text !== null);
    const message = `${where}: ${words.join(', ')}${first ? `; the first: ${first}` : ''}; ${meaning}`;
    return [
      warning(
        code,
        message,
        remedy,
        found.map(({ row }) => row),
      ),
    ];
  };
  return [
    ...told(
      'script-threw',
      ({ thrown }) => thrown,
      ({ count }, { iterations }) => `${someOf(count, iterations, 'iteration')} threw`,
      'these iterations ended early, so parts of the script were not measured',
      'fix the script; raw/ has the whole log',
    ),
    ...told(
      'script-aborted',
      ({ aborted }) => aborted,
      ({ count }, { slices }) => `${someOf(count, slices, 'slice')} ended by the script itself`,
      'those slices count as failed',
      'remove `exec.test.abort` from the script, or fix the cause that it names',
    ),
    ...told(
      'script-failed',
      ({ failed }) => failed,
      ({ count }, { slices }) => `${someOf(count, slices, 'slice')} marked as failed by the script`,
      'the script found wrong answers, which RPS and latency count, too',
      'fix the cause that it names; use `check` where a few wrong answers are fine',
    ),
    ...told(
      'script-errors',
      ({ printed }) => printed,
      ({ count }, { iterations }) =>
        `${plural(count, 'error')} written by the script in ${plural(iterations, 'iteration')}`,
      'the script may not measure what you expect',
      'look at the first one (raw/ has the others); use console.log for other messages',
    ),
  ];
}

function ofThresholds(where: string, rows: readonly Row[]): Warning[] {
  const open = rows.flatMap(({ label, script }) =>
    (script?.thresholds ?? []).flatMap(({ state, metric, condition, why }) =>
      state === 'open' ? [`${label} ${metric} ${condition} (${why})`] : [],
    ),
  );
  if (open.length === 0) return [];
  return [
    warning(
      'thresholds-open',
      `${where}: thresholds that could not be evaluated count as neither passed nor missed: ${open.slice(0, 5).join(', ')}${open.length > 5 ? ` and ${open.length - 5} more` : ''}`,
      'check the name and the tags of the metric',
    ),
  ];
}

function ofBounds(where: string, rows: readonly Row[]): Warning[] {
  const left = Math.max(0, ...rows.map(({ script }) => script?.left ?? 0));
  if (left === 0) return [];
  const names =
    left === 1 ? '1 check or metric of the script is' : `${left} checks or metrics of the script are`;
  return [
    warning(
      'script-bounds',
      `${where}: ${names} not in the report, which keeps 100 of each`,
      'use fewer names: do not put values that change per request into a name',
    ),
  ];
}
