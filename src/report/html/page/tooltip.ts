import { bdi, el, swatch } from './dom.ts';

export interface TooltipReading {
  variant: number | null;
  name: string;
  value: number;
  text: string;
  isNear: boolean;
}

/** More would cover the chart. */
const ROWS = 12;

/** Values under the cursor, beside it; and as text for screen readers. */
export class Tooltip {
  private readonly box = el('div', { class: 'tooltip', 'aria-hidden': 'true', hidden: true });
  private readonly said = el('p', { class: 'visually-hidden', 'aria-live': 'polite' });
  private readonly place: HTMLElement;
  private timer = 0;
  /** Set while the keyboard moves: the mouse needs no reading out. */
  isSpoken = false;

  constructor(place: HTMLElement) {
    this.place = place;
    place.append(this.box, this.said);
  }

  show(title: string, readings: readonly TooltipReading[], left: number, top: number): void {
    if (readings.length === 0) {
      this.hide();
      return;
    }
    const sorted = [...readings].sort((a, b) => b.value - a.value);
    const near = sorted.findIndex((reading) => reading.isNear);
    const from = Math.max(0, Math.min(near - ROWS / 2, sorted.length - ROWS));
    const shown = sorted.slice(from, from + ROWS);
    const rows = shown.map(({ variant, name, text, isNear }) =>
      el('div', { class: isNear ? 'near' : '' }, swatch(variant), bdi(name), el('span', {}, text)),
    );
    const rest = sorted.length - shown.length;
    this.box.replaceChildren(
      el('strong', {}, title),
      ...rows,
      ...(rest > 0 ? [el('em', {}, `and ${rest} more`)] : []),
    );
    this.box.hidden = false;
    const { width, height } = this.box.getBoundingClientRect();
    const right = left + 14 + width > this.place.clientWidth ? left - 14 - width : left + 14;
    this.box.style.left = `${Math.max(0, Math.min(right, this.place.clientWidth - width))}px`;
    this.box.style.top = `${Math.max(0, Math.min(top - height / 2, this.place.clientHeight - height))}px`;
    if (this.isSpoken) this.say(`${title}: ${shown.map(({ name, text }) => `${name} ${text}`).join('; ')}`);
  }

  hide(): void {
    this.box.hidden = true;
  }

  /** After a moment of rest, so that a held key does not flood a screen reader. */
  private say(text: string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.said.replaceChildren(text), 150);
  }
}
