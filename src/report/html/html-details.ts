import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { startSection, variantGrid } from '../view/sections/environment.ts';
import { methodOf } from '../view/sections/method.ts';
import { SCENARIO_SECTIONS } from '../view/sections/scenario-sections.ts';
import { commandsOf, machineFacts } from '../words/run-facts.ts';
import type { Numbers } from './charts/variant-numbers.ts';
import { type Html, html } from './html.ts';
import { gridHtml, partsHtml, sectionHtml, textHtml } from './sections.ts';

/** How long fresh containers took to their first answer; nothing where that was not timed by itself. */
export function renderStarts(summary: Summary, numbers: Numbers): Html {
  return html`${startSection(summary).map(({ parts }) => partsHtml(parts, numbers))}`;
}

/** Percentiles, rates that were tried, endpoints, errors and what a script found, folded. */
export function renderScenarioDetails(scenario: ScenarioSummary, numbers: Numbers): Html {
  return html`${SCENARIO_SECTIONS.flatMap((make) => make(scenario)).map((section) => sectionHtml(section, numbers))}`;
}

/** Machine, versions, and what the variants are made of. */
export function renderEnvironment(summary: Summary, numbers: Numbers): Html {
  return html`<dl class="facts">${machineFacts(summary).map(([key, value]) => html`<div><dt>${key}</dt><dd dir="auto">${value}</dd></div>`)}</dl>
${gridHtml(variantGrid(summary), numbers)}`;
}

/** How often what was loaded, how to do it again, and what the numbers mean. */
export function renderMethod(summary: Summary): Html {
  const { starts, loads, checked, effort, terms, run } = methodOf(summary);
  const commands = commandsOf(summary.run);
  return html`<p>${starts}</p>
<ul>${loads.map((load) => html`<li>${textHtml(load)}</li>`)}</ul>
${
  checked.length > 0 &&
  html`<p>Checked before the load:</p>
<ul>${checked.map((line) => html`<li dir="auto">${textHtml(line)}</li>`)}</ul>`
}
<p>${textHtml(effort)}</p>
${
  commands &&
  html`<p>To repeat it:</p>
<pre class="command" tabindex="0"><code>${commands}</code></pre>`
}
<dl class="terms">
${terms.map(([name, meaning]) => html`<dt>${name}</dt><dd>${meaning}</dd>\n`)}</dl>
<p>${textHtml(run)}</p>`;
}
