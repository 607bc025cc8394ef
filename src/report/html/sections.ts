import type { Grid, GridHead, Part, Section, Text } from '../view/model.ts';
import type { Numbers } from './charts/variants.ts';
import { type Html, html, name } from './html.ts';

/** Text of the model: that of others is escaped, and a name reads in its own direction. */
export function textHtml(text: Text): Html {
  if (typeof text === 'string') return html`${text}`;
  if ('name' in text) return name(text.name);
  if ('code' in text) return html`<code>${text.code}</code>`;
  if ('text' in text) return html`${text.text}`;
  if ('strong' in text)
    return html`<strong${text.tone && html` class="${text.tone}"`}>${textHtml(text.strong)}</strong>`;
  return html`${text.map(textHtml)}`;
}

/** A table of its own, whose rows are hidden with their variant. */
export function gridHtml({ caption, columns, rows }: Grid, numbers: Numbers): Html {
  const kind = ({ align, long }: GridHead) =>
    `${align === 'right' ? 'number' : 'text'}${long ? ' long' : ''}`;
  const cell = (column: GridHead, text: Text, i: number) =>
    i === 0
      ? html`<th scope="row" class="${kind(column)} variant">${textHtml(text)}</th>`
      : html`<td class="${kind(column)}">${textHtml(text)}</td>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table class="rows">
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col" class="${kind(column)}">${column.title}${column.unit && html` <small>${column.unit}</small>`}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ variant, cells }) =>
      html`<tr data-variant="${numbers.get(variant)}">${columns.map((column, i) => cell(column, cells[i] ?? '', i))}</tr>\n`,
  )}</tbody></table></div>`;
}

function partOf(part: Part, numbers: Numbers): Html {
  if (part.kind === 'table') return gridHtml(part, numbers);
  const number = part.variant === undefined ? undefined : numbers.get(part.variant);
  const of = number !== undefined && html` data-variant="${number}"`;
  if (part.kind === 'line') return html`<p${of}>${textHtml(part.text)}</p>`;
  return html`<pre tabindex="0" dir="auto"${of}>${part.text}</pre>`;
}

export function partsHtml(parts: readonly Part[], numbers: Numbers): Html {
  return html`${parts.map((part) => partOf(part, numbers))}`;
}

export function sectionHtml({ title, parts }: Section, numbers: Numbers): Html {
  return html`<details><summary>${title}</summary>${partsHtml(parts, numbers)}</details>`;
}
