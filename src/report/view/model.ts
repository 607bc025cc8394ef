/**
 * Common model of all report formats: sections of tables and texts, built once from the summary. A format only decides
 * how each kind of thing looks.
 */
import type { Comparison } from '../../results/results.ts';
import type { Tone } from './table.ts';

/** A string comes from this tool. Texts of others are marked as such, and each format makes them harmless. */
export type Text =
  | string
  | readonly Text[]
  /** The name of a variant, an endpoint, an image. */
  | { name: string }
  /** Anything that people copy: options, the id of an image, a load. */
  | { code: string }
  /** Words of others in a sentence. */
  | { text: string }
  | { strong: Text; tone?: Tone }
  /** Each on its own line. */
  | { lines: readonly Text[] }
  /** A picture of an interval, on one scale with the others of its column. */
  | { range: Pick<Comparison, 'ratio' | 'interval' | 'verdict'> };

/** One thing below the other in a section. */
export type Part =
  | Grid
  | { kind: 'line'; text: Text; variants?: readonly string[] }
  | { kind: 'log'; text: string; variants?: readonly string[] };

/** A table. */
export interface Grid {
  kind: 'table';
  caption: string;
  /** A heading above it names it already: the caption is for those who cannot see that. */
  isHeaded?: boolean;
  columns: readonly GridHead[];
  rows: readonly { variant: string; isBest?: boolean; cells: readonly Text[] }[];
}

export interface GridHead {
  /** Key by which a narrow terminal drops columns; `label`: the column that names the row, else the first. */
  key?: string;
  title: Text;
  /** Beside the title, such as `ms`. */
  unit?: string;
  align: 'left' | 'right';
  /** The column has many words: it is as wide as reading them takes. */
  long?: boolean;
  /** The main column of the table. */
  isMain?: boolean;
  /** Left out where pictures are not possible. */
  isPicture?: boolean;
}

/** A folded part of the report. */
export interface Section {
  title: string;
  parts: readonly Part[];
  /** Left out where there is little room. */
  isLong?: boolean;
}

export interface Column<T> extends GridHead {
  cell: (item: T) => Text;
}

export function left<T>(title: Text, cell: (item: T) => Text, more: Partial<GridHead> = {}): Column<T> {
  return { title, align: 'left', cell, ...more };
}

export function right<T>(title: Text, cell: (item: T) => Text, unit?: string): Column<T> {
  return { title, align: 'right', cell, ...(unit !== undefined && { unit }) };
}

/** A row for each item. */
export function grid<T extends { variant: string; isBest?: boolean }>(
  caption: string,
  columns: readonly Column<T>[],
  items: readonly T[],
): Grid {
  return {
    kind: 'table',
    caption,
    columns,
    rows: items.map((item) => ({
      ...{ variant: item.variant, cells: columns.map(({ cell }) => cell(item)) },
      ...(item.isBest && { isBest: true }),
    })),
  };
}

/** Nothing where it has no parts. */
export function section(title: string, parts: readonly Part[], isLong = false): Section[] {
  return parts.length > 0 ? [{ title, parts, isLong }] : [];
}

/** The names of variants in a sentence, all of them: `a, b, c`. */
export function namesText(of: readonly { label: string }[]): Text {
  return of.flatMap(({ label }, i): Text[] => [...(i > 0 ? [', '] : []), { name: label }]);
}

/** The first column of most tables. */
export const variantColumn: Column<{ label: string }> = left('Variant', ({ label }) => ({ name: label }));
