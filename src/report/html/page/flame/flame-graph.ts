import type { Flame } from '../../flame/flame.ts';
import { bdi, el, isShortcut, svg } from '../dom.ts';
import {
  type Box,
  type Call,
  callSize,
  largestChange,
  layOutCalls,
  readCalls,
  shadeOf,
  sumMatching,
  type View,
} from './calls.ts';
import { describeCall, shareOfWhole, type Words, wordsOf } from './flame-words.ts';

const ROW = 20;
const VIEWS: readonly View[] = ['variant', 'base', 'gone'];
const KEYS =
  'arrow keys go to callers, callees and neighbours, Enter zooms, Escape shows all; the table below has the same data';

/** Draws a call tree. One can look closer at a call, search for a name, and see either side. */
export class FlameGraph {
  private readonly flame: Flame;
  private readonly words: Words;
  private readonly root: Call;
  private readonly largest: number;
  private readonly changed: ReadonlySet<number>;
  private view: View = 'variant';
  private focus: Call;
  /** The call that is described below the graph. */
  private current: Call;
  private wanted = '';
  private readonly plot = el('div', { class: 'flame-plot', tabindex: 0, role: 'application' });
  private readonly detail = el('p', { class: 'flame-detail' });
  private readonly found = el('p', { class: 'flame-found', role: 'status' });
  private readonly reset = el('button', { type: 'button', disabled: true }, 'Show all');
  private readonly boxes = new Map<Call, SVGElement>();

  constructor(place: HTMLElement, flame: Flame) {
    this.flame = flame;
    this.words = wordsOf(flame);
    this.root = readCalls(flame);
    this.largest = largestChange(this.root);
    this.changed = new Set(flame.changed);
    this.focus = this.root;
    this.current = this.root;
    this.plot.setAttribute('aria-label', `${place.dataset.title}: flame graph; ${KEYS}`);
    this.reset.addEventListener('click', () => this.zoom(this.root));
    place.append(this.makeBar(), this.plot, this.detail, this.makeLegend());
    this.listen();
    this.draw();
  }

  private makeBar(): HTMLElement {
    const views = VIEWS.filter((view) => view !== 'gone' || callSize(this.root, 'gone') > 0).map((view) => {
      const button = el(
        'button',
        { type: 'button', 'aria-pressed': view === this.view },
        el('bdi', {}, this.words[view]),
      );
      button.addEventListener('click', () => {
        for (const other of views) other.setAttribute('aria-pressed', String(other === button));
        this.view = view;
        this.zoom(this.root);
      });
      button.setAttribute('aria-pressed', String(view === this.view));
      return button;
    });
    const search = el('input', { type: 'search', placeholder: 'part of a name or a file' });
    search.addEventListener('input', () => {
      this.wanted = search.value.toLowerCase();
      this.mark();
    });
    const label = `${this.plot.getAttribute('aria-label')?.split(':')[0]}: widths`;
    return el(
      'div',
      { class: 'flame-bar' },
      ...(this.flame.isCompared
        ? [el('div', { class: 'views', role: 'group', 'aria-label': label }, ...views)]
        : []),
      el('label', {}, el('span', {}, 'Find a function'), search),
      this.reset,
      this.found,
    );
  }

  private makeLegend(): HTMLElement {
    const items: [kind: string, text: string][] = this.flame.isCompared
      ? [
          ['up3', 'more CPU by itself'],
          ['down3', 'less'],
          ['new', this.words.isNew],
          ['gone', this.words.isGone],
          ['', this.words.same],
        ]
      : [
          ['own', 'own code'],
          ['vendor', 'vendor'],
          ['autoload', 'autoloading'],
          ['php', 'built into PHP'],
          ['outside', 'outside of the app'],
        ];
    return el(
      'p',
      { class: 'flame-legend' },
      ...items.map(([kind, text]) =>
        el(
          'span',
          {},
          el('span', { class: `flame-swatch ${kind}`, 'aria-hidden': 'true' }),
          ' ',
          el('bdi', {}, text),
        ),
      ),
    );
  }

  private listen(): void {
    const callAt = ({ target }: Event) =>
      this.drawn.get((target as Element).closest('svg.box') as SVGElement);
    this.plot.addEventListener('click', (event) => {
      const call = callAt(event);
      if (call) this.zoom(call);
    });
    this.plot.addEventListener('mousemove', (event) => {
      const call = callAt(event);
      if (call && call !== this.current) this.tell(call, false);
    });
    this.plot.addEventListener('keydown', (event) => this.press(event));
  }

  private press(event: KeyboardEvent): void {
    if (isShortcut(event)) return;
    if (event.key === 'Escape') this.zoom(this.root);
    else if (event.key === 'Enter') this.zoom(this.current);
    else {
      const next = this.nextOf(event.key);
      if (next === undefined) return;
      if (next) this.tell(next, true);
    }
    event.preventDefault();
  }

  /** Undefined: another key; null: there is none. */
  private nextOf(key: string): Call | null | undefined {
    const { caller } = this.current;
    const isDrawn = (call: Call | null | undefined) => (call && this.boxes.has(call) ? call : null);
    const beside = (by: number) => {
      const drawn = caller?.callees.filter((callee) => this.boxes.has(callee)) ?? [];
      return isDrawn(drawn[drawn.indexOf(this.current) + by]);
    };
    switch (key) {
      case 'ArrowUp':
        return isDrawn(caller);
      case 'ArrowDown':
        return isDrawn(this.current.callees.find((callee) => this.boxes.has(callee)));
      case 'ArrowLeft':
        return beside(-1);
      case 'ArrowRight':
        return beside(1);
      default:
        return undefined;
    }
  }

  private zoom(call: Call): void {
    this.focus = call;
    this.reset.disabled = call === this.root;
    this.draw();
    this.tell(call, true);
  }

  private readonly drawn = new WeakMap<Element, Call>();

  private draw(): void {
    const boxes = layOutCalls(this.focus, this.view);
    const rows = Math.max(...boxes.map(({ call }) => call.depth)) + 1;
    this.boxes.clear();
    const picture = svg('svg', { width: '100%', height: rows * ROW, 'aria-hidden': 'true' });
    picture.append(...boxes.map((box) => this.drawBox(box)));
    this.plot.replaceChildren(picture);
    this.mark();
    this.tell(this.focus, false);
  }

  private drawBox({ call, x, width }: Box): SVGElement {
    const kind = this.flame.isCompared ? shadeOf(call, this.largest) : (this.flame.groups[call.name] ?? '');
    const above = call.depth < this.focus.depth ? ' above' : '';
    const box = svg('svg', {
      ...{ class: `box ${kind}${above}`, y: call.depth * ROW, height: ROW },
      ...{ x: `${(x * 100).toFixed(3)}%`, width: `${(width * 100).toFixed(3)}%` },
    });
    box.append(svg('rect', { width: '100%', height: ROW - 1 }));
    if (width > 0.015) box.append(svg('text', { x: 4, y: 14 }, this.nameOf(call)));
    this.boxes.set(call, box);
    this.drawn.set(box, call);
    return box;
  }

  private nameOf({ name }: Call): string {
    return this.flame.names[name] ?? 'one request';
  }

  /** Marks what is searched for. */
  private mark(): void {
    const fits = ({ name }: Call) =>
      this.wanted !== '' &&
      `${this.flame.names[name] ?? ''} ${this.flame.places[name] ?? ''}`.toLowerCase().includes(this.wanted);
    for (const [call, box] of this.boxes) box.classList.toggle('hit', fits(call));
    this.plot.classList.toggle('searched', this.wanted !== '');
    const part = sumMatching(this.root, fits, this.view) / (callSize(this.root, this.view) || 1);
    this.found.textContent = this.wanted === '' ? '' : `found: ${shareOfWhole(part)} of the time`;
  }

  /** @param aloud it came about by a key or a click, so screen readers announce it */
  private tell(call: Call, aloud: boolean): void {
    this.boxes.get(this.current)?.classList.remove('current');
    this.current = call;
    this.boxes.get(call)?.classList.add('current');
    this.detail.setAttribute('aria-live', aloud ? 'polite' : 'off');
    const place = this.flame.places[call.name];
    this.detail.replaceChildren(
      bdi(this.nameOf(call)),
      ...(place ? [' ', bdi(place)] : []),
      ...(this.changed.has(call.name) ? [' (changed here)'] : []),
      `: ${describeCall(call, this.root, this.flame.isCompared, this.words)}`,
    );
  }
}
