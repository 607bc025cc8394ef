import { compareAcross } from '../analyse/across.ts';
import { analyse } from '../analyse/analyse.ts';
import type { Format } from '../config/command.ts';
import type { Results } from '../results.ts';
import { renderAcross, renderAcrossTable } from './across.ts';
import { renderCsv } from './csv.ts';
import { htmlGroup, renderHtml } from './html/render.ts';
import { renderMarkdown } from './markdown.ts';
import { renderTable, type TableOptions } from './terminal.ts';

/**
 * Results in one form and nothing else, with a line break at the end.
 *
 * @param groups what may be compared within, as `mergeResults` puts it together
 * @param terminal how wide and colourful a table may be; other forms are the same everywhere
 */
export function renderAs(format: Format, groups: readonly Results[], terminal: TableOptions): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(groups.length === 1 ? groups[0] : groups)}\n`;
    case 'csv':
      return renderCsv(groups.map(analyse));
    case 'html':
      return renderHtml(groups.map(htmlGroup), compareAcross(groups));
    case 'md': {
      const across = compareAcross(groups);
      const apart = renderMarkdown(groups.map(analyse));
      return across ? `${renderAcross(across)}\n\n${apart}` : apart;
    }
    case 'table': {
      const across = compareAcross(groups);
      const tables = groups.map((results) => renderTable(analyse(results), terminal));
      return [...(across ? [`${renderAcrossTable(across, terminal)}\n`] : []), ...tables].join('');
    }
  }
}
