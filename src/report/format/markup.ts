import type { Grid, Part, Section, Text } from '../view/model.ts';
import type { Table } from '../view/table.ts';
import { code, codeBlock, escapeMarkdown } from './escape.ts';

export interface MarkdownColumn<T> {
  title: string;
  right?: boolean;
  /** Markdown already: text of others is escaped by whoever makes the cell. */
  cell: (item: T) => string;
}

/** A Markdown table, one row an item. */
export function table<T>(columns: readonly MarkdownColumn<T>[], items: readonly T[]): string {
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

/** Text of the model: ours as it is, that of others harmless. */
export function textMarkdown(text: Text): string {
  if (typeof text === 'string') return text.replaceAll('<', '&lt;').replaceAll('~', '\\~');
  if ('name' in text) return code(text.name);
  if ('code' in text) return code(text.code);
  if ('text' in text) return escapeMarkdown(text.text);
  if ('strong' in text) return `**${textMarkdown(text.strong)}**`;
  if ('lines' in text) return text.lines.map(textMarkdown).join('<br>');
  if ('range' in text) return '';
  return text.map(textMarkdown).join('');
}

export function gridMarkdown({ columns, rows }: Grid): string {
  const shown = columns.flatMap(({ title, unit, align, isPicture }, i) => {
    const head = textMarkdown(title);
    const cell = ({ cells }: Grid['rows'][number]) => textMarkdown(cells[i] ?? '');
    return isPicture ? [] : [{ title: unit ? `${head} ${unit}` : head, right: align === 'right', cell }];
  });
  return table(shown, rows);
}

/** Parts below each other; tables have their captions where there are several. */
function partsMarkdown(parts: readonly Part[]): string {
  const tables = parts.filter(({ kind }) => kind === 'table').length;
  return parts
    .map((part) => {
      if (part.kind === 'line') return textMarkdown(part.text);
      if (part.kind === 'log') return codeBlock(part.text);
      return tables > 1 ? `${part.caption}:\n\n${gridMarkdown(part)}` : gridMarkdown(part);
    })
    .join('\n\n');
}

/** @param where the scenario, where there are several; already escaped */
export function sectionMarkdown({ title, parts }: Section, where = ''): string {
  return folded(where ? `${title}: ${where}` : title, partsMarkdown(parts));
}
