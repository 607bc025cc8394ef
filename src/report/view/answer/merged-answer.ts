import type { CountRow } from '../../../analyse/counted.ts';
import { withoutEffort } from '../../../analyse/merge.ts';
import type { GateResult, Row, ScenarioSummary, Summary } from '../../../analyse/summary.ts';
import type { Comparison } from '../../../results/results.ts';
import { listNames } from '../../../text/plain.ts';
import type { Medium } from '../medium.ts';
import { answerOf, isCompared, type ReportAnswer } from './answer.ts';

const SAME_MACHINE = 'Both numbers of a row are from the same machine.';

/**
 * Did it get slower? One answer for all groups of a report. Null where nothing was compared, or where the groups were
 * not asked the same: each then has its own answer.
 *
 * @param most so many rows at most
 */
export function answerOfAll(
  groups: readonly Summary[],
  medium: Medium,
  most = Infinity,
): ReportAnswer | null {
  const merged = groups.length > 1 ? mergeSummaries(groups) : null;
  const answer = merged && answerOf(merged, { ...medium, areSeveral: true }, most);
  if (!answer || answer.rows.length === 0) return answer;
  return { ...answer, notes: [...answer.notes, SAME_MACHINE] };
}

/**
 * All that answers 'did it get slower?' in several groups, as if one run had measured it. Names that several
 * groups share get the name of their group. Everything else of the summary is that of the first group.
 *
 * @returns null if no group was compared, or not all with the same commits and loads: one answer would then mislead
 */
function mergeSummaries(groups: readonly Summary[]): Summary | null {
  const compared = groups.flatMap((summary, i) => {
    return isCompared(summary) ? [{ summary, place: placeOf(summary, i) }] : [];
  });
  const [first] = compared;
  if (!first || compared.some(({ summary }) => !isSameQuestion(summary, first.summary))) return null;
  const repeated = repeatedIn(compared.map(({ summary }) => labelsOf(summary)));
  const renamed = compared.map(({ summary, place }) => renameAll(summary, place, repeated));
  const all = <T>(of: (summary: Summary) => readonly T[]): T[] => renamed.flatMap(of);
  const stops = compared.flatMap(({ summary: { run }, place }) => {
    return run.stopped === null ? [] : [`${run.stopped} (${place})`];
  });
  return {
    ...first.summary,
    run: { ...first.summary.run, stopped: listNames(stops) || null },
    plan: {
      ...first.summary.plan,
      compareTo: mergeTargets(compared),
      gates: all(({ plan }) => plan.gates),
    },
    variants: all(({ variants }) => variants),
    scenarios: mergeScenarios(all(({ scenarios }) => scenarios)),
    gates: all(({ gates }) => gates),
    warnings: all(({ warnings }) => warnings),
    why: all(({ why }) => why),
  };
}

interface Placed {
  summary: Summary;
  place: string;
}

/** `machine 2`, where each machine measured a share of one plan; else `group 2`. */
function placeOf({ plan }: Summary, index: number): string {
  return plan.shard ? `machine ${plan.shard.index}` : `group ${index + 1}`;
}

/** Stands before several groups that no ranking puts together. */
export const GROUPS_APART =
  'The groups were measured on different machines or under different conditions: do not compare across them.';

/** `Machine 2 of 3: AMD EPYC 7763, run r-20260131-090000` */
export function titleOfGroup(summary: Summary, index: number, of: number): string {
  const { host, plan, run } = summary;
  const place = placeOf(summary, index).replace(/^[a-z]/, (first) => first.toUpperCase());
  return `${place} of ${plan.shard?.of ?? of}: ${host.cpuModel}, run ${run.id}`;
}

function isSameQuestion(a: Summary, b: Summary): boolean {
  const asked = ({ run, plan }: Summary) =>
    JSON.stringify([run.head?.commit, run.head?.uncommitted, plan.compareTo?.given]);
  const commits = [a, b].map(({ plan }) => plan.compareTo?.commit ?? null);
  const isSameLoad = a.scenarios.every(({ facts }) =>
    b.scenarios.every(
      (other) => other.facts.name !== facts.name || same(withoutEffort(other.facts), withoutEffort(facts)),
    ),
  );
  return asked(a) === asked(b) && (commits.includes(null) || commits[0] === commits[1]) && isSameLoad;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The reason names a machine that lacks what the others compare with. */
function mergeTargets(compared: readonly Placed[]): Summary['plan']['compareTo'] {
  const targets = compared.flatMap(({ summary: { plan }, place }) =>
    plan.compareTo ? [{ ...plan.compareTo, place }] : [],
  );
  const found = targets.find(({ reason }) => reason === null) ?? targets[0];
  if (!found) return null;
  const { place: _, ...target } = found;
  const lacking = targets.find(({ reason }) => reason !== null);
  if (target.reason !== null || !lacking) return target;
  return { ...target, reason: `${lacking.reason} (${lacking.place})` };
}

function mergeScenarios(all: readonly ScenarioSummary[]): ScenarioSummary[] {
  const names = [...new Set(all.map(({ facts }) => facts.name))];
  return names.map((name) => {
    const own = all.filter(({ facts }) => facts.name === name) as [ScenarioSummary, ...ScenarioSummary[]];
    return {
      ...own[0],
      rows: own.flatMap(({ rows }) => rows),
      bases: own.flatMap(({ bases }) => bases),
      comparisons: own.flatMap(({ comparisons }) => comparisons),
      counts: own.flatMap(({ counts }) => counts),
    };
  });
}

function labelsOf({ variants }: Summary): string[] {
  return variants.map(({ label }) => label);
}

function repeatedIn(lists: readonly (readonly string[])[]): Set<string> {
  const all = lists.flatMap((list) => [...new Set(list)]);
  return new Set(all.filter((label, i) => all.indexOf(label) !== i));
}

/** Ids become unique among groups; labels, too, where several groups have the same. */
function renameAll(summary: Summary, place: string, repeated: ReadonlySet<string>): Summary {
  const idOf = (id: string) => `${place}:${id}`;
  const labelOf = (label: string) => (repeated.has(label) ? `${label} (${place})` : label);
  const labels = new Map(summary.variants.map(({ id, label }) => [id, label]));
  const comparisons = new Map(
    summary.scenarios.flatMap((scenario) =>
      scenario.comparisons.map((one): [Comparison, Comparison] => {
        const own = [one.reference, one.variant].flatMap((id) => labels.get(id) ?? []);
        const reasons = one.reasons.map((reason) => renameStart(reason, own, labelOf));
        return [one, { ...one, reasons, variant: idOf(one.variant), reference: idOf(one.reference) }];
      }),
    ),
  );
  const rename = (row: Row): Row => ({ ...row, variant: idOf(row.variant), label: labelOf(row.label) });
  const renameCount = (row: CountRow): CountRow => ({
    ...{ ...row, variant: idOf(row.variant), label: labelOf(row.label) },
    change: row.change && { ...row.change, reference: idOf(row.change.reference) },
  });
  const renameGate = (result: GateResult): GateResult => ({
    ...result,
    checks: result.checks.map((one) => ({
      ...one,
      comparison: comparisons.get(one.comparison) ?? one.comparison,
    })),
    counts: result.counts.map((one) => ({ ...one, row: renameCount(one.row) })),
  });
  return {
    ...summary,
    variants: summary.variants.map((one) => ({ ...one, id: idOf(one.id), label: labelOf(one.label) })),
    scenarios: summary.scenarios.map((scenario) => ({
      ...scenario,
      rows: scenario.rows.map(rename),
      bases: scenario.bases.map(rename),
      comparisons: scenario.comparisons.flatMap((one) => comparisons.get(one) ?? []),
      counts: scenario.counts.map(renameCount),
    })),
    gates: summary.gates.map(renameGate),
    why: summary.why.map((why) => ({
      ...{ ...why, variant: idOf(why.variant), base: why.base === null ? null : idOf(why.base) },
    })),
  };
}

/** A reason begins with the label that it is about. */
function renameStart(reason: string, labels: readonly string[], labelOf: (label: string) => string): string {
  const label = labels.find((one) => reason.startsWith(`${one}: `) || reason.startsWith(`${one} failed`));
  return label === undefined ? reason : labelOf(label) + reason.slice(label.length);
}
