import type { Summary } from '../analyse/summary.ts';
import { cleanLine, clip, listNames, plural } from '../text/plain.ts';
import { changeRows } from './view/answer/changerows.ts';
import { isOwnBase, tellMissing } from './view/answer/missing.ts';
import { groupAlike } from './words/evidence.ts';
import { reasonOf } from './words/unranked.ts';
import { tellGates } from './words/verdicts.ts';

/** A remark beside the checks of a commit. Plain text in one line; text of others is shown as it is. */
export interface Annotation {
  level: 'error' | 'warning';
  title: string;
  text: string;
}

/** GitHub shows ten of a level and step; the step's own last word is one of them. */
const MOST = 9;
const COLUMNS = 500;

/** Notices that stand out without opening the report: gates, missed criteria, failed variants. */
export function annotate(summary: Summary): Annotation[] {
  const ofComparison = isOwnBase(summary) ? [] : [...ofGates(summary), ...ofMissing(summary)];
  const notes = [...ofComparison, ...ofFailures(summary), ...ofCriteria(summary)].map((note) => ({
    ...note,
    title: clip(cleanLine(note.title), COLUMNS),
    text: clip(cleanLine(note.text), COLUMNS),
  }));
  return (['error', 'warning'] as const).flatMap((level) => {
    const own = notes.filter((note) => note.level === level);
    if (own.length <= MOST) return own;
    const left = plural(own.length - MOST + 1, 'more remark');
    return [...own.slice(0, MOST - 1), { level, title: 'More', text: `${left} in the report` }];
  });
}

const medium = { name: cleanLine, text: cleanLine };

function ofGates(summary: Summary): Annotation[] {
  return tellGates(summary, medium).flatMap(({ state, gate, verdict, because }): Annotation[] => {
    if (state === 'passed') return [];
    return [{ level: state === 'failed' ? 'error' : 'warning', title: `${gate} ${verdict}`, text: because }];
  });
}

/** One remark for all that failed alike. A failure at the other ref is only a warning: the checkout is not at fault. */
function ofFailures({ scenarios }: Summary): Annotation[] {
  const failed = scenarios.flatMap(({ facts, rows, bases }) =>
    [...rows, ...bases].flatMap((row) => {
      if (row.state.kind !== 'failed') return [];
      const level = rows.includes(row) ? 'error' : 'warning';
      return [{ level, scenario: facts.name, label: row.label, text: reasonOf(row.state) } as const];
    }),
  );
  const alike = groupAlike(failed, ({ level, scenario, text }) => JSON.stringify([level, scenario, text]));
  const notes = alike.map(([one, ...others]) => ({
    ...one,
    label: listNames([one, ...others].map(({ label }) => label)),
  }));
  const inAll = groupAlike(notes, ({ level, label, text }) => JSON.stringify([level, label, text]));
  return inAll.map(([one, ...others]) => ({
    level: one.level,
    title: `${one.label} in ${listNames([one, ...others].map(({ scenario }) => scenario))}`,
    text: one.text,
  }));
}

function ofCriteria({ scenarios }: Summary): Annotation[] {
  return scenarios.flatMap(({ facts, rows }) =>
    rows
      .filter(({ sloMissed }) => sloMissed.length > 0)
      .map(({ label, sloMissed }) => ({
        level: 'error',
        title: `${label} in ${facts.name}: criteria missed`,
        text: sloMissed.join('; '),
      })),
  );
}

function ofMissing(summary: Summary): Annotation[] {
  const missing = tellMissing(changeRows(summary, medium), summary, medium);
  return missing ? [{ level: 'warning', title: missing.start, text: missing.because }] : [];
}
