import { isCost, isCurable, lacksOnlyRate } from '../../../analyse/judge/compare.ts';
import { outcomeOf } from '../../../analyse/outcome.ts';
import type { GateResult, Row, Summary } from '../../../analyse/summary.ts';
import type { Warning } from '../../../results/results.ts';
import { MAX_BUDGET_STARTS, MIN_PAIRS } from '../../../stats/limits.ts';
import { listAs, listNames } from '../../../text/plain.ts';
import { doubtsPage } from '../../words/doubt.ts';
import { counterpart } from '../../words/verdicts.ts';
import type { Medium } from '../medium.ts';
import { type ChangeKind, type ChangeRow, onceEach } from './changerows.ts';

/** Whether the check fails, and why. */
export function tellCheck(summary: Summary, medium: Medium): { label: string; text: string } {
  const { stopped } = summary.run;
  const stop = stopped === null ? '' : `The run was stopped: ${medium.text(stopped)}`;
  // The exit code is then that of the stop, whatever was measured before.
  if (stop && !medium.areSeveral) return { label: 'This check fails', text: `${stop}.` };
  const { code, failedGates, openGates, unmeasured, lacksBase } = outcomeOf(summary);
  const missed = missedOf(summary, medium);
  const sourcesOf = (gates: readonly GateResult[]) => [...new Set(gates.map(({ gate }) => gate.source))];
  const labels = (found: readonly string[]) => listNames(found, medium.name);
  const { missing = [] } = medium;
  const absent = missing.length > 0 ? `no results of ${listAs('machine', missing)}` : '';
  if (code === 0 && !stop && absent) return { label: 'This check is not complete', text: `${absent}.` };
  if (code === 0 && !stop) {
    const idle = [...bySource(summary)].flatMap(([source, own]) => (own.every(isIdle) ? [source] : []));
    const unchecked =
      idle.length > 0
        ? `${listAs('Limit', idle, medium.name)} ${idle.length === 1 ? 'was' : 'were'} not checked.`
        : '';
    const text =
      summary.plan.gates.length > 0
        ? [unchecked, ...tellUncertain(summary, medium)].filter(Boolean).join(' ')
        : 'No limit is set that a slowdown could exceed.';
    return { label: 'This check passes', text };
  }
  const failed = sourcesOf(failedGates);
  // Several machines are checked by the same limits.
  const open = sourcesOf(openGates).filter((source) => !failed.includes(source));
  const because = [
    stop,
    code === 4 ? 'no space left on the disk of the engine' : '',
    failed.length > 0 ? `${listAs('limit', failed, medium.name)} exceeded` : '',
    unmeasured.length > 0 ? `${labels(unmeasured)} not measured` : '',
    lacksBase ? tellLacking(summary, medium) : '',
    open.length > 0 ? `${listAs('limit', open, medium.name)} could not be judged` : '',
    missed.length > 0 ? `pass criteria missed by ${listNames(missed)}` : '',
    absent,
  ].filter(Boolean);
  return { label: `This check fails${stop ? '' : medium.fails(code)}`, text: `${because.join('; ')}.` };
}

/** Each limit with its results, one for each machine. */
function bySource({ gates }: Summary): Map<string, GateResult[]> {
  return Map.groupBy(gates, ({ gate }) => gate.source);
}

/** Limits that were kept by some variants, and could not be judged for others. */
function tellUncertain(summary: Summary, { name }: Medium): string[] {
  return [...bySource(summary)].flatMap(([source, own]) => {
    const open = own.filter(({ unjudged }) => unjudged).length;
    if (open === own.length) return [`Limit ${name(source)} could not be judged.`];
    const unsure = new Set(
      own.flatMap(({ checks, counts }) => [
        ...checks.flatMap(({ judged, comparison }) => (judged ? [] : [comparison.variant])),
        ...counts.flatMap(({ judged, row }) => (judged ? [] : [row.variant])),
      ]),
    );
    const labels = summary.variants.flatMap(({ id, label }) => (unsure.has(id) ? [label] : []));
    if (labels.length > 0)
      return [`Limit ${name(source)} could not be judged for ${listNames(labels, name)}.`];
    return open > 0
      ? [`Limit ${name(source)} could not be judged on ${open} of ${own.length} machines.`]
      : [];
  });
}

/** Why a part of what is measured has no base; empty where nothing has one. */
function lackingOf({ variants, warnings }: Summary): Warning[] {
  const isCompared = variants.some(({ ref }) => ref !== null);
  return isCompared ? warnings.filter(({ code, variant }) => code === 'no-base' && variant === null) : [];
}

function tellLacking(summary: Summary, { text }: Medium): string {
  const messages = new Set(lackingOf(summary).map(({ message }) => message));
  return listNames([...messages], text) || 'nothing to compare with';
}

/** Steps towards a base for the part that has none. */
function remediesOf(summary: Summary, { text }: Medium): string[] {
  return [...new Set(lackingOf(summary).map(({ remedy }) => `${text(remedy)}.`))].slice(0, 3);
}

/** `apache (p99 30.5 ms > 20 ms)`: variants that missed pass criteria, with these and their values. */
function missedOf({ scenarios }: Summary, { name, text }: Medium): string[] {
  return scenarios.flatMap(({ facts, rows }) => {
    const where = scenarios.length > 1 ? ` in ${name(facts.name)}` : '';
    return rows
      .filter(({ sloMissed }) => sloMissed.length > 0)
      .map(({ label, sloMissed }) => `${name(label)}${where} (${text(sloMissed.join(', '))})`);
  });
}

/** Whether a gate passes because it had nothing to judge. */
function isIdle({ unjudged, checks, counts, isCovered }: GateResult): boolean {
  return !unjudged && checks.length + counts.length === 0 && !isCovered;
}

/** Values of `instances` end here. */
const MOST_INSTANCES = 100;

/** How to repeat a run so that it gives a verdict, or that its intervals become about half as wide. */
function tellMore({ plan, run, scenarios }: Summary, { code }: Medium): string {
  if (run.stopped !== null) return 'run it again to the end';
  const { budgetSeconds } = plan;
  // Runs that were combined have more starts than their plan.
  const instances = Math.max(plan.instances, ...scenarios.map(({ starts }) => starts));
  if (instances < MIN_PAIRS) return `rerun with ${code(`instances: ${MIN_PAIRS}`)} or more`;
  const minutes = Math.ceil((4 * (budgetSeconds ?? 0)) / 60);
  if (budgetSeconds === null && 4 * instances <= MOST_INSTANCES)
    return `rerun with ${code(`instances: ${4 * instances}`)} to halve the interval`;
  if (budgetSeconds === null || minutes > 360 || instances >= MOST_INSTANCES)
    return 'rerun on a machine without other work';
  if (4 * instances <= MAX_BUDGET_STARTS)
    return `rerun with ${code(`budget: ${minutes}m`)} to halve the interval`;
  if (instances < MAX_BUDGET_STARTS)
    return `rerun with ${code(`budget: ${minutes}m`)} to narrow the interval`;
  const blocks = Math.max(...plan.scenarios.map((scenario) => scenario.blocks));
  return `rerun with ${code(`instances: ${MOST_INSTANCES}`)} and ${code(`blocks: ${blocks}`)}, without ${code('budget')}, to narrow the interval`;
}

function hasThresholds({ scenarios }: Summary): boolean {
  return scenarios.some(({ facts }) => facts.thresholds?.length);
}

/** Whether the base was not measured, so that the run has nothing to compare with. */
function lacksOther({ row, other, comparison }: ChangeRow): boolean {
  // Rows are of this run alone.
  if (comparison.against === 'earlier') return (row?.slices.ok ?? 0) > 0;
  return other === null || other.state.kind === 'failed';
}

function answersWrongly(row: Row | null): boolean {
  return row?.state.kind === 'unranked' && row.state.cause === 'ok-ratio';
}

/** Warnings about what keeps a variant out of the ranking, by its cause. */
const CAUSES: Readonly<Record<string, readonly string[]>> = {
  'rate-missed': ['dropped-iterations'],
  checks: ['checks-failed'],
  script: ['script-threw', 'script-errors', 'script-aborted', 'script-failed'],
};

/** Codes of what keeps both sides of a comparison from a verdict. */
function hindrancesOf({ row, other, comparison: { metric } }: ChangeRow): readonly string[] {
  return [row, other].flatMap((side) => {
    if (side === null || (isCost(metric) && lacksOnlyRate(side))) return [];
    const { state, latencyDoubtful } = side;
    if (state.kind === 'generator-bound') return ['generator-bound'];
    if (state.kind === 'unranked') return CAUSES[state.cause] ?? [];
    return latencyDoubtful && metric.startsWith('p') ? ['generator-busy'] : [];
  });
}

/** The step if something else than noise keeps variants from a verdict, and a warning has its remedy. */
function tellRemedy(noisy: readonly ChangeRow[], { warnings }: Summary, { code }: Medium): string {
  const hindered = noisy.filter(({ comparison }) => comparison.against === 'base' && !isCurable(comparison));
  const codes = [...new Set(hindered.flatMap(hindrancesOf))];
  const known = codes.filter((one) => warnings.some((warning) => warning.code === one));
  return known.length > 0 ? `follow the remedy of the ${listAs('warning', known, code)}.` : '';
}

/** Whether the base lacks one of several paths. Other journeys are not made of such. */
function lacksPage({ other, comparison: { scenario } }: ChangeRow, { plan }: Summary): boolean {
  if (other?.state.kind !== 'failed' || other.state.answer?.status !== 404) return false;
  return /^\/\S* \//.test(plan.scenarios.find(({ name }) => name === scenario)?.journey ?? '');
}

/** An app that fails with neither a page nor a line in its log hides its errors from everybody. */
function tellLog(failed: readonly ChangeRow[], { code }: Medium): string {
  const isSilent = ({ row }: ChangeRow) => {
    if (row?.state.kind !== 'failed' || row.state.answer?.status !== 500) return false;
    return `${row.state.log}${row.state.answer.body}`.trim() === '';
  };
  return failed.every(isSilent)
    ? `page and log are empty. Check whether the app hides errors, as ${code('error_reporting(0)')} does, or logs into another file.`
    : 'the full report has the log.';
}

/** The step if the whole run has no base, for one of its reasons. */
function remedyForAll({ plan, warnings }: Summary): string | undefined {
  const lacks = warnings.filter(
    ({ code, variant }) => variant === null && (code === 'no-base' || code === 'not-in-base'),
  );
  const reason = plan.compareTo?.reason ?? '';
  const all = lacks.filter(
    ({ message }) => message.startsWith('nothing to compare with: ') || reason.includes(message),
  );
  // An app that is new needs nothing.
  return (all.find(({ code }) => code === 'no-base') ?? all[0])?.remedy;
}

/** How to get a base to compare with; empty where there is one. */
function tellCompare(
  rows: readonly ChangeRow[],
  lacking: readonly ChangeRow[],
  summary: Summary,
  medium: Medium,
): string {
  const broken = rows.find(
    ({ kind, comparison, other }) =>
      comparison.against === 'base' &&
      ((kind === 'uncompared' && other?.state.kind === 'failed') ||
        (kind === 'noisy' && answersWrongly(other))),
  );
  if (broken) {
    const target = counterpart(broken.comparison, summary, medium);
    if (lacksPage(broken, summary))
      return `leave the path out if ${target} has no such page, or set ${medium.code('compare-to')} to a commit that has it.`;
    const evidence = broken.kind === 'noisy' ? 'errors' : 'log';
    return `fix ${target}, or set ${medium.code('compare-to')} to a commit that works: the full report has the ${evidence}.`;
  }
  if (rows.length > 0 && lacking.length === 0) return '';
  const remedy = rows.length === 0 ? remedyForAll(summary) : undefined;
  return remedy ? `${medium.text(remedy)}.` : 'give the run something to compare with: the reason is above.';
}

/** The next steps of whoever reads it. */
export function tellTodo(rows: readonly ChangeRow[], summary: Summary, medium: Medium): string {
  const of = (...kinds: ChangeKind[]) => rows.filter(({ kind }) => kinds.includes(kind));
  const names = (found: readonly ChangeRow[]) => listNames(onceEach(found, ({ name }) => name));
  const lacking = of('uncompared').filter(lacksOther);
  const wrong = of('noisy').filter(({ row }) => answersWrongly(row));
  const exceedsCounts = summary.gates.some(({ counts }) => counts.some(({ failed }) => failed));
  const open = rows.filter(
    (row) =>
      (row.kind === 'noisy' && isCurable(row.comparison)) ||
      (row.kind === 'uncompared' && summary.run.stopped !== null && !lacksOther(row)),
  );
  const isOne = new Set(open.map(({ comparison }) => comparison.variant)).size === 1;
  const results = isOne
    ? `the result for ${names(open)} matters to`
    : `the results for ${names(open)} matter to`;
  const outcome = outcomeOf(summary);
  const { missed } = outcome;
  const once = medium.acceptOnce ? `, ${medium.acceptOnce(summary.tool.version)}` : '';
  const orAccept = `${once}, or raise the limit in ${medium.code('fail-on')}.`;
  const steps = [
    rows.length > 0 && doubtsPage(summary)
      ? 'check first that the page is the one that you mean: the full report has the remedy.'
      : '',
    of('beyond').length > 0 ? `find the cause and fix it${orAccept}` : '',
    of('beyond').length === 0 && exceedsCounts ? `find what does more per request and fix it${orAccept}` : '',
    of('failed').length > 0 ? `fix ${names(of('failed'))}: ${tellLog(of('failed'), medium)}` : '',
    wrong.length > 0 ? `fix the answers of ${names(wrong)}: the full report has the errors.` : '',
    !exceedsCounts && of('beyond', 'failed').length === 0 && of('slower').length > 0
      ? `decide whether the change is worth it.${summary.plan.gates.length > 0 ? '' : ` To fail such changes, set ${medium.code('fail-on')}.`}`
      : '',
    missed.length > 0
      ? `make ${listNames(missed, medium.name)} meet the pass criteria, or change these in ${medium.code('slo')}${hasThresholds(summary) ? ' or in the thresholds of the script' : ''}.`
      : '',
    open.length > 0 ? `if ${results} you, ${tellMore(summary, medium)}.` : '',
    tellRemedy(of('noisy'), summary, medium),
    of('failed').length + wrong.length === 0 ? tellCompare(rows, lacking, summary, medium) : '',
    ...(outcome.lacksBase ? remediesOf(summary, medium) : []),
  ].filter(Boolean);
  return steps.map((step) => step.replace(/^[a-z]/, (first) => first.toUpperCase())).join(' ');
}
