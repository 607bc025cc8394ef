import { outcomeOf } from '../../../analyse/outcome.ts';
import type { ScenarioSummary, Summary } from '../../../analyse/summary.ts';
import type { Comparison } from '../../../results/results.ts';
import { headlineOfCounts } from '../../counts/count-headline.ts';
import { tellCounts } from '../../counts/count-words.ts';
import { doubt } from '../../words/doubt.ts';
import { counterpart, tellGates } from '../../words/verdicts.ts';
import type { Medium } from '../medium.ts';
import type { Table } from '../table.ts';
import { tellCauses } from '../why/cause.ts';
import { type ChangeRow, changeRows } from './changerows.ts';
import { changeTable } from './changetable.ts';
import { tellCheck, tellTodo } from './check.ts';
import { type Headline, headlineOf } from './headline.ts';
import { isOwnBase, tellMissing } from './missing.ts';
import { notesOf } from './notes.ts';

/** The answer to 'did it get slower?', in the order in which people ask. Its texts are fit for the medium. */
export interface ReportAnswer extends Headline {
  /** A label, or nothing, and a sentence: how sure, which functions, what to do, whether the check fails. */
  points: readonly Point[];
  /** The two sides of the comparison; empty if nothing was compared. */
  title: string;
  table: Table;
  /** The rows of the table, in its order. */
  rows: readonly ChangeRow[];
  /** Rows that were left out. */
  left: number;
  /** How to read the table. */
  notes: readonly string[];
}

export interface Point {
  kind: 'sure' | 'why' | 'counts' | 'todo' | 'check';
  label: string;
  text: string;
}

/** Whether the run was to be compared with another ref or an earlier run. Then that is what the report begins with. */
export function isCompared(summary: Summary): boolean {
  if (isOwnBase(summary)) return false;
  const has = ({ comparisons }: ScenarioSummary) => comparisons.some(isChange);
  return summary.plan.compareTo !== null || summary.scenarios.some(has);
}

function isChange({ against }: Comparison): boolean {
  return against !== 'reference';
}

/**
 * Did it get slower? Null where nothing was to be compared.
 *
 * @param most so many rows at most
 */
export function answerOf(summary: Summary, medium: Medium, most = Infinity): ReportAnswer | null {
  if (!isCompared(summary)) return null;
  const rows = changeRows(summary, medium);
  const shown = rows.slice(0, most);
  return {
    ...headlineFor(rows, summary, medium),
    points: pointsOf(rows, summary, medium),
    title: rows.length > 0 ? titleOf(rows, summary, medium) : '',
    table: changeTable(shown, summary, medium),
    rows: shown,
    left: rows.length - shown.length,
    notes: rows.length > 0 ? notesOf(rows, summary) : [],
  };
}

/**
 * Whether the check of a run without a comparison fails, and the result of each limit. Empty if there is no limit and the
 * check passes, or if there is a comparison: its answer has all of this.
 */
export function checkOf(summary: Summary, medium: Medium): Point[] {
  if (isCompared(summary)) return [];
  // A checkout that is its own base has nothing that a limit could judge.
  const gates = isOwnBase(summary) ? [] : tellGates(summary, medium);
  const isPassed = summary.run.stopped === null && outcomeOf(summary).code === 0;
  if (gates.length === 0 && isPassed) return [];
  return [
    tellCheck(summary, medium),
    ...gates.map(({ gate, verdict, because }) => ({ label: `${gate} ${verdict}`, text: `${because}.` })),
  ].map((point) => ({ kind: 'check' as const, ...point }));
}

/** A failed gate on counts leads, unless something worse does. */
function headlineFor(rows: readonly ChangeRow[], summary: Summary, medium: Medium): Headline {
  const found = headlineOf(rows, summary, medium);
  return (found.mark !== 'bad' && headlineOfCounts(summary, medium, found)) || found;
}

function pointsOf(rows: readonly ChangeRow[], summary: Summary, medium: Medium): Point[] {
  const { headline, sure } = headlineFor(rows, summary, medium);
  const missing = tellMissing(rows, summary, medium);
  const isStated = missing && [headline, ...sure].some((text) => text.replace(/\.$/, '') === missing.start);
  const why = missing ? `${isStated ? 'Reason' : missing.start}: ${missing.because}.` : '';
  const texts = [doubt(summary, medium.text), ...sure, why].filter(Boolean);
  return [
    { kind: 'sure' as const, label: '', text: texts.join(' ') },
    ...tellCauses(rows, summary, medium).map((cause) => ({ kind: 'why' as const, ...cause })),
    { kind: 'counts' as const, label: 'Counts', text: tellCounts(summary, medium, headline) },
    { kind: 'todo' as const, label: 'What to do', text: tellTodo(rows, summary, medium) },
    { kind: 'check' as const, ...tellCheck(summary, medium) },
  ].filter(({ kind, text }) => kind === 'check' || text !== '');
}

/** `This PR (abc1234) compared with main (4c0f362), scenario "Hello, server"` */
function titleOf(rows: readonly ChangeRow[], summary: Summary, medium: Medium): string {
  const { plan, run, scenarios } = summary;
  const head = run.head ? ` (${medium.commit(run.head.commit)}${changed(run.head.uncommitted)})` : '';
  const [first] = rows;
  const other = first ? counterpart(first.comparison, summary, medium) : 'the base';
  const commit = plan.compareTo?.commit ? ` (${medium.commit(plan.compareTo.commit)})` : '';
  const [only] = scenarios;
  const where =
    scenarios.length === 1 && only ? `, scenario “${medium.text(only.facts.title || only.facts.name)}”` : '';
  return `${medium.subject}${head} compared with ${other}${commit}${where}`;
}

function changed(files: number): string {
  return files > 0 ? ' and uncommitted changes' : '';
}
