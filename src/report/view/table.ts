/** A table as every format shows it. Its texts are made fit for the format already. */
export interface Table {
  columns: readonly Head[];
  rows: readonly TableRow[];
}

export interface Head {
  /** Key by which a narrow terminal drops the column. */
  key: string;
  title: string;
  align: 'left' | 'right';
}

export interface TableRow {
  /** Id of its variant. */
  variant: string;
  /** One for each column. */
  cells: readonly Cell[];
}

export interface Cell {
  text: string;
  strong?: boolean;
  tone?: Tone;
}

export type Tone = 'bad' | 'warn' | 'good';
