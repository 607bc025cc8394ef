import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { plural } from '../../text/plain.ts';
import { startSection, variantGrid } from '../view/sections/environment.ts';
import { logSection } from '../view/sections/faults.ts';
import { methodOf } from '../view/sections/method.ts';
import { SCENARIO_SECTIONS } from '../view/sections/scenario-sections.ts';
import { commandsOf, machineFacts } from '../words/run-facts.ts';
import { code, codeBlock, escapeHtml, escapeMarkdown } from './escape.ts';
import { folded, gridMarkdown, sectionMarkdown, table, textMarkdown } from './markup.ts';
import { renderComparisons } from './md-comparisons.ts';

/** Everything below the tables, folded: percentiles, endpoints, errors, warnings, machine, method. */
export function renderDetails(summary: Summary, stage: 'full' | 'folded'): string {
  const { scenarios, warnings } = summary;
  const isFull = stage === 'full';
  const nameOf = ({ facts }: ScenarioSummary) => (scenarios.length > 1 ? escapeHtml(facts.name) : '');
  const compared = scenarios.map((scenario) => {
    const body = renderComparisons(scenario, summary, isFull);
    const title = 'All that was compared, and how it was decided';
    const where = nameOf(scenario);
    return body && folded(where ? `${title}: ${where}` : title, body);
  });
  const sections = SCENARIO_SECTIONS.flatMap((make) =>
    scenarios.flatMap((scenario) =>
      make(scenario).map((section) => ({ ...section, where: nameOf(scenario) })),
    ),
  );
  const shown = [
    ...sections,
    ...[...logSection(summary), ...startSection(summary)].map((one) => ({ ...one, where: '' })),
  ]
    .filter(({ isLong }) => isFull || !isLong)
    .map((section) => sectionMarkdown(section, section.where));
  return [
    warnings.length > 0 ? folded(plural(warnings.length, 'warning'), warningLines(summary)) : '',
    ...compared,
    ...shown,
    folded('Environment', environment(summary)),
    folded('How this was measured, and how to repeat it', method(summary)),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function warningLines({ warnings }: Summary): string {
  return warnings
    .map(({ code: name, message, remedy }) => {
      return `- **${escapeMarkdown(name)}**: ${escapeMarkdown(message)}. *Remedy:* ${escapeMarkdown(remedy)}.`;
    })
    .join('\n');
}

function environment(summary: Summary): string {
  const machine = table<[string, string]>(
    [
      { title: '', cell: ([name]) => name },
      { title: '', cell: ([name, value]) => (name === 'Commit' ? commitCell(value) : escapeMarkdown(value)) },
    ],
    machineFacts(summary),
  );
  return `${machine}\n\n${gridMarkdown(variantGrid(summary))}`;
}

/** In code the commit is neither linked nor broken by a space that is copied with it. */
function commitCell(value: string): string {
  const [commit = '', ...files] = value.split(' ');
  return [code(commit), escapeMarkdown(files.join(' '))].filter(Boolean).join(' ');
}

function method(summary: Summary): string {
  const { starts, loads, checked, effort, terms, run } = methodOf(summary);
  const commands = commandsOf(summary.run);
  const items = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    starts,
    items(loads.map(textMarkdown)),
    ...(checked.length > 0 ? ['Checked before the load:', items(checked.map(textMarkdown))] : []),
    textMarkdown(effort),
    ...(commands ? [codeBlock(commands, 'sh')] : []),
    'Meaning of each number, and how sure it is:',
    items(terms.map(([name, meaning]) => `**${escapeMarkdown(name)}**: ${textMarkdown(meaning)}`)),
    textMarkdown(run),
  ].join('\n\n');
}
