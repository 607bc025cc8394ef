import { bdi, el, swatch } from './dom.ts';
import type { Selection } from './selection.ts';

/** Above the charts: a button for each variant that switches it off and on. */
export function makeLegend(selection: Selection): HTMLElement {
  const chips = el('div', { class: 'chips' });
  const buttons = new Map<number, HTMLButtonElement>();
  const all = action('All', () => selection.drawOnly(selection.allowedVariants()));
  const none = action('None', () => selection.drawOnly([]));
  const render = () => {
    chips.replaceChildren(
      ...selection.allowedVariants().map((variant) => {
        const button = buttons.get(variant) ?? chip(selection, variant);
        buttons.set(variant, button);
        button.setAttribute('aria-pressed', String(selection.isDrawn(variant)));
        return button;
      }),
    );
  };
  selection.onChange(render);
  render();
  return el(
    'div',
    { class: 'legend', role: 'group', 'aria-label': 'Variants in the charts' },
    chips,
    all,
    none,
  );
}

function action(text: string, act: () => void): HTMLButtonElement {
  const button = el('button', { type: 'button', class: 'quiet' }, text);
  button.addEventListener('click', act);
  return button;
}

function chip(selection: Selection, variant: number): HTMLButtonElement {
  const label = selection.variants[variant]?.label ?? '';
  const button = el('button', { type: 'button', class: 'chip' }, swatch(variant), bdi(label));
  button.addEventListener('click', () => selection.draw(variant, !selection.isDrawn(variant)));
  return button;
}
