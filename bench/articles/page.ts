/** Renders the parts of docs/articles.md that come from the data. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandOf, NAMES, type Name } from './articles.ts';
import { judgeClaims } from './claims.ts';
import { type Data, parseData } from './data.ts';
import { renderTables } from './tables.ts';

export const PAGE = resolve(import.meta.dirname, '../../docs/articles.md');

export function dataFile(name: Name): string {
  return join(import.meta.dirname, 'data', `${name}.ndjson`);
}

/** Null: that article was not run. */
export function readData(name: Name): Data | null {
  const file = dataFile(name);
  return existsSync(file) ? parseData(readFileSync(file, 'utf8')) : null;
}

/** The page with what stands between the two markers of each article replaced. */
export function renderPage(page: string, dataOf: (name: Name) => Data | null): string {
  return NAMES.reduce((text, name) => {
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the page lacks ${begin.trim()} … ${end}`);
    const lines = renderArticle(name, dataOf(name));
    return `${text.slice(0, from)}${begin}\n${lines.join('\n')}\n\n${text.slice(to)}`;
  }, page);
}

function renderArticle(name: Name, data: Data | null): string[] {
  return [
    ...['```sh', data?.run.command ?? commandOf(name), '```', ''],
    ...(data ? renderTables(name, data) : ['Not run here.']),
    '',
    ...['| claim | here | why |', '| --- | --- | --- |'],
    ...judgeClaims(name, data).map(
      ({ claim, verdict, why }) => `| ${escapeSigns(claim)} | **${verdict}** | ${escapeSigns(why)} |`,
    ),
  ];
}

/** Our own text, in which code is code. */
function escapeSigns(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
