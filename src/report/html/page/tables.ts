import type { DotChart, Line, LineChart } from '../charts/chart.ts';
import { bdi, el } from './dom.ts';
import { format } from './format.ts';

/** The most rows of a table: the rest of a longer one stays in results.json. */
const ROWS = 1000;

type Cell = Node | string;

function table(caption: string, head: readonly Cell[], rows: readonly Cell[][]): HTMLElement {
  const row = (cells: readonly Cell[], tag: 'th' | 'td') =>
    el(
      'tr',
      {},
      ...cells.map((cell, i) =>
        tag === 'th'
          ? el('th', { scope: 'col' }, cell)
          : i === 0
            ? el('th', { scope: 'row' }, cell)
            : el('td', { class: 'number' }, cell),
      ),
    );
  const more =
    rows.length > ROWS ? [el('p', {}, `${rows.length - ROWS} more rows are in results.json.`)] : [];
  return el(
    'div',
    { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    el(
      'table',
      {},
      el('caption', {}, caption),
      el('thead', {}, row(head, 'th')),
      el('tbody', {}, ...rows.slice(0, ROWS).map((cells) => row(cells, 'td'))),
    ),
    ...more,
  );
}

/** A row for each x, a column for each line. */
export function lineTable(
  chart: LineChart,
  view: number,
  lines: readonly Line[],
  labelOf: (line: Line) => string,
  caption: string,
): HTMLElement {
  const unit = chart.views[view]?.y.unit ?? 'count';
  const values = new Map<number, string[]>();
  lines.forEach((line, column) => {
    chart.xs[line.x]?.forEach((x, i) => {
      const y = line.y[i];
      if (y == null) return;
      const row = values.get(x) ?? [];
      row[column] = format(y, unit);
      values.set(x, row);
    });
  });
  const rows = [...values]
    .sort(([a], [b]) => a - b)
    .map(([x, cells]) => [format(x, chart.x.unit), ...lines.map((_, i) => cells[i] ?? '')]);
  return table(caption, [chart.x.label, ...lines.map((line) => bdi(labelOf(line)))], rows);
}

/** A row for each dot. */
export function dotTable(
  chart: DotChart,
  view: number,
  isDrawn: (variant: number) => boolean,
  labels: readonly string[],
  caption: string,
): HTMLElement {
  const { axis, rows } = chart.views[view] as DotChart['views'][number];
  const cells = rows
    .filter(({ variant }) => isDrawn(variant))
    .flatMap(({ variant, starts, instances, text }) =>
      starts.flatMap((values, i) =>
        values.map((value): Cell[] => [
          bdi(labels[variant] ?? ''),
          ...instances.slice(i, i + 1).map((instance) => String(instance + 1)),
          format(value, axis.unit),
          text,
        ]),
      ),
    );
  const start = rows.some(({ instances }) => instances.length > 0) ? ['Start'] : [];
  return table(caption, ['Variant', ...start, axis.label, 'All together'], cells);
}
