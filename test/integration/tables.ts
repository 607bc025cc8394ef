/** Tables in docs/runtimes.md that tests compare with what servers do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './docker.ts';

/** A value of $_SERVER as a table shows it. */
export const showValue = (value: string | null | undefined) =>
  value === null || value === undefined ? '' : value === '' ? 'empty' : `\`${value}\``;

/** The lines of a table, without the rule under its head. The formatter aligns columns. */
export function tableIn(name: string): string[] {
  const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8').split('\n');
  return page
    .slice(page.indexOf(`<!-- ${name} -->`) + 1, page.indexOf(`<!-- /${name} -->`))
    .filter((text) => text.startsWith('|') && !/^[|\s:-]+$/.test(text))
    .map((text) => text.replaceAll(/ +/g, ' '));
}

/** A table's rows, each by the names of its columns. */
export function rowsIn(name: string): Record<string, string>[] {
  const [head = [], ...others] = tableIn(name).map((text) => text.split('|').slice(1, -1));
  return others.map((cells) =>
    Object.fromEntries(head.map((column, at) => [column.trim(), cells[at]?.trim() ?? ''])),
  );
}
