import type { Table } from './view/table.ts';

export interface Column<T> {
  title: string;
  right?: boolean;
  /** Markdown already: text of others is escaped by whoever makes the cell. */
  cell: (item: T) => string;
}

/** A Markdown table, one row an item. */
export function table<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map((column) => column.title)),
    line(columns.map((column) => (column.right ? '--:' : ':--'))),
    ...items.map((item) => line(columns.map((column) => column.cell(item)))),
  ].join('\n');
}

/** A folded part. GitHub wants the empty lines to read what is inside as Markdown. */
export function folded(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** A table of the report's model. */
export function tableOf({ columns, rows }: Table): string {
  return table(
    columns.map(({ key, title, align }, i) => ({
      title,
      right: align === 'right',
      cell: ({ cells }: Table['rows'][number]) => {
        const { text = '', strong = false } = cells[i] ?? {};
        // A name may break at its spaces, a number or a verdict may not.
        const shown = key === 'label' || key === 'scenario' ? text : whole(text);
        return strong ? `**${shown}**` : shown;
      },
    })),
    rows,
  );
}

/** No line breaks at its spaces. */
export function whole(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}
