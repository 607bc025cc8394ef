import { analyse } from '../analyse/analyse.ts';
import { compareAcross, missingShards } from '../analyse/judge/across-shards.ts';
import type { Summary } from '../analyse/summary.ts';
import type { Format } from '../config/command.ts';
import type { Results } from '../results/results.ts';
import { renderAcross, renderAcrossTable, renderMissing, renderMissingLine } from './format/across-tables.ts';
import { renderCsv } from './format/csv.ts';
import { wrap } from './format/layout.ts';
import { NOWHERE, renderMarkdown } from './format/markdown.ts';
import { renderAnswerOfAll, renderTable, type TableOptions } from './format/terminal.ts';
import { streamHtml } from './html/render.ts';
import { GROUPS_APART, titleOfGroup } from './view/answer/merged-answer.ts';

/**
 * Results in one form and nothing else, with a line break at the end; piece by piece, since a page can be large.
 *
 * @param groups what may be compared within, as `mergeResults` puts it together
 * @param terminal how wide and colourful a table may be, and whose results they are
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
        missingIn(groups, terminal),
      );
      break;
    case 'md': {
      const across = compareAcross(groups);
      const missing = missingIn(groups, terminal);
      const of = groups[0]?.plan.shard?.of ?? 0;
      if (missing.length > 0) yield `${renderMissing({ missing, of })}\n\n`;
      yield renderMarkdown(
        groups.map(judge),
        'full',
        { ...NOWHERE, missing },
        across ? renderAcross(across) : '',
      );
      break;
    }
    case 'table':
      yield renderTables(groups, terminal, judge);
  }
}

/** Machines that gave no results. A machine that has just measured its own share misses none. */
function missingIn(groups: readonly Results[], { isShare }: TableOptions): number[] {
  return isShare ? [] : missingShards(groups);
}

/** One answer for all, where they were compared with the same version; the ranking across machines; each group. */
function renderTables(
  groups: readonly Results[],
  terminal: TableOptions,
  judge: (results: Results) => Summary,
): string {
  const across = compareAcross(groups);
  const summaries = groups.map(judge);
  const missing = missingIn(groups, terminal);
  const answer = renderAnswerOfAll(summaries, terminal, missing);
  const several = groups.length > 1;
  const head = [
    renderMissingLine({ missing }, terminal),
    answer,
    across ? renderAcrossTable(across, terminal) : '',
    several && !across ? wrap(GROUPS_APART, terminal.width, '  ') : '',
  ];
  const tables = summaries.map((summary, i) => {
    const group = several && { group: titleOfGroup(summary, i, groups.length) };
    return renderTable(summary, { ...terminal, missing, ...group, isAnswered: answer !== '' });
  });
  return [...head.filter(Boolean).map((part) => `${part}\n`), ...tables].join('\n');
}
