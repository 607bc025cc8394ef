import type { Comparison } from '../../results/results.ts';
import type { Grid, GridHead, Part, Section, Text } from '../view/model.ts';
import type { Numbers } from './charts/variant-numbers.ts';
import { type Html, html, name } from './html.ts';

type Range = Pick<Comparison, 'ratio' | 'interval' | 'verdict'>;
/** The position of a ratio in its chart: `42.0%`. */
type Scale = (ratio: number) => string;

/** Text of the model: that of others is escaped, and a name reads in its own direction. */
export function textHtml(text: Text): Html {
  if (typeof text === 'string') return html`${text}`;
  if ('name' in text) return name(text.name);
  if ('code' in text) return html`<code>${text.code}</code>`;
  if ('text' in text) return html`${text.text}`;
  if ('strong' in text)
    return html`<strong${text.tone && html` class="${text.tone}"`}>${textHtml(text.strong)}</strong>`;
  if ('lines' in text)
    return html`${text.lines.map((line, i) => html`${i > 0 && html`<br>`}${textHtml(line)}`)}`;
  if ('range' in text) return drawRange(text.range, scaleOf([text.range]));
  return html`${text.map(textHtml)}`;
}

const [END_HEAD, END_CELL] = [html`</th>`, html`</td>`];

/** A table of its own, whose rows are hidden with their variant. */
export function gridHtml({ caption, isHeaded, columns, rows }: Grid, numbers: Numbers = new Map()): Html {
  const names = Math.max(
    0,
    columns.findIndex(({ key }) => key === 'label'),
  );
  const kind = ({ align, long, isMain, isPicture }: GridHead) =>
    [align === 'right' ? 'number' : 'text', long && 'long', isMain && 'main', isPicture && 'bar']
      .filter(Boolean)
      .join(' ');
  const scales = columns.map(({ isPicture }, i) =>
    isPicture ? scaleOf(rows.flatMap(({ cells }) => rangeIn(cells[i]))) : null,
  );
  // Made once: a large report has hundreds of thousands of cells.
  const [open, close] = [
    columns.map((column, i) =>
      i === names
        ? html`<th scope="row" class="${kind(column)} variant">`
        : html`<td class="${kind(column)}">`,
    ),
    columns.map((_, i) => (i === names ? END_HEAD : END_CELL)),
  ];
  const cell = (text: Text, i: number) => {
    const [scale, [range]] = [scales[i], rangeIn(text)];
    return [open[i], range && scale ? drawRange(range, scale) : textHtml(text), close[i]];
  };
  const head = (column: GridHead) => {
    const title = column.isPicture
      ? html`<span class="visually-hidden">${textHtml(column.title)}</span>`
      : textHtml(column.title);
    return html`<th scope="col" class="${kind(column)}">${title}${column.unit && html` <small>${column.unit}</small>`}</th>`;
  };
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table class="rows">
<caption${isHeaded && html` class="visually-hidden"`}>${caption}</caption>
<thead><tr>${columns.map(head)}</tr></thead>
<tbody>${rows.map(({ variant, cells }) => {
    const number = numbers.get(variant);
    return html`<tr${number !== undefined && html` data-variant="${number}"`}>${columns.map((_, i) => cell(cells[i] ?? '', i))}</tr>\n`;
  })}</tbody></table></div>`;
}

function rangeIn(text: Text | undefined): Range[] {
  return typeof text === 'object' && 'range' in text ? [text.range] : [];
}

/** One scale for all rows, even in the logarithm, since a half is as far from one as a double. */
export function scaleOf(shown: readonly Range[]): Scale {
  const ends = shown.flatMap(({ ratio, interval }) => [ratio ?? 1, interval?.low ?? 1, interval?.high ?? 1]);
  const logs = [0, ...ends.filter((end) => end > 0).map(Math.log)];
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const room = (high - low || 0.01) * 0.06;
  return (ratio) => {
    const share = (Math.log(Math.max(ratio, 1e-9)) - low + room) / (high - low + 2 * room);
    return `${Math.min(100, Math.max(0, share * 100)).toFixed(1)}%`;
  };
}

/** An interval on the scale of its column. */
export function drawRange({ ratio, interval, verdict }: Range, at: Scale): Html {
  if (ratio === null) return html``;
  const range =
    interval &&
    html`<line class="range" x1="${at(interval.low)}" x2="${at(interval.high)}" y1="50%" y2="50%"/>`;
  return html`<svg class="forest ${verdict}" width="100%" height="18" aria-hidden="true"><line class="zero" x1="${at(1)}" x2="${at(1)}" y1="0" y2="100%"/>${range}<circle cx="${at(ratio)}" cy="50%" r="4.5"/></svg>`;
}

function partOf(part: Part, numbers: Numbers): Html {
  if (part.kind === 'table') return gridHtml(part, numbers);
  const own = part.variants?.flatMap((variant) => numbers.get(variant) ?? []) ?? [];
  const of = own.length > 0 && html` data-variant="${own.join(' ')}"`;
  if (part.kind === 'line') return html`<p${of}>${textHtml(part.text)}</p>`;
  return html`<pre tabindex="0" dir="auto"${of}>${part.text}</pre>`;
}

export function partsHtml(parts: readonly Part[], numbers: Numbers): Html {
  return html`${parts.map((part) => partOf(part, numbers))}`;
}

export function sectionHtml({ title, parts }: Section, numbers: Numbers): Html {
  return html`<details><summary>${title}</summary>${partsHtml(parts, numbers)}</details>`;
}
