import type { PageData } from '../charts/chart.ts';
import { Figure } from './figure.ts';
import { makeFilters } from './filters.ts';
import { FlameGraph } from './flame/flame-graph.ts';
import { makeLegend } from './legend.ts';
import { RowTable } from './rows.ts';
import { Selection } from './selection.ts';

const data = JSON.parse(document.getElementById('data')?.textContent ?? '{"groups":[]}') as PageData;
const selections = data.groups.map(({ variants }) => new Selection(variants));
const figures = new Map<Element, Figure>();

/** Lines are drawn a little before they come into view: a page may have hundreds. */
const watch = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      figures.get(target)?.appear();
      watch.unobserve(target);
    }
  },
  { rootMargin: '600px' },
);

for (const note of document.querySelectorAll('.no-script')) note.remove();

for (const place of document.querySelectorAll<HTMLElement>('[data-charts]')) {
  const [group = 0, scenario] = (place.dataset.charts ?? '').split('-').map(Number);
  const selection = selections[group] as Selection;
  const found = data.groups[group];
  const charts = scenario === undefined ? found?.charts : found?.scenarios[scenario]?.charts;
  if (!charts || charts.length === 0) {
    place.closest('section:not([data-scenario])')?.remove();
    continue;
  }
  if (selection.variants.length > 1) place.before(makeLegend(selection));
  for (const chart of charts) {
    const figure = new Figure(chart, selection, place.dataset.charts ?? '');
    figures.set(figure.element, figure);
    place.append(figure.element);
    watch.observe(figure.element);
  }
}

for (const place of document.querySelectorAll<HTMLElement>('[data-flame]')) {
  const [group = 0, flame = 0] = (place.dataset.flame ?? '').split('-').map(Number);
  const found = data.groups[group]?.flames?.[flame];
  if (found) new FlameGraph(place, found);
}

const tables = selections.flatMap((selection, group) =>
  [...document.querySelectorAll<HTMLTableElement>(`[data-group="${group}"] table.rows`)].map(
    (table) => new RowTable(table, selection),
  ),
);
makeFilters(document.getElementById('filters') as HTMLElement, selections, tables);

/** Canvases do not follow the style sheet: colours differ in the dark and on paper. */
const redraw = () => {
  for (const figure of figures.values()) figure.redraw();
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
matchMedia('print').addEventListener('change', redraw);
const showAllRows = (isWhole: boolean) => {
  for (const table of tables) {
    table.isWhole = isWhole;
    table.render();
  }
};
addEventListener('beforeprint', () => {
  for (const figure of figures.values()) figure.appear();
  showAllRows(true);
});
addEventListener('afterprint', () => showAllRows(false));
