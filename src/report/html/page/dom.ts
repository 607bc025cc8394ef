type Child = Node | string;

/** An element with its attributes and what is in it. Text stays text: nothing here reads markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | boolean> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | boolean> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill<E extends Element>(
  element: E,
  attributes: Record<string, string | number | boolean>,
  children: Child[],
): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

/** A variant's name among other text. */
export function bdi(label: string): HTMLElement {
  return el('bdi', { class: 'name' }, label);
}

/** The patch of colour that represents a variant. */
export function swatch(variant: number | null): HTMLElement {
  return el('span', { class: `swatch ${colorClass(variant)}`, 'aria-hidden': 'true' });
}

const COLORS = 10;

/** Ten colours in turn; the second ten are dashed. */
export function colorClass(variant: number | null): string {
  if (variant === null) return 'none';
  return `c${variant % COLORS}${isDashed(variant) ? ' dashed' : ''}`;
}

export function isDashed(variant: number | null): boolean {
  return variant !== null && Math.floor(variant / COLORS) % 2 === 1;
}

/** Current value of a style sheet's colour: it depends on the theme, and a canvas does not follow it. */
export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function variantColor(variant: number | null): string {
  return cssColor(variant === null ? 'faint' : `c${variant % COLORS}`);
}

/** Keys of the browser: one step back in its history, the end of the page. */
export function isShortcut({ altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey;
}
