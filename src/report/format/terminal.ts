import type { Row, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { cleanLine, cleanText, clip, clipMiddle } from '../../text/plain.ts';
import { answerOf, checkOf, type Point, type ReportAnswer } from '../view/answer/answer.ts';
import type { Mark } from '../view/answer/changerows.ts';
import { answerOfAll } from '../view/answer/merged-answer.ts';
import { RPS_NOTE } from '../view/answer/notes.ts';
import { type Medium, PLAIN_MARKS, shortCommit, THIS_CHANGE } from '../view/medium.ts';
import type { RankColumn } from '../view/ranking.ts';
import { type ScenarioView, viewScenario } from '../view/scenario.ts';
import type { TableRow, Tone } from '../view/table.ts';
import type { Names } from '../words/changes.ts';
import { checkedLines } from '../words/checked-lines.ts';
import { answerText, groupAlike, logText, shownOf } from '../words/evidence.ts';
import { NOTHING } from '../words/numbers.ts';
import { overhead } from '../words/run-facts.ts';
import { startsLegend, startsOf } from '../words/start-words.ts';
import { reasonOf } from '../words/unranked.ts';
import { type Deltas, deltaTitle } from '../words/verdicts.ts';
import {
  chooseColumns,
  coloured,
  GAP,
  layOutTable,
  type Style,
  type Styles,
  type TerminalColumn,
  uncoloured,
  widthOf,
  wrap,
} from './layout.ts';

export interface TableOptions {
  /** Columns of the terminal. */
  width: number;
  /** Colour is for terminals, and not where NO_COLOR is set: the caller knows. */
  color: boolean;
  /** The run has printed on the same terminal what was checked: it is not repeated. */
  showsChecks?: boolean;
  /** Its title, where there are several groups. */
  group?: string;
  /** One answer for all groups comes before this one. */
  isAnswered?: boolean;
  /** Shards that gave no results. */
  missing?: readonly number[];
  /** The results are those of one share of a plan, right after it was measured. */
  isShare?: boolean;
}

/** In a narrow terminal these columns go first, one after the other. */
const DROP_ORDER = [
  ...['decay', 'memory', 'cpu ±', 'capacity ±', 'holds ±', 'p95', 'p50', 'cpu', '±', 'Δ interval', 'growth'],
  ...['Δ verdict', 'Δ', 'ok'],
];
/** The same of the table of changes: the verdict stays. A change means nothing without its metric. */
const DROP_CHANGES = ['rps', 'limit', 'both', 'interval', 'change', 'mark', 'metric'];

/** Names of refs can be long, and words are not broken. */
const NAME_COLUMNS = 40;
/** Namespaces and folders can be longer, but fit a line of 80. */
const CALL_COLUMNS = 76;
const names: Names = { name: (text) => clipMiddle(cleanLine(text), NAME_COLUMNS), text: cleanLine };
const medium: Medium = {
  ...names,
  ...THIS_CHANGE,
  code: (word) => word,
  call: (name) => clipMiddle(cleanLine(name), CALL_COLUMNS),
  place: (file) => clipMiddle(cleanLine(file), CALL_COLUMNS),
  commit: (commit) => cleanLine(shortCommit(commit)),
  marks: PLAIN_MARKS,
};

/** So many variants that failed are listed with their reasons and logs: where hundreds failed, they would push the table off the screen. */
const FAILED = 20;

const AMONG = 'Servers compared with each other';

/** The comparison as a table for a terminal: one row a variant, best first; what cannot be ranked apart, with why. */
export function renderTable(
  summary: Summary,
  { width, color, showsChecks, group, isAnswered, missing = [] }: TableOptions,
): string {
  const whole = { ...medium, missing };
  const styles = color ? coloured : uncoloured;
  const scenarios = summary.scenarios.map((scenario) => renderScenario(scenario, summary, width, styles));
  const warnings = summary.warnings.map(({ code, message, remedy }) =>
    eachLine(wrap(cleanLine(`! ${code}: ${message}. Remedy: ${remedy}.`), width, '  '), styles.warn),
  );
  const answer = isAnswered ? null : answerOf(summary, whole);
  const starts = startsOf(summary.variants).map(({ label, median, mean, size }) =>
    wrap(`  ${cleanLine(label)}: median ${median} ms, mean ${mean} ms; image ${size}`, width, '    '),
  );
  if (starts.length > 0) {
    scenarios.push(
      [
        styles.bold('cold starts'),
        ...starts,
        styles.dim(wrap(cleanLine(startsLegend(summary.variants)), width, '  ')),
      ].join('\n'),
    );
  }
  const checked = showsChecks ? [] : checkedLines(summary.checked, summary.variants);
  const checkedBefore = checked.map((line) => eachLine(wrap(`checked: ${line}`, width, '  '), styles.dim));
  const parts = [
    group === undefined ? '' : styles.bold(clip(cleanLine(group), width)),
    answer ? renderAnswer(answer, width, styles) : renderPoints(checkOf(summary, whole), width).join('\n'),
    answer && answer.rows.length > 0 ? styles.bold(clip(AMONG, width)) : '',
    ...scenarios,
    warnings.join('\n'),
    checkedBefore.join('\n'),
  ].filter(Boolean);
  return `${[...parts, styles.dim(wrap(overhead(summary), width, '  '))].join('\n\n')}\n`;
}

/** One answer for several groups, and the heading of what comes after it; empty where there is none. */
export function renderAnswerOfAll(
  groups: readonly Summary[],
  { width, color }: TableOptions,
  missing: readonly number[],
): string {
  const answer = answerOfAll(groups, { ...medium, missing });
  if (!answer) return '';
  const styles = color ? coloured : uncoloured;
  const heading = answer.rows.length > 0 ? `\n\n${styles.bold(clip(AMONG, width))}` : '';
  return renderAnswer(answer, width, styles) + heading;
}

/** Did it get slower? The headline, how sure, what to do, and what changed. */
function renderAnswer(
  { mark, headline, points, title, table, rows, notes }: ReportAnswer,
  width: number,
  styles: Styles,
): string {
  const tones: Record<Mark, Style> = {
    ...{ bad: styles.bad, warn: styles.warn, open: styles.warn, good: styles.best },
  };
  const columns = table.columns.map(
    (column, i): TerminalColumn<TableRow> => ({
      ...column,
      cell: ({ cells }) => cells[i]?.text ?? '',
      style: ({ cells }) => toneOf(cells[i]?.tone, styles),
    }),
  );
  const shown = chooseColumns(columns, table.rows, width, DROP_CHANGES);
  const [head = '', ...body] = rows.length > 0 ? layOutTable(shown, table.rows, width, styles) : [];
  const explained = notes.filter((note) => note !== RPS_NOTE || shown.some(({ key }) => key === 'rps'));
  return [
    eachLine(wrap(`${PLAIN_MARKS[mark]} ${headline}.`, width, '  '), tones[mark]),
    ...renderPoints(points, width),
    ...(rows.length > 0 ? ['', wrap(`${title}:`, width, '  '), styles.dim(head), ...body] : []),
    ...(explained.length > 0 ? [styles.dim(wrap(explained.join(' '), width, '  '))] : []),
  ].join('\n');
}

function renderPoints(points: readonly Point[], width: number): string[] {
  return points.map(({ label, text }) => {
    const whole = label ? [`${label}${text ? ':' : '.'}`, text].filter(Boolean).join(' ') : text;
    return wrap(whole, width, '  ');
  });
}

function toneOf(tone: Tone | undefined, styles: Styles): Style | undefined {
  if (tone === undefined) return undefined;
  return { bad: styles.bad, warn: styles.warn, good: styles.best }[tone];
}

/** Colour ends with its line: pagers start each line anew. */
function eachLine(text: string, style: Style): string {
  return text.split('\n').map(style).join('\n');
}

function renderScenario(scenario: ScenarioSummary, summary: Summary, width: number, styles: Styles): string {
  const { facts } = scenario;
  const view = viewScenario(scenario, summary, { medium, name: cleanLine });
  // A label shows which row is which: a column is missed less than most of it.
  const columns = chooseColumns(columnsOf(view), measuredIn(view), width, DROP_ORDER, Math.floor(width / 4));
  const legend = [
    view.conditions,
    columns.some(({ key }) => key === 'Δ') ? view.delta : '',
    ...view.legend,
    ...view.counts,
    view.functions,
  ].filter(Boolean);
  return [
    styles.bold(clip(cleanLine(`${facts.name}: ${facts.title}`), width)),
    wrap([view.verdict, ...view.others].join(' '), width, ''),
    ...view.tuned.map((line) => styles.bold(wrap(line, width, '  '))),
    '',
    ...renderRows(view, columns, width, styles),
    ...legend.map((line) => styles.dim(wrap(line, width, '  '))),
  ].join('\n');
}

function measuredIn({ ranked, apart }: ScenarioView): Row[] {
  return [...ranked, ...apart.flatMap(({ rows }) => rows)];
}

/** The ranking; below it what is not in it, each with its reason. */
function renderRows(
  view: ScenarioView,
  columns: readonly TerminalColumn[],
  width: number,
  styles: Styles,
): string[] {
  const { ranked, failed } = view;
  const measured = measuredIn(view);
  const shownAlike = groupAlike([...measured, ...failed], () => '', shownOf);
  const firsts = new Map(shownAlike.flatMap((alike) => alike.map((row) => [row, alike[0]])));
  const firstOf = (row: Row) => firsts.get(row) ?? row;
  const margin = ' '.repeat(widthOf(columns[0] as TerminalColumn, measured) + 2 * GAP.length);
  const [head, ...cells] = layOutTable(columns, measured, width, styles) as [string, ...string[]];
  return [
    ...(measured.length > 0 ? [styles.dim(head)] : []),
    ...cells.slice(0, ranked.length),
    ...(measured.length > ranked.length ? [styles.dim('not ranked')] : []),
    ...measured
      .slice(ranked.length)
      .flatMap((row, i) => [
        cells[ranked.length + i] as string,
        styles.warn(wrap(`${margin}${cleanLine(reasonOf(row.state))}`, width, margin)),
        ...tellShown(row, firstOf(row), width),
      ]),
    ...(failed.length > 0 ? [styles.dim('failed')] : []),
    ...groupAlike(failed.slice(0, FAILED), ({ state }) => reasonOf(state), shownOf).flatMap((alike) => {
      const [first] = alike;
      const labels = alike.map(({ label }) => cleanLine(label)).join(', ');
      const text = `  ${labels}: ${cleanLine(reasonOf(first.state))}`;
      return [styles.bad(wrap(text, width, '    ')), ...tellShown(first, firstOf(first), width)];
    }),
    ...(failed.length > FAILED ? [styles.bad(`  ${failed.length - FAILED} more in results.json`)] : []),
  ];
}

/** Answer and log of a row, below its reason. A row with the same ones refers to the first of them. */
function tellShown(row: Row, first: Row, width: number): string[] {
  const shown = shownOf(row);
  if (!shown) return [];
  if (first !== row) return [wrap(`    the same as ${cleanLine(first.label)}`, width, '    ')];
  const block = (title: string, text: string) => [
    `    ${title}`,
    ...cleanText(text)
      .split('\n')
      .map((line) => wrap(`    | ${cleanLine(line)}`, width, '    | ')),
  ];
  return [
    ...(shown.answer
      ? block(shown.answer.status === 0 ? 'there was' : 'it answered', answerText(shown.answer))
      : []),
    ...(shown.log.trim() ? block('and logged', logText(shown.log)) : []),
  ];
}

function columnsOf(view: ScenarioView): TerminalColumn[] {
  const { place, label, deltas, numbers } = view;
  const columns = [
    ...[place, label].flatMap(columnOf),
    ...(deltas ? deltaColumns(deltas) : []),
    ...numbers.flatMap(columnOf),
  ];
  const isEmpty = ({ key, cell }: TerminalColumn) =>
    key.endsWith('±') && measuredIn(view).every((row) => cell(row) === '');
  return columns.filter((column) => !isEmpty(column));
}

/** The number, and half its interval in a column of its own, so that each stands below its like. */
function columnOf({ key, title, unit, short, isText, isMain, cell }: RankColumn): TerminalColumn[] {
  const best: TerminalColumn['style'] = (row, styles) => {
    const { isBest, isBad } = cell(row);
    return isBest ? styles.best : isBad ? styles.bad : undefined;
  };
  const star = (isBest = false) => (key === 'rank' && isBest ? '★ ' : '');
  const value: TerminalColumn = {
    ...{ key, title: short ?? (unit ? `${title} ${unit}` : title), align: isText ? 'left' : 'right' },
    cell: (row) => {
      const { text, isBest, isDoubtful } = cell(row);
      return `${star(isBest)}${isDoubtful ? '~' : ''}${cleanLine(text)}`;
    },
    style: best,
  };
  const half: TerminalColumn = {
    ...{ key: isMain ? '±' : `${key} ±`, title: '', align: 'left' },
    cell: (row) => {
      const found = cell(row).half;
      return found ? `± ${found}` : '';
    },
    style: (_, styles) => styles.dim,
  };
  return isText || key === 'rank' ? [value] : [value, half];
}

/** Change, interval and verdict; the verdict has a word for what colour shows. */
function deltaColumns(deltas: Deltas): TerminalColumn[] {
  const isReference = (row: Row) => row.variant === deltas.reference;
  const left = (
    key: string,
    cell: TerminalColumn['cell'],
    style: TerminalColumn['style'],
  ): TerminalColumn => ({
    ...{ key, title: '', align: 'left', cell },
    ...(style && { style }),
  });
  return [
    {
      key: 'Δ',
      title: deltas.metric === 'cpu' ? 'Δ CPU/req' : deltaTitle(deltas),
      align: 'right',
      cell: (row) => deltas.of(row)?.change?.value ?? (isReference(row) ? '' : NOTHING),
    },
    left(
      'Δ interval',
      (row) => deltas.of(row)?.change?.interval ?? '',
      (_, styles) => styles.dim,
    ),
    left(
      'Δ verdict',
      (row) => deltas.of(row)?.mark ?? (isReference(row) ? 'reference' : ''),
      (row, styles) => {
        const verdict = deltas.of(row)?.comparison.verdict;
        return verdict === 'slower' ? styles.bad : verdict === 'faster' ? styles.best : undefined;
      },
    ),
  ];
}
