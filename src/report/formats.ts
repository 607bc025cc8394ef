import { analyse } from '../analyse/analyse.ts';
import { compareAcross } from '../analyse/judge/across-shards.ts';
import type { Summary } from '../analyse/summary.ts';
import type { Format } from '../config/command.ts';
import type { Results } from '../results/results.ts';
import { renderAcross, renderAcrossTable } from './format/across-tables.ts';
import { renderCsv } from './format/csv.ts';
import { renderMarkdown } from './format/markdown.ts';
import { renderTable, type TableOptions } from './format/terminal.ts';
import { streamHtml } from './html/render.ts';

/**
 * Results in one form and nothing else, with a line break at the end; piece by piece, since a page can be large.
 *
 * @param groups what may be compared within, as `mergeResults` puts it together
 * @param terminal how wide and colourful a table may be; other forms are the same everywhere
 * @param judge the verdicts on the results, if they are known already
 */
export function* renderAs(
  format: Format,
  groups: readonly Results[],
  terminal: TableOptions,
  judge: (results: Results) => Summary = analyse,
): Generator<string> {
  switch (format) {
    case 'json':
      yield JSON.stringify(groups.length === 1 ? groups[0] : groups);
      yield '\n';
      break;
    case 'csv':
      yield renderCsv(groups.map(judge));
      break;
    case 'html':
      yield* streamHtml(
        groups.map((results) => ({ summary: judge(results), measurements: results.measurements })),
        compareAcross(groups),
      );
      break;
    case 'md': {
      const across = compareAcross(groups);
      if (across) yield `${renderAcross(across)}\n\n`;
      yield renderMarkdown(groups.map(judge));
      break;
    }
    case 'table': {
      const across = compareAcross(groups);
      if (across) yield `${renderAcrossTable(across, terminal)}\n`;
      for (const results of groups) yield renderTable(judge(results), terminal);
    }
  }
}
