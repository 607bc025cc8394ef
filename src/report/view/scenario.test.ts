import { expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import { renderHtml } from '../../../test/fixtures/results/render-html.ts';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { ScenarioSummary } from '../../analyse/summary.ts';
import { renderMarkdown } from '../format/markdown.ts';
import { renderTable } from '../format/terminal.ts';
import { htmlGroup } from '../html/render.ts';
import { type Medium, PLAIN_MARKS, THIS_CHANGE } from './medium.ts';
import { viewScenario } from './scenario.ts';

const same = (text: string) => text;
const medium: Medium = {
  ...THIS_CHANGE,
  ...{ name: same, text: same, code: same, call: same, place: same, commit: same, marks: PLAIN_MARKS },
};
const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&#39;': "'" };

/** Without what only a format has: tags, marks of Markdown, line breaks. */
function wordsOf(text: string): string {
  return text
    .replace(/<br>|<\/?[a-z][^>]*>/g, (tag) => (tag === '<br>' ? ' ' : ''))
    .replace(/&(?:lt|gt|amp|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/[\\*`\u200b]|&#8203;/g, '')
    .replace(/[\s\u00a0]+/g, ' ');
}

test.each(['quick', 'mixed', 'script', 'base', 'one-start', 'why-hostile'])(
  'each sentence about a scenario is in each format: %s',
  (name) => {
    const results = (fixtures[name] as NonNullable<(typeof fixtures)[string]>)();
    const summary = analyse(results);
    const formats = Object.entries({
      markdown: renderMarkdown(summary),
      terminal: renderTable(summary, { width: 500, color: false }),
      html: renderHtml([htmlGroup(results)]),
    });
    for (const scenario of summary.scenarios) {
      const { verdict, tuned, others, conditions, legend } = viewScenario(scenario, summary, { medium });
      const said = [verdict, ...tuned, ...others, conditions, ...legend];
      const missing = formats.flatMap(([format, text]) =>
        said
          .filter((words) => !wordsOf(text).includes(wordsOf(words).trim()))
          .map((words) => `${format}: ${words}`),
      );
      expect(missing).toEqual([]);
    }
  },
);

test.each([1, 2, 3, Infinity])('of %d variants at most, each row is shown or counted', (most) => {
  const summary = summaryOf('base-broken');
  const [scenario] = summary.scenarios as [ScenarioSummary];
  const { ranked, apart, failed, left } = viewScenario(scenario, summary, { medium, most });
  const shown = [ranked, failed, ...apart.map(({ rows }) => rows)].flat();
  const all = [...scenario.rows, ...scenario.bases.filter(({ state }) => state.kind === 'failed')];
  expect(shown.length + left).toBe(all.length);
});
