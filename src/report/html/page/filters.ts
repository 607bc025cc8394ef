import type { PageVariant } from '../charts/chart.ts';
import { el } from './dom.ts';
import type { RowTable } from './rows.ts';
import type { Selection } from './selection.ts';

const KEYS = [
  ['app', 'App'],
  ['runtime', 'Runtime'],
  ['php', 'PHP'],
  ['model', 'Model'],
] as const;
/** With fewer variants one sees them all. */
const SEARCHABLE = 6;

/** The bar at the top: what there is only one of needs no choice. */
export function makeFilters(
  bar: HTMLElement,
  selections: readonly Selection[],
  tables: readonly RowTable[],
): void {
  const variants = selections.flatMap((selection) => selection.variants);
  const chosen: Partial<Record<keyof PageVariant, string>> = {};
  let wanted = '';
  const status = el('p', { class: 'status', role: 'status' });
  const apply = () => {
    const test = (variant: PageVariant) =>
      KEYS.every(([key]) => !chosen[key] || variant[key] === chosen[key]) &&
      variant.label.toLowerCase().includes(wanted);
    for (const selection of selections) selection.allow(test);
    hideOthers(selections);
    const left = selections.reduce((sum, selection) => sum + selection.allowedVariants().length, 0);
    status.textContent = left === variants.length ? '' : `${left} of ${variants.length} variants`;
  };

  const controls: Node[] = [];
  for (const [key, title] of KEYS) {
    const values = [...new Set(variants.map((variant) => variant[key]))].sort();
    if (values.length < 2) continue;
    controls.push(
      select(title, values, (value) => {
        chosen[key] = value;
        apply();
      }),
    );
  }
  const scenarios = [...document.querySelectorAll<HTMLElement>('[data-scenario]')];
  if (scenarios.length > 1) {
    const title = (section: HTMLElement) => section.querySelector('h2')?.textContent ?? '';
    const names = [...new Set(scenarios.map(title))];
    controls.push(
      select('Scenario', names, (value) => {
        for (const section of scenarios) section.hidden = value !== '' && title(section) !== value;
      }),
    );
  }
  if (variants.length >= SEARCHABLE) {
    const input = el('input', { type: 'search', placeholder: 'part of a name' });
    input.addEventListener('input', () => {
      wanted = input.value.toLowerCase();
      apply();
    });
    controls.push(el('label', {}, el('span', {}, 'Variant'), input));
  }
  if (new Set(variants.map(({ model }) => model)).size > 1) {
    controls.push(groupBox(tables));
  }
  if (controls.length === 0) return;
  bar.append(...controls, status);
  bar.setAttribute('role', 'search');
  bar.setAttribute('aria-label', 'Filter the results');
  bar.hidden = false;
}

/** A choice of one value. The empty one comes first, and is all of them. */
function select(title: string, values: readonly string[], choose: (value: string) => void): HTMLElement {
  const options = values.map((value) => el('option', { value }, value));
  const box = el('select', {}, el('option', { value: '' }, 'all'), ...options);
  box.addEventListener('change', () => choose(box.value));
  return el('label', {}, el('span', {}, title), box);
}

/** Hides parts outside of tables, such as reasons of failures and what errors answered, if all of their variants are hidden. */
function hideOthers(selections: readonly Selection[]): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-variant]:not(tr)')) {
    const group = Number(element.closest<HTMLElement>('[data-group]')?.dataset.group);
    const variants = (element.dataset.variant ?? '').split(' ').map(Number);
    element.hidden = variants.every((variant) => selections[group]?.isAllowed(variant) === false);
  }
}

/** Groups the rows of all tables by the model of their runtime. */
function groupBox(tables: readonly RowTable[]): Node {
  const box = el('input', { type: 'checkbox' });
  box.addEventListener('change', () => {
    for (const table of tables) {
      table.isGrouped = box.checked;
      table.render();
    }
  });
  return el('label', { class: 'check' }, box, el('span', {}, 'Group by model'));
}
