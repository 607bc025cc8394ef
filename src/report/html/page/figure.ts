import type { Chart, Line, LineChart } from '../charts/chart.ts';
import { bdi, el, isShortcut, swatch } from './dom.ts';
import { drawDots, type Reader } from './dots.ts';
import { LinePlot } from './lines.ts';
import type { Selection } from './selection.ts';
import { dotTable, lineTable } from './tables.ts';
import { Tooltip } from './tooltip.ts';

/**
 * A chart with its heading, the choice of what it shows, and its data as a table. Lines are drawn once they come into view:
 * their place is kept until then, as a page that moves takes a click to where nobody aimed.
 */
export class Figure {
  readonly element: HTMLElement;
  private readonly plot = el('div', { class: 'plot' });
  private readonly table = el('details', { class: 'data' }, el('summary', {}, 'Data as a table'));
  private readonly axis = el('p', { class: 'axis-label' });
  private readonly below = el('p', { class: 'axis-label below' });
  private readonly marks = el('p', { class: 'marks' });
  private readonly views: HTMLButtonElement[];
  private readonly chart: Chart;
  private readonly selection: Selection;
  private view = 0;
  private lines: LinePlot | null = null;
  private reader: Reader | null = null;
  private tooltip = new Tooltip(this.plot);
  private isInView = false;

  constructor(chart: Chart, selection: Selection, scope: string) {
    this.chart = chart;
    this.selection = selection;
    const id = `${chart.id}-${scope}`;
    this.views = chart.views.map((view, i) => {
      const button = el('button', { type: 'button', 'aria-pressed': String(i === 0) }, view.name);
      button.addEventListener('click', () => this.choose(i));
      return button;
    });
    this.element = el(
      'figure',
      { class: `chart ${chart.kind}`, 'data-chart': chart.id, 'aria-labelledby': id },
      el('figcaption', {}, el('h3', { id }, chart.title), el('p', { class: 'note' }, chart.note)),
      ...(this.views.length > 1
        ? [
            el(
              'div',
              { class: 'views', role: 'group', 'aria-label': `${chart.title}: what is shown` },
              ...this.views,
            ),
          ]
        : []),
      this.axis,
      this.plot,
      this.below,
      this.marks,
      this.table,
    );
    this.table.addEventListener('toggle', () => this.fillTable());
    this.readByKeyboard();
    selection.onChange(() => this.redraw());
    new ResizeObserver(() => this.resize()).observe(this.plot);
    if (chart.kind === 'dots') this.appear();
    else this.describe(chart);
  }

  /** Draws for the first time, and from now on whenever something changes. */
  appear(): void {
    if (this.isInView) return;
    this.isInView = true;
    this.redraw();
  }

  /** Colours may be others, variants gone. */
  redraw(): void {
    if (!this.isInView) {
      if (this.chart.kind === 'lines') this.describe(this.chart);
      return;
    }
    this.lines?.destroy();
    this.lines = null;
    this.reader = null;
    this.plot.replaceChildren();
    this.tooltip = new Tooltip(this.plot);
    const { chart } = this;
    const labels = this.selection.variants.map(({ label }) => label);
    if (chart.kind === 'dots') {
      const view = chart.views[this.view] as (typeof chart.views)[number];
      this.axis.textContent = view.axis.label;
      const rows = view.rows.filter(({ variant }) => this.selection.isDrawn(variant));
      if (rows.length === 0) this.sayEmpty();
      else this.reader = drawDots(view, rows, labels, this.plot, this.tooltip);
    } else {
      const view = chart.views[this.view] as (typeof chart.views)[number];
      this.describe(chart);
      const lines = this.drawnLines();
      if (lines.every(({ variant }) => variant === null)) this.sayEmpty();
      else
        this.lines = new LinePlot(chart, view, lines, this.plot, this.tooltip, (line) => this.labelOf(line));
      this.reader = this.lines;
    }
    this.fillTable();
  }

  private drawnLines(): Line[] {
    if (this.chart.kind !== 'lines') return [];
    const view = this.chart.views[this.view] as (typeof this.chart.views)[number];
    return view.lines.filter(({ variant }) => variant === null || this.selection.isDrawn(variant));
  }

  private labelOf({ variant, name }: Line): string {
    const label = variant === null ? '' : (this.selection.variants[variant]?.label ?? '');
    return [label, name].filter(Boolean).join(', ');
  }

  private sayEmpty(): void {
    this.plot.append(el('p', { class: 'empty' }, 'Nothing of what is selected was measured here.'));
  }

  private choose(view: number): void {
    this.view = view;
    this.views.forEach((button, i) => {
      button.setAttribute('aria-pressed', String(i === view));
    });
    this.redraw();
  }

  private resize(): void {
    if (!this.isInView) return;
    this.lines?.resize(this.plot.clientWidth);
  }

  private describe({ x, views, marks = [] }: LineChart): void {
    this.axis.textContent = views[this.view]?.y.label ?? '';
    this.below.textContent = x.label;
    const shown = marks.filter(({ variant }) => this.selection.isDrawn(variant));
    const items = shown.map((mark) =>
      el(
        'span',
        {},
        swatch(mark.variant),
        bdi(this.selection.variants[mark.variant]?.label ?? ''),
        ` ${mark.text}`,
      ),
    );
    this.marks.replaceChildren(...(items.length > 0 ? ['Highest sustained rate: ', ...items] : []));
  }

  private fillTable(): void {
    const [summary] = this.table.children;
    this.table.replaceChildren(...(summary ? [summary] : []));
    if (!this.table.open) return;
    const { chart, selection } = this;
    const caption = `${chart.title}: ${chart.views[this.view]?.name}`;
    const labelOf = (line: Line) => this.labelOf(line);
    const labels = selection.variants.map(({ label }) => label);
    this.table.append(
      chart.kind === 'lines'
        ? lineTable(chart, this.view, this.drawnLines(), labelOf, caption)
        : dotTable(chart, this.view, (variant) => selection.isDrawn(variant), labels, caption),
    );
  }

  /** Arrow keys read the chart value by value. */
  private readByKeyboard(): void {
    const words = 'chart; left and right arrow keys read its values, the table below has them all';
    this.plot.tabIndex = 0;
    // Rows of dots are a list that a screen reader can read by itself.
    this.plot.setAttribute('role', this.chart.kind === 'lines' ? 'application' : 'group');
    this.plot.setAttribute('aria-label', `${this.chart.title}: ${words}`);
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      PageUp: -10,
      PageDown: 10,
      Home: -Infinity,
      End: Infinity,
    };
    this.plot.addEventListener('keydown', (event) => {
      if (isShortcut(event)) return;
      const by = steps[event.key];
      if (event.key === 'Escape') this.reader?.leave();
      if (by === undefined || !this.reader) return;
      event.preventDefault();
      this.tooltip.isSpoken = true;
      this.reader.step(by);
      this.tooltip.isSpoken = false;
    });
    this.plot.addEventListener('blur', () => this.reader?.leave());
  }
}
