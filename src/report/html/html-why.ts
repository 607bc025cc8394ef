import type { Summary } from '../../analyse/summary.ts';
import type { Culprit, FunctionName, FunctionTime, Why } from '../../analyse/why/why-model.ts';
import { cleanLine, plural } from '../../text/plain.ts';
import { tellUnlike } from '../view/why/cause.ts';
import { callName, placeName, signedTime, time } from '../view/why/function-names.ts';
import { joinMoved } from '../view/why/moved.ts';
import { tellOverhead } from '../view/why/overhead.ts';
import { count, NOTHING } from '../words/numbers.ts';
import { findVariant } from '../words/verdicts.ts';
import type { Numbers } from './charts/variant-numbers.ts';
import { type Html, html, isolate, name, sentence } from './html.ts';

const NO_SCRIPT = html`<p class="note no-script">The flame graphs are drawn by a script, which does not run here.</p>`;

/** Shows which functions spend CPU time, and what changed: a flame graph, and a table of the same data. */
export function renderWhy(summary: Summary, numbers: Numbers, index: number): Html | null {
  const { why } = summary;
  if (why.length === 0) return null;
  const those = (isWanted: (one: Why) => boolean) =>
    why.map((one, i) => (isWanted(one) ? renderOne(one, summary, numbers, `${index}-${i}`) : null));
  const compared = those(({ against }) => against !== null);
  const alone = those(({ against }) => against === null);
  const unlike = new Set(
    summary.scenarios.map(({ facts }) => tellUnlike(facts.name, summary, { name: isolate })),
  );
  unlike.delete('');
  return html`<section class="card" id="why-${index}"><h2>Where CPU time is spent</h2>
${NO_SCRIPT}
${[...unlike].map((text) => html`<p>${sentence(text)}</p>`)}
${compared}
<div class="flames">${alone}</div>
</section>`;
}

function renderOne(why: Why, summary: Summary, numbers: Numbers, id: string): Html {
  const { label, other } = labelsOf(why, summary);
  const scenario = summary.scenarios.length > 1 ? cleanLine(why.scenario) : '';
  const number = numbers.get(why.variant);
  // Between two rows nothing moved.
  const culprits = why.against === 'base' ? joinMoved(why.culprits) : why.culprits;
  return html`<div class="why" data-variant="${number}"><h3>${name(label)}${other && html` compared with ${name(other)}`}${scenario && html`, ${name(scenario)}`}</h3>
<p class="more">${tellEffort(why)}</p>
${culprits.length > 0 && html`<ul class="culprits">${culprits.map(tellCulprit)}</ul>`}
${why.base !== null && culprits.length === 0 && html`<p>${tellNone(why)}</p>`}
<div class="flame" data-flame="${id}" data-title="${[other ? `${label} compared with ${other}` : label, scenario].filter(Boolean).join(', ')}"></div>
<details><summary>Functions as a table</summary>${tableOf(why, { label, other }, number)}</details></div>`;
}

/** The table has both names of a function that moved, each with a sure change. */
function tellNone({ tests, against, culprits }: Why): string {
  if (tests === 0) return 'There are too few samples to compare functions.';
  return culprits.length > 0
    ? 'Functions moved, but none changed by a sure amount.'
    : NONE[against ?? 'base'];
}

const NONE = {
  base: 'No function changed by a sure amount.',
  row: 'No function surely takes more or less CPU.',
};

/** `other`: of two rows the first, which the second is compared with; empty where versions are compared, or nothing. */
function labelsOf({ variant, base, against }: Why, summary: Summary): { label: string; other: string } {
  const labelOf = (id: string) => cleanLine(findVariant(summary, id)?.label ?? id);
  return { label: labelOf(variant), other: against === 'row' ? labelOf(base ?? '') : '' };
}

function tellEffort(why: Why): string {
  const { base, against, starts, samples, periodUs, perRequestUs } = why;
  const both = base === null ? samples.variant : samples.variant + samples.base;
  const effort = `${plural(starts, 'fresh start')}${base === null ? '' : against === 'row' ? ' of each' : ' of each version'}, ${plural(both, 'sample')}, one for each ${time(periodUs)} of CPU`;
  const cost =
    base === null ? time(perRequestUs.variant) : `${time(perRequestUs.base)} → ${time(perRequestUs.variant)}`;
  return `${effort}. A request took ${cost} of CPU while it was profiled. ${tellOverhead([why])}`.trim();
}

function tellCulprit({ function: own, us, change, caller, within, isSpread }: Culprit): Html {
  const inside = within
    ? html`, in ${called(within)}, which it calls`
    : isSpread
      ? ', in many functions that it calls'
      : '';
  const place = own && placeName(own);
  const from = caller && placeName(caller);
  const by = caller && html`, called by ${called(caller)}${from && html` in ${name(from)}`}, changed here`;
  return html`<li>${own ? called(own) : 'Autoloading'} <strong>${signedTime(change.us)}</strong> (${rangeOf(change)}), ${time(us.base)} → ${time(us.variant)}${place && html`; ${name(place)}`}${own?.changed && ', changed here'}${by}${inside}</li>`;
}

const called = (one: FunctionName): Html => name(callName(one));

function rangeOf({ low, high }: { low: number; high: number }): string {
  return `${signedTime(low)} to ${signedTime(high)}`;
}

const GROUPS: Record<FunctionName['group'], string> = {
  ...{ own: 'own code', vendor: 'vendor', autoload: 'autoloading', php: 'built into PHP' },
  outside: 'outside of the app',
};

/** In the table, where numbers are compared. */
const DIGITS = 3;

interface Column {
  title: string;
  sort: 'text' | 'number';
  cell: (one: FunctionTime) => { shown: Html | string; value: string | number };
}

const timed = (us: number): ReturnType<Column['cell']> => ({ shown: time(us, DIGITS), value: us });
const ranged = (change: FunctionTime['change']): ReturnType<Column['cell']> =>
  change ? { shown: rangeOf(change), value: change.low } : { shown: NOTHING, value: '' };

const PLACE: Column = {
  title: 'File',
  sort: 'text',
  cell: (one) => ({ shown: name(placeName(one)), value: placeName(one) }),
};
const WHOSE: Column = {
  title: 'Code',
  sort: 'text',
  cell: ({ group }) => ({ shown: GROUPS[group], value: group }),
};
const NOW: Column = { title: 'This version', sort: 'number', cell: ({ selfUs }) => timed(selfUs.variant) };
const BEFORE: Column = { title: 'Base', sort: 'number', cell: ({ selfUs }) => timed(selfUs.base) };

const CHANGED: Column = {
  title: 'Changed here',
  sort: 'text',
  cell: ({ changed }) => ({ shown: changed ? 'yes' : '', value: changed ? 'yes' : '' }),
};

const COMPARED: readonly Column[] = [
  BEFORE,
  NOW,
  {
    title: 'Change',
    sort: 'number',
    cell: ({ selfUs, change }) => {
      const us = selfUs.variant - selfUs.base;
      const text = signedTime(us, DIGITS);
      return { shown: change?.sure ? html`<strong>${text}</strong>` : text, value: us };
    },
  },
  {
    title: '99 % interval',
    sort: 'number',
    cell: ({ change }) => ranged(change),
  },
  {
    title: 'Change with all it calls',
    sort: 'number',
    cell: ({ inclusiveUs }) => {
      const us = inclusiveUs.variant - inclusiveUs.base;
      return { shown: signedTime(us, DIGITS), value: us };
    },
  },
  {
    title: '99 % interval of that',
    sort: 'number',
    cell: ({ inclusiveChange }) => ranged(inclusiveChange),
  },
  CHANGED,
  ...[PLACE, WHOSE],
];

const ALONE: readonly Column[] = [
  { ...NOW, title: 'By itself' },
  { title: 'With all it calls', sort: 'number', cell: ({ inclusiveUs }) => timed(inclusiveUs.variant) },
  ...[PLACE, WHOSE],
];

/** Nothing changed between two rows, so nothing is called a change. */
function columnsOfRows(label: string, other: string): readonly Column[] {
  const titles: Record<string, string> = {
    ...{ Base: other, 'This version': label, Change: 'Difference' },
    'Change with all it calls': 'Difference with all it calls',
  };
  return COMPARED.filter(({ title }) => title !== CHANGED.title).map((column) => ({
    ...column,
    title: titles[column.title] ?? column.title,
  }));
}

function tableOf(
  { base, functions, left, tests }: Why,
  { label, other }: { label: string; other: string },
  number: number | undefined,
): Html {
  const columns = base === null ? ALONE : other ? columnsOfRows(label, other) : COMPARED;
  const caption = `CPU time per request by function, ${label}${other && ` and ${other}`}`;
  const kind = ({ sort }: Column) => (sort === 'number' ? 'number' : 'text');
  const notes = [
    'Time in a function by itself, with what it calls that is built into PHP.',
    base === null
      ? ''
      : `Intervals allow for ${count(tests)} tests, those of all calls for their own number; what is in bold is sure, and at least 0.5 % of a request.`,
    left > 0 ? `${plural(left, 'function')} with less time are left out.` : '',
  ];
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table class="rows" data-sortable>
<caption>${caption}</caption>
<thead><tr><th scope="col" class="text" data-sort="text">Function</th>${columns.map((column) => html`<th scope="col" class="${kind(column)}" data-sort="${column.sort}">${column.title}</th>`)}</tr></thead>
<tbody>${functions.map(
    (one) =>
      html`<tr data-variant="${number}"><th scope="row" class="text" data-value="${callName(one)}">${called(one)}</th>${columns.map(
        (column) => {
          const { shown, value } = column.cell(one);
          return html`<td class="${kind(column)}" data-value="${value}">${shown}</td>`;
        },
      )}</tr>\n`,
  )}</tbody></table></div>
<p class="legend-line">${notes.filter(Boolean).join(' ')}</p>`;
}
