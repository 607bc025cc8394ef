import { analyse } from '../analyse/analyse.ts';
import { compareAcross } from '../analyse/judge/across-shards.ts';
import type { Summary } from '../analyse/summary.ts';
import type { Results } from '../results/results.ts';
import { renderAcross, renderMissing, type WantedShard } from './format/across-tables.ts';
import { NOWHERE, type PublishPlace, renderMarkdown, renderMergedAnswer, STAGES } from './format/markdown.ts';

/**
 * Reports on several machines as Markdown, fullest first. With another version to compare with, they begin with whether
 * it got slower, on all machines. The ranking and the report of each machine follow, folded. Else the ranking leads.
 * The last ones leave out the report of each machine, and finally the ranking.
 *
 * @param wanted all shards that were to be measured
 */
export function renderShards(
  results: readonly Results[],
  wanted: readonly WantedShard[],
  place: PublishPlace = NOWHERE,
  judge: (results: Results) => Summary = analyse,
): string[] {
  const indexes = results.map(({ plan }) => plan.shard?.index);
  const missing = wanted.map(({ index }) => index).filter((index) => !indexes.includes(index));
  const head = renderMissing({ missing, of: wanted.length }, wanted);
  if (results.length === 0) return [head];
  const across = compareAcross(results);
  const ranking = across ? renderAcross(across) : '';
  const summaries = results.map((one) => judge(one));
  const here = { ...place, missing };
  const answer = renderMergedAnswer(summaries, here);
  const withRanking = answer ? [renderMergedAnswer(summaries, here, ranking)] : [];
  return [
    ...STAGES.map((stage) => renderMarkdown(summaries, stage, here, ranking).trimEnd()),
    ...[...withRanking, answer || ranking]
      .filter(Boolean)
      .map((text) => `${text}\n\nThe report of each machine is in the artifact.`),
  ].map((text) => [head, text].filter(Boolean).join('\n\n'));
}
