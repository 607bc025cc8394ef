import type { Summary } from '../analyse/summary.ts';
import { cleanLine, clip, plural } from '../text/plain.ts';
import { changeRows } from './view/answer/changerows.ts';
import { tellMissing } from './view/answer/missing.ts';
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
  const notes = [...ofGates(summary), ...ofRows(summary), ...ofMissing(summary)].map((note) => ({
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

/** A failure at the other ref is only a warning: the checkout is not at fault. */
function ofRows({ scenarios }: Summary): Annotation[] {
  return scenarios.flatMap(({ facts, rows, bases }) =>
    [...rows, ...bases].flatMap((row): Annotation[] => {
      const isHead = rows.includes(row);
      const title = `${row.label} in ${facts.name}`;
      const missed = isHead && row.sloMissed.length > 0 ? row.sloMissed.join('; ') : '';
      return [
        ...(row.state.kind === 'failed'
          ? [{ level: isHead ? 'error' : 'warning', title, text: reasonOf(row.state) } as const]
          : []),
        ...(missed ? [{ level: 'error', title: `${title}: criteria missed`, text: missed } as const] : []),
      ];
    }),
  );
}

function ofMissing(summary: Summary): Annotation[] {
  const rows = changeRows(summary, medium);
  return tellMissing(rows, summary, medium).map((text) => ({
    level: 'warning',
    title: 'Not compared',
    text,
  }));
}
