import stringWidth from 'string-width';
import type { Estimate } from '../analyse/estimate.ts';
import type { Row, ScenarioSummary, Summary } from '../analyse/summary.ts';
import { atLeast, bytes, digits, ms, NOTHING, share, withHalf } from './numbers.ts';
import { cleanLine, clip } from './text.ts';
import {
  conditions,
  cpuVerdict,
  DOUBTFUL_LEGEND,
  exceptions,
  intervalLegend,
  isDoubtful,
  overhead,
  reasonOf,
  verdict,
} from './words.ts';

export interface TableOptions {
  /** Columns of the terminal. */
  width: number;
  /** Colour is for terminals, and not where NO_COLOR is set: the caller knows. */
  color: boolean;
}

type Style = (text: string) => string;
interface Styles {
  bold: Style;
  dim: Style;
  best: Style;
  warn: Style;
  bad: Style;
}

interface Column {
  title: string;
  align: 'left' | 'right';
  cell: (row: Row) => string;
  style?: (row: Row, styles: Styles) => Style | undefined;
}

const plain: Style = (text) => text;
const ansi =
  (code: string): Style =>
  (text) =>
    `\u001b[${code}m${text}\u001b[0m`;
const uncoloured: Styles = { bold: plain, dim: plain, best: plain, warn: plain, bad: plain };
const coloured: Styles = {
  bold: ansi('1'),
  dim: ansi('2'),
  best: ansi('1;32'),
  warn: ansi('33'),
  bad: ansi('31'),
};

const GAP = '  ';
/** A label is cut before it gets narrower than this. */
const MIN_LABEL = 16;
/** In a narrow terminal these go first, one after the other. */
const DROP_ORDER = ['memory', 'cpu ±', 'p95', 'p50', 'cpu', '±', 'ok'];

/** The comparison as a table for a terminal: one row a variant, best first; what cannot be ranked apart, with why. */
export function renderTable(summary: Summary, { width, color }: TableOptions): string {
  const styles = color ? coloured : uncoloured;
  const scenarios = summary.scenarios.map((scenario) => renderScenario(scenario, summary, width, styles));
  const warnings = summary.warnings.map(({ code, message, remedy }) =>
    wrap(cleanLine(`! ${code}: ${message}. Remedy: ${remedy}.`), width, '  ')
      .split('\n')
      .map((line) => styles.warn(line))
      .join('\n'),
  );
  return `${[...scenarios, ...(warnings.length > 0 ? [warnings.join('\n')] : []), styles.dim(overhead(summary))].join('\n\n')}\n`;
}

function renderScenario(scenario: ScenarioSummary, summary: Summary, width: number, styles: Styles): string {
  const { facts, rows } = scenario;
  const title = styles.bold(clip(cleanLine(`${facts.name}: ${facts.title}`), width));
  const ranked = rows.filter((row) => row.state.kind === 'ranked');
  const apart = rows.filter((row) => row.state.kind === 'generator-bound' || row.state.kind === 'unranked');
  const failed = rows.filter((row) => row.state.kind === 'failed');

  const measured = [...ranked, ...apart];
  const columns = chooseColumns(columnsOf(scenario), measured, width);
  const lines = layOut(columns, measured, width, styles);
  const margin = ' '.repeat(widthOf(columns[0] as Column, measured) + 2 * GAP.length);
  const [head, ...cells] = lines as [string, ...string[]];
  const table = [
    ...(measured.length > 0 ? [styles.dim(head)] : []),
    ...cells.slice(0, ranked.length),
    ...(apart.length > 0 ? [styles.dim('not ranked')] : []),
    ...apart.flatMap((row, i) => [
      cells[ranked.length + i] as string,
      styles.warn(wrap(`${margin}${cleanLine(reasonOf(row.state))}`, width, margin)),
    ]),
    ...(failed.length > 0 ? [styles.dim('failed')] : []),
    ...failed.map((row) => {
      const text = `  ${cleanLine(row.label)}: ${cleanLine(reasonOf(row.state))}`;
      return styles.bad(wrap(text, width, '    '));
    }),
  ];
  const legend = [intervalLegend(scenario), isDoubtful(scenario) ? DOUBTFUL_LEGEND : ''].filter(Boolean);
  return [
    title,
    styles.dim(wrap(cleanLine(conditions(scenario, summary)), width, '  ')),
    wrap([verdict, cpuVerdict, exceptions].map((say) => say(scenario, cleanLine)).join(' '), width, ''),
    '',
    ...table,
    ...legend.map((line) => styles.dim(wrap(line, width, '  '))),
  ].join('\n');
}

type Keyed = Column & { key: string };

function columnsOf(scenario: ScenarioSummary): Keyed[] {
  const isBest = (row: Row) => row.variant === scenario.best;
  const best: Column['style'] = (row, styles) => (isBest(row) ? styles.best : undefined);
  const dim: Column['style'] = (_, styles) => styles.dim;
  const number = (key: string, title: string, cell: (row: Row) => string): Keyed => ({
    key,
    title,
    align: 'right',
    cell,
  });
  const half = (key: string, of: (row: Row) => Estimate | null): Keyed => ({
    key,
    title: '',
    align: 'left',
    cell: (row) => plusMinus(of(row)),
    style: dim,
  });
  const latency = (key: 'p50' | 'p95' | 'p99'): Keyed[] => {
    const isMetric = scenario.metric === key;
    const value = number(key, `${key} ms`, (row) => {
      const found = row[key];
      const text = isMetric && found ? withHalf(found).value : ms(found?.value);
      return found && row.latencyDoubtful ? `~${text}` : text;
    });
    return isMetric ? [{ ...value, style: best }, half('±', (row) => row[key])] : [value];
  };
  const byRps = scenario.metric === 'rps';
  const columns: Keyed[] = [
    { key: 'rank', title: '#', align: 'right', cell: place(isBest), style: best },
    { key: 'label', title: 'variant', align: 'left', cell: (row) => cleanLine(row.label), style: best },
    { ...number('rps', 'RPS', (row) => rps(row, byRps)), ...(byRps ? { style: best } : {}) },
    ...(byRps ? [half('±', (row) => (row.state.kind === 'generator-bound' ? null : row.rps))] : []),
    ...latency('p50'),
    ...latency('p95'),
    ...latency('p99'),
    {
      ...number('ok', 'OK', (row) => share(row.okRatio)),
      style: (row, styles) => (row.okRatio !== null && row.okRatio < 1 ? styles.bad : undefined),
    },
    number('cpu', 'CPU ms/req', (row) =>
      row.cpuMsPerRequest ? withHalf(row.cpuMsPerRequest).value : NOTHING,
    ),
    half('cpu ±', (row) => row.cpuMsPerRequest),
    number('memory', 'memory', (row) => (row.memory ? bytes(row.memory.medianBytes) : NOTHING)),
  ];
  return columns;
}

function place(isBest: (row: Row) => boolean): Column['cell'] {
  return (row) => {
    if (row.state.kind !== 'ranked') return '';
    return `${isBest(row) ? '★ ' : ''}${row.state.shared ? '=' : ''}${row.state.rank}`;
  };
}

function rps(row: Row, withInterval: boolean): string {
  if (!row.rps) return NOTHING;
  if (row.state.kind === 'generator-bound') return atLeast(row.rps.value);
  return withInterval ? withHalf(row.rps).value : digits(row.rps.value);
}

function plusMinus(estimate: Estimate | null): string {
  const half = estimate ? withHalf(estimate).half : '';
  return half === '' ? '' : `± ${half}`;
}

/** Leaves out columns, the least telling first, until the rest fits beside a label of readable width. */
function chooseColumns(columns: readonly Keyed[], rows: readonly Row[], width: number): Keyed[] {
  const order = DROP_ORDER.values();
  let kept = [...columns];
  for (;;) {
    const widths = kept.map((column) => widthOf(column, rows));
    const label = kept.findIndex((column) => column.key === 'label');
    const least = Math.min(widths[label] as number, MIN_LABEL);
    const needed = widths.reduce(
      (sum, w, i) => sum + (i === label ? least : w),
      GAP.length * (kept.length - 1),
    );
    if (needed <= width) return kept;
    const next = order.next();
    if (next.done) return kept;
    kept = kept.filter((column) => column.key !== next.value);
  }
}

function widthOf(column: Column, rows: readonly Row[]): number {
  return Math.max(stringWidth(column.title), ...alignPoints(column, rows).map((cell) => stringWidth(cell)));
}

/** Numbers stand point under point. */
function alignPoints(column: Column, rows: readonly Row[]): string[] {
  const cells = rows.map(column.cell);
  if (column.align === 'left' || cells.some((cell) => cell.endsWith('%') || cell.endsWith('B'))) return cells;
  const fraction = (cell: string) => /\.\d+$/.exec(cell)?.[0].length ?? 0;
  const longest = Math.max(0, ...cells.map(fraction));
  return cells.map((cell) => cell + ' '.repeat(longest - fraction(cell)));
}

/** Head and one line a row. */
function layOut(columns: readonly Keyed[], rows: readonly Row[], width: number, styles: Styles): string[] {
  const widths = columns.map((column) => widthOf(column, rows));
  const excess = widths.reduce((sum, w) => sum + w, GAP.length * (columns.length - 1)) - width;
  const label = columns.findIndex((column) => column.key === 'label');
  if (excess > 0) widths[label] = Math.max((widths[label] as number) - excess, MIN_LABEL);
  const pad = (text: string, i: number) => {
    const cut = clip(text, widths[i] as number);
    const space = ' '.repeat((widths[i] as number) - stringWidth(cut));
    return columns[i]?.align === 'left' ? cut + space : space + cut;
  };
  const cells = columns.map((column) => alignPoints(column, rows));
  const head = columns.map((column, i) => pad(column.title, i)).join(GAP);
  const body = rows.map((row, r) =>
    columns
      .map((column, i) => {
        const style = column.style?.(row, styles) ?? plain;
        const text = pad((cells[i] as string[])[r] as string, i);
        return text.trim() === '' ? text : style(text);
      })
      .join(GAP)
      .trimEnd(),
  );
  return [head.trimEnd(), ...body];
}

/** Breaks between words; a word that is too long stays whole, since it may be a command to copy. */
function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  let empty = true;
  for (const word of text.trim().split(/ +/)) {
    if (!empty && stringWidth(`${line} ${word}`) > width) {
      lines.push(line);
      line = indent + word;
    } else {
      line = empty ? line + word : `${line} ${word}`;
    }
    empty = false;
  }
  return [...lines, line].join('\n');
}
