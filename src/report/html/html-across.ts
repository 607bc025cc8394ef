import type { Across, AcrossScenario } from '../../analyse/judge/across-shards.ts';
import { columnsOf, legendOf, part, titleOf, verdictOf } from '../format/across-tables.ts';
import { type Html, html, isolate, name, sentence } from './html.ts';

/** What several machines measured in one table, each variant by its ratio to the reference on its own machine. */
export function renderAcrossHtml(across: Across): Html {
  const { missing, of } = across;
  return html`<section class="card across">
${
  missing.length > 0 &&
  html`<p class="note">No results of shard ${missing.join(', ')} of ${of}: what it was to measure is not in the tables.</p>`
}
${across.scenarios.map((scenario) => renderScenario(scenario, across))}
<p class="legend-line" dir="auto">${legendOf(across)}</p>
</section>`;
}

function renderScenario(scenario: AcrossScenario, across: Across): Html {
  const { placed, apart } = part(scenario.rows);
  const columns = columnsOf(scenario.metric, across, isolate);
  const title = titleOf(scenario, across);
  return html`<h2 dir="auto">${title}</h2>
<p class="verdict">${sentence(verdictOf(scenario, isolate))}</p>
${
  placed.length > 0 &&
  html`<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table class="rows">
<caption class="visually-hidden">${title}</caption>
<thead><tr>${columns.map(({ title, right }) => html`<th scope="col" class="${right ? 'number' : 'text'}">${sentence(title)}</th>`)}</tr></thead>
<tbody>${placed.map(
    (row) =>
      html`<tr class="${row.place?.rank === 1 && 'first'}">${columns.map(({ key, right, cell }) =>
        key === 'label'
          ? html`<th scope="row" class="text variant">${sentence(cell(row))}</th>`
          : html`<td class="${right ? 'number' : 'text'}">${cell(row)}</td>`,
      )}</tr>\n`,
  )}</tbody></table></div>`
}
${
  apart.length > 0 &&
  html`<ul>${apart.map((row) => html`<li>${name(row.label)} is not ranked: <span dir="auto">${row.why}</span></li>`)}</ul>`
}`;
}
