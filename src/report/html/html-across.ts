import type { Across } from '../../analyse/judge/across-shards.ts';
import { acrossLegend, acrossTables } from '../view/sections/across.ts';
import { type Html, html, isolate, sentence } from './html.ts';
import { gridHtml, textHtml } from './sections.ts';

/** Results of several machines in one table, each variant as a ratio to the reference on its own machine. */
export function renderAcrossHtml(across: Across): Html {
  return html`<section class="card across">
${acrossTables(across, isolate).map(
  ({ title, verdict, grid, apart }) => html`<h2 dir="auto">${title}</h2>
<p class="verdict">${sentence(verdict)}</p>
${grid.rows.length > 0 && gridHtml(grid)}
${apart.length > 0 && html`<ul>${apart.map((text) => html`<li dir="auto">${textHtml(text)}</li>`)}</ul>`}`,
)}
<p class="legend-line" dir="auto">${acrossLegend(across)}</p>
</section>`;
}

/** Which machines gave no results. It comes first: without them an answer is not complete. */
export function renderMissingHtml({ missing, of }: Pick<Across, 'missing' | 'of'>): Html | null {
  if (missing.length === 0) return null;
  const [machines, they] = missing.length === 1 ? ['machine', 'it was'] : ['machines', 'they were'];
  return html`<p class="note">No results of ${machines} ${missing.join(', ')} of ${of}: what ${they} to measure is not in the tables.</p>`;
}
