import stringWidth from 'string-width';
import type { Row } from '../../analyse/summary.ts';
import { cleanLine, clipMiddle } from '../../text/plain.ts';
import type { Grid, Text } from '../view/model.ts';

export type Style = (text: string) => string;
export interface Styles {
  bold: Style;
  dim: Style;
  best: Style;
  warn: Style;
  bad: Style;
}

/** One column of a table for a terminal. */
export interface TerminalColumn<T = Row> {
  key: string;
  title: string;
  align: 'left' | 'right';
  cell: (row: T) => string;
  style?: (row: T, styles: Styles) => Style | undefined;
}

const plain: Style = (text) => text;
const ansi =
  (code: string): Style =>
  (text) =>
    `\u001b[${code}m${text}\u001b[0m`;
export const uncoloured: Styles = { bold: plain, dim: plain, best: plain, warn: plain, bad: plain };
export const coloured: Styles = {
  bold: ansi('1'),
  dim: ansi('2'),
  best: ansi('1;32'),
  warn: ansi('33'),
  bad: ansi('31'),
};

/** Text of the model: that of others stays on one line. */
export function textPlain(text: Text): string {
  if (typeof text === 'string') return text;
  if ('name' in text) return cleanLine(text.name);
  if ('code' in text) return cleanLine(text.code);
  if ('text' in text) return cleanLine(text.text);
  if ('strong' in text) return textPlain(text.strong);
  if ('lines' in text) return text.lines.map(textPlain).join('; ');
  if ('range' in text) return '';
  return text.map(textPlain).join('');
}

/** The columns of a table of the model. */
export function gridColumns({ columns }: Grid): TerminalColumn<Grid['rows'][number]>[] {
  return columns.map(({ key = '', title, align }, i) => ({
    ...{ key, title: textPlain(title), align },
    cell: ({ cells }) => textPlain(cells[i] ?? ''),
    style: ({ isBest }, styles) => (key === 'label' && isBest ? styles.best : undefined),
  }));
}

export const GAP = '  ';
/** A label is cut before it gets narrower than this. */
const MIN_LABEL = 16;

/** Leaves out columns, in this order, until the rest fits beside a label of readable width. */
export function chooseColumns<T>(
  columns: readonly TerminalColumn<T>[],
  rows: readonly T[],
  width: number,
  dropOrder: readonly string[],
  leastLabel = MIN_LABEL,
): TerminalColumn<T>[] {
  const order = dropOrder.values();
  let kept = [...columns];
  for (;;) {
    const widths = kept.map((column) => widthOf(column, rows));
    const label = kept.findIndex((column) => column.key === 'label');
    const least = Math.min(widths[label] as number, Math.max(MIN_LABEL, leastLabel));
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

export function widthOf<T>(column: TerminalColumn<T>, rows: readonly T[]): number {
  return Math.max(stringWidth(column.title), ...alignPoints(column, rows).map((cell) => stringWidth(cell)));
}

/** Numbers stand point under point. */
function alignPoints<T>(column: TerminalColumn<T>, rows: readonly T[]): string[] {
  const cells = rows.map(column.cell);
  if (column.align === 'left' || cells.some((cell) => cell.endsWith('%') || cell.endsWith('B'))) return cells;
  const fraction = (cell: string) => /\.\d+$/.exec(cell)?.[0].length ?? 0;
  const longest = Math.max(0, ...cells.map(fraction));
  return cells.map((cell) => cell + ' '.repeat(longest - fraction(cell)));
}

/** Head and one line a row. */
export function layOutTable<T>(
  columns: readonly TerminalColumn<T>[],
  rows: readonly T[],
  width: number,
  styles: Styles,
): string[] {
  const widths = columns.map((column) => widthOf(column, rows));
  const excess = widths.reduce((sum, w) => sum + w, GAP.length * (columns.length - 1)) - width;
  const label = columns.findIndex((column) => column.key === 'label');
  if (excess > 0) widths[label] = Math.max((widths[label] as number) - excess, MIN_LABEL);
  const pad = (text: string, i: number) => {
    const cut = clipMiddle(text, widths[i] as number);
    const space = ' '.repeat((widths[i] as number) - stringWidth(cut));
    return columns[i]?.align === 'left' ? cut + space : space + cut;
  };
  const cells = columns.map((column) => alignPoints(column, rows));
  const head = columns.map((column, i) => pad(column.title, i)).join(GAP);
  const body = rows.map((row, r) => {
    const texts = columns.map((_, i) => pad((cells[i] as string[])[r] as string, i));
    const last = texts.findLastIndex((text) => text.trim() !== '');
    return texts
      .slice(0, last + 1)
      .map((text, i) => {
        const style = columns[i]?.style?.(row, styles) ?? plain;
        if (text.trim() === '') return text;
        return style(i === last ? text.trimEnd() : text);
      })
      .join(GAP);
  });
  return [head.trimEnd(), ...body];
}

/** Breaks between words, never between a number and its `%` or `≥`; a word that is too long stays whole, since it may be a command to copy. */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  let empty = true;
  for (const word of text.trim().split(/(?<!≥) +(?!%)/)) {
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
