import { analyse } from '../analyse/analyse.ts';
import { compareAcross } from '../analyse/judge/across-shards.ts';
import type { Results } from '../results/results.ts';
import { renderAcross, renderMissing, type WantedShard } from './format/across-tables.ts';
import { type PublishPlace, renderMarkdown, STAGES } from './format/markdown.ts';

/**
 * What several machines measured as Markdown, fullest first: their comparison with each other, then the report of each.
 * The last one leaves the reports of each out.
 *
 * @param wanted all shards that were to be measured
 */
export function renderShards(
  results: readonly Results[],
  wanted: readonly WantedShard[],
  place?: PublishPlace,
): string[] {
  const indexes = results.map(({ plan }) => plan.shard?.index);
  const missing = wanted.map(({ index }) => index).filter((index) => !indexes.includes(index));
  const across = compareAcross(results);
  const head = across
    ? renderAcross({ ...across, missing }, wanted)
    : renderMissing({ missing, of: wanted.length }, wanted);
  if (results.length === 0) return [head];
  const summaries = results.map(analyse);
  const join = (body: string) => [head, body].filter(Boolean).join('\n\n');
  return [
    ...STAGES.map((stage) => join(renderMarkdown(summaries, stage, place).trimEnd())),
    ...(across ? [`${head}\n\nThe report of each machine is in the artifact.`] : []),
  ];
}
