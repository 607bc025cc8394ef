import type { Axis, DotRow, DotView } from '../charts/chart.ts';
import { bdi, colorClass, el, svg, swatch } from './dom.ts';
import { format, formatTick, ticks } from './format.ts';
import type { Tooltip, TooltipReading } from './tooltip.ts';

/** Pixels around the starts of a variant. */
const AROUND = 12;
/** Pixels from one start to the next: many lie closer together. */
const lineOf = ({ starts }: DotRow) => (starts.length > 6 ? 5 : 9);

/** Reads a drawn chart by the keyboard, value by value. */
export interface Reader {
  /** Moves by so many values; far: to the first or last. */
  step(by: number): void;
  leave(): void;
}

/** A row of dots for each variant on one common scale, drawn as SVG: it prints, and names stay text. */
export function drawDots(
  view: DotView,
  rows: readonly DotRow[],
  labels: readonly string[],
  target: HTMLElement,
  tooltip: Tooltip,
): Reader {
  const { low, high } = rangeOf(rows);
  const at = (value: number) => `${(((value - low) / (high - low)) * 100).toFixed(2)}%`;
  const marks = ticks(low, high, innerWidth < 520 ? 3 : 6, view.axis.unit);
  const dots: (() => void)[] = [];
  const list = rows.map((row) => {
    const label = labels[row.variant] ?? '';
    const drawing = drawRow(row, at, marks);
    const show = (start: number, slice: number, x: number, y: number) => {
      const place = target.getBoundingClientRect();
      const reading = readDot(view, row, start, slice, label);
      if (reading) tooltip.show(reading.where, [reading], x - place.left, y - place.top);
    };
    drawing.addEventListener('pointermove', (event) => {
      const { start, slice } = nearestTo(event, row, { low, high }, drawing);
      show(start, slice, event.clientX, event.clientY);
    });
    const circles = [...drawing.querySelectorAll('circle')];
    const places = row.starts.flatMap((values, start) => values.map((_, slice) => [start, slice] as const));
    for (const [i, [start, slice]] of places.entries()) {
      dots.push(() => {
        const { left, top, width, height } = (circles[i] as SVGElement).getBoundingClientRect();
        show(start, slice, left + width / 2, top + height / 2);
      });
    }
    drawing.addEventListener('pointerleave', () => tooltip.hide());
    return el(
      'div',
      { class: 'dot-row', role: 'listitem' },
      el('span', { class: 'dot-label' }, swatch(row.variant), bdi(label)),
      drawing,
      el('span', { class: 'dot-value' }, row.text),
    );
  });
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  target.style.setProperty(
    '--label-length',
    String(longest(rows.map(({ variant }) => labels[variant] ?? ''))),
  );
  target.style.setProperty('--value-length', String(longest(rows.map(({ text }) => text))));
  target.append(
    el('div', { class: 'dots', role: 'list' }, ...list),
    el(
      'div',
      { class: 'dot-row dot-axis', 'aria-hidden': 'true' },
      el('span'),
      drawAxis(marks, at, view.axis),
      el('span'),
    ),
  );
  let now: number | null = null;
  return {
    step(by) {
      const from = now ?? (by > 0 ? -1 : dots.length);
      now = Math.min(dots.length - 1, Math.max(0, from + by));
      dots[now]?.();
    },
    leave() {
      now = null;
      tooltip.hide();
    },
  };
}

/** From zero where the values lie far apart, else only what there is, so that small differences show. */
function rangeOf(rows: readonly DotRow[]): { low: number; high: number } {
  const values = rows.flatMap(({ starts, value, half }) => [
    ...starts.flat(),
    ...(value === null ? [] : [Math.max(0, value - (half ?? 0)), value + (half ?? 0)]),
  ]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || most || 1) * 0.06;
  return { low: least < most * 0.5 ? Math.min(0, least) : least - room, high: most + room };
}

function drawRow(row: DotRow, at: (value: number) => string, marks: readonly number[]): SVGSVGElement {
  const { variant, starts, value, half } = row;
  const line = lineOf(row);
  const height = starts.length * line + AROUND;
  const middle = height / 2;
  const dots = starts.flatMap((values, start) =>
    values.map((dot) =>
      svg('circle', {
        class: 'dot',
        cx: at(dot),
        cy: AROUND / 2 + line * (start + 0.5),
        r: line < 9 ? 2.75 : 3.5,
      }),
    ),
  );
  const interval =
    value !== null && half !== null && half > 0
      ? [
          svg('line', {
            class: 'interval',
            // Nothing here is less than nothing, however wide the interval.
            x1: at(Math.max(0, value - half)),
            x2: at(value + half),
            y1: middle,
            y2: middle,
          }),
        ]
      : [];
  const mean =
    value === null
      ? []
      : [svg('line', { class: 'mean', x1: at(value), x2: at(value), y1: 2, y2: height - 2 })];
  const grid = marks.map((mark) =>
    svg('line', { class: 'grid', x1: at(mark), x2: at(mark), y1: 0, y2: '100%' }),
  );
  return svg(
    'svg',
    { class: `${colorClass(variant)}`, height, width: '100%', 'aria-hidden': 'true' },
    ...grid,
    ...dots,
    ...interval,
    ...mean,
  );
}

function drawAxis(marks: readonly number[], at: (value: number) => string, axis: Axis): SVGSVGElement {
  const texts = marks.map((mark) =>
    svg('text', { x: at(mark), y: 14, 'text-anchor': 'middle' }, formatTick(mark, axis.unit)),
  );
  return svg('svg', { height: 18, width: '100%' }, ...texts);
}

/** The start under the cursor, and its slice that is nearest to it. */
function nearestTo(
  event: PointerEvent,
  row: DotRow,
  { low, high }: { low: number; high: number },
  drawing: SVGSVGElement,
): { start: number; slice: number } {
  const box = drawing.getBoundingClientRect();
  const value = low + ((event.clientX - box.left) / box.width) * (high - low);
  const start = Math.min(
    row.starts.length - 1,
    Math.max(0, Math.floor((event.clientY - box.top - AROUND / 2) / lineOf(row))),
  );
  const values = row.starts[start] ?? [];
  const slice = values.reduce(
    (best, dot, i) => (Math.abs(dot - value) < Math.abs((values[best] as number) - value) ? i : best),
    0,
  );
  return { start, slice };
}

/** A dot as the tooltip shows it: `start 2, 3 of 4`, or the name of the view; null where the start has none. */
export function readDot(
  view: Pick<DotView, 'name' | 'axis'>,
  { variant, starts, instances }: DotRow,
  start: number,
  slice: number,
  name: string,
): (TooltipReading & { where: string }) | null {
  const values = starts[start] ?? [];
  const value = values[slice];
  if (value === undefined) return null;
  const instance = instances[start];
  const place = values.length > 1 ? `${slice + 1} of ${values.length}` : '';
  const where = [instance === undefined ? '' : `start ${instance + 1}`, place].filter(Boolean).join(', ');
  const text = format(value, view.axis.unit);
  return { variant, name, value, text, isNear: true, where: where || view.name };
}
