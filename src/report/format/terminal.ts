import type { Row, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { cleanLine, cleanText, clip, clipMiddle } from '../../text/plain.ts';
import { countLines } from '../counts/count-words.ts';
import { answerOf, type ReportAnswer } from '../view/answer/answer.ts';
import type { Mark } from '../view/answer/changerows.ts';
import { type Medium, PLAIN_MARKS, shortCommit, THIS_CHANGE } from '../view/medium.ts';
import { partRows, placeColumn, type RankColumn, rankColumns } from '../view/ranking.ts';
import type { TableRow, Tone } from '../view/table.ts';
import { tellRows } from '../view/why/cause.ts';
import type { Names } from '../words/changes.ts';
import { checkedLines } from '../words/checked-lines.ts';
import { answerText, logText, shownOf } from '../words/evidence.ts';
import { capacityLegend } from '../words/loads/capacity.ts';
import { thresholdsLine } from '../words/loads/scripted.ts';
import { soakLegend } from '../words/loads/soak.ts';
import { tuned } from '../words/loads/tune.ts';
import { NOTHING } from '../words/numbers.ts';
import { startsLegend, startsOf } from '../words/start-words.ts';
import { type Deltas, deltaLegend, deltasOf, deltaTitle, findable } from '../words/verdicts.ts';
import {
  conditions,
  DOUBTFUL_LEGEND,
  exceptions,
  hasDoubtful,
  holdsLegend,
  intervalLegend,
  overhead,
  reasonOf,
  tradeOffs,
  verdict,
} from '../words/words.ts';
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
}

/** In a narrow terminal these columns go first, one after the other. */
const DROP_ORDER = [
  ...['decay', 'memory', 'cpu ±', 'capacity ±', 'holds ±', 'p95', 'p50', 'cpu', '±', 'Δ interval', 'growth'],
  ...['Δ verdict', 'Δ', 'ok'],
];
/** The same of the table of changes: the verdict stays. */
const DROP_CHANGES = ['rps', 'limit', 'both', 'interval', 'metric', 'change', 'mark'];

/** Names of refs can be long, and words are not broken. */
const NAME_COLUMNS = 40;
const names: Names = { name: (text) => clip(cleanLine(text), NAME_COLUMNS), text: cleanLine };
const medium: Medium = {
  ...names,
  ...THIS_CHANGE,
  code: (word) => word,
  call: (name) => clipMiddle(cleanLine(name), NAME_COLUMNS),
  place: (file) => clipMiddle(cleanLine(file), NAME_COLUMNS),
  commit: (commit) => cleanLine(shortCommit(commit)),
  marks: PLAIN_MARKS,
};

/** The comparison as a table for a terminal: one row a variant, best first; what cannot be ranked apart, with why. */
export function renderTable(summary: Summary, { width, color, showsChecks }: TableOptions): string {
  const styles = color ? coloured : uncoloured;
  const scenarios = summary.scenarios.map((scenario) => renderScenario(scenario, summary, width, styles));
  const warnings = summary.warnings.map(({ code, message, remedy }) =>
    eachLine(wrap(cleanLine(`! ${code}: ${message}. Remedy: ${remedy}.`), width, '  '), styles.warn),
  );
  const answer = answerOf(summary, medium);
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
    ...(answer ? [renderAnswer(answer, width, styles)] : []),
    answer && answer.rows.length > 0 ? styles.bold(clip('Servers compared with each other', width)) : '',
    ...scenarios,
    warnings.join('\n'),
    checkedBefore.join('\n'),
  ].filter(Boolean);
  return `${[...parts, styles.dim(wrap(overhead(summary), width, '  '))].join('\n\n')}\n`;
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
  const lines = points.map(({ label, text }) => {
    const whole = label ? [`${label}${text ? ':' : '.'}`, text].filter(Boolean).join(' ') : text;
    return wrap(whole, width, '  ');
  });
  const columns = table.columns.map(
    (column, i): TerminalColumn<TableRow> => ({
      ...column,
      cell: ({ cells }) => cells[i]?.text ?? '',
      style: ({ cells }) => toneOf(cells[i]?.tone, styles),
    }),
  );
  const shown = chooseColumns(columns, table.rows, width, DROP_CHANGES);
  const [head = '', ...body] = rows.length > 0 ? layOutTable(shown, table.rows, width, styles) : [];
  return [
    eachLine(wrap(`${PLAIN_MARKS[mark]} ${headline}.`, width, '  '), tones[mark]),
    ...lines,
    ...(rows.length > 0 ? ['', wrap(`${title}:`, width, '  '), styles.dim(head), ...body] : []),
    ...(notes.length > 0 ? [styles.dim(wrap(notes.join(' '), width, '  '))] : []),
  ].join('\n');
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
  const title = styles.bold(clip(cleanLine(`${facts.name}: ${facts.title}`), width));
  const { ranked, bound, unranked, failed } = partRows(scenario);
  const apart = [...bound, ...unranked];
  const deltas = deltasOf(scenario);

  const measured = [...ranked, ...apart];
  const columns = chooseColumns(columnsOf(scenario, deltas), measured, width, DROP_ORDER);
  const lines = layOutTable(columns, measured, width, styles);
  const margin = ' '.repeat(widthOf(columns[0] as TerminalColumn, measured) + 2 * GAP.length);
  const [head, ...cells] = lines as [string, ...string[]];
  const table = [
    ...(measured.length > 0 ? [styles.dim(head)] : []),
    ...cells.slice(0, ranked.length),
    ...(apart.length > 0 ? [styles.dim('not ranked')] : []),
    ...apart.flatMap((row, i) => [
      cells[ranked.length + i] as string,
      styles.warn(wrap(`${margin}${cleanLine(reasonOf(row.state))}`, width, margin)),
      ...tellShown(row, measured, width),
    ]),
    ...(failed.length > 0 ? [styles.dim('failed')] : []),
    ...failed.flatMap((row) => {
      const text = `  ${cleanLine(row.label)}: ${cleanLine(reasonOf(row.state))}`;
      return [styles.bad(wrap(text, width, '    ')), ...tellShown(row, failed, width)];
    }),
  ];
  const showsDeltas = columns.some(({ key }) => key === 'Δ');
  const legend = [
    deltas && showsDeltas ? deltaLegend(deltas, summary, names) : '',
    deltas ? findable(scenario) : '',
    intervalLegend(scenario),
    holdsLegend(scenario),
    capacityLegend(scenario),
    soakLegend(scenario),
    ...countLines(scenario, names),
    tellRows(facts.name, summary, medium),
    cleanLine(thresholdsLine(scenario)),
    hasDoubtful(scenario) ? DOUBTFUL_LEGEND : '',
  ].filter(Boolean);
  return [
    title,
    styles.dim(wrap(cleanLine(conditions(scenario, summary)), width, '  ')),
    wrap([verdict, tradeOffs, exceptions].map((say) => say(scenario, cleanLine)).join(' '), width, ''),
    ...tuned(scenario, summary, cleanLine).map((line) => styles.bold(wrap(line, width, '  '))),
    '',
    ...table,
    ...legend.map((line) => styles.dim(wrap(line, width, '  '))),
  ].join('\n');
}

/** What a row was answered and has logged, below its reason; once for all that have the same. */
function tellShown(row: Row, rows: readonly Row[], width: number): string[] {
  const shown = shownOf(row);
  if (!shown) return [];
  const said = JSON.stringify(shown);
  const first = rows.find((other) => JSON.stringify(shownOf(other)) === said);
  if (first && first !== row) return [wrap(`    the same as ${cleanLine(first.label)}`, width, '    ')];
  const block = (title: string, text: string) => [
    `    ${title}`,
    ...cleanText(text)
      .split('\n')
      .map((line) => wrap(`    | ${cleanLine(line)}`, width, '    | ')),
  ];
  return [
    ...(shown.answer ? block('it answered', answerText(shown.answer)) : []),
    ...(shown.log.trim() ? block('and logged', logText(shown.log)) : []),
  ];
}

function columnsOf(scenario: ScenarioSummary, deltas: Deltas | null): TerminalColumn[] {
  const [label = [], ...others] = rankColumns(scenario).map(columnOf);
  const columns = [
    ...columnOf(placeColumn(scenario)),
    ...label,
    ...(deltas ? deltaColumns(deltas) : []),
    ...others.flat(),
  ];
  const isEmpty = ({ key, cell }: TerminalColumn) =>
    key.endsWith('±') && scenario.rows.every((row) => cell(row) === '');
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
