import { expect, test } from 'vitest';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { Culprit, Why } from '../../analyse/why/why-model.ts';
import { renderWhy } from './html-why.ts';

const summary = summaryOf('why');
const [why] = summary.why as [Why];

/** A function that only one version has, with its time. */
function onlyIn(side: 'variant' | 'base', name: string, us: number): Culprit {
  const change = side === 'variant' ? us : -us;
  return {
    function: { name, file: 'src/A.php', line: 12, group: 'own', changed: true },
    us: { variant: 0, base: 0, [side]: us },
    change: { us: change, low: change - 100, high: change + 100, sure: true },
    ...{ caller: null, within: null, isSpread: false },
  };
}

function render(culprits: Culprit[], more: Partial<Why> = {}): string {
  return renderWhy({ ...summary, why: [{ ...why, culprits, ...more }] }, new Map(), 0)?.text ?? '';
}

test('a function that moved to another class is no change, as in the answer', () => {
  const moved = [onlyIn('variant', 'App\\B::total', 5000), onlyIn('base', 'App\\A::total', 5000)];
  expect(render(moved)).not.toContain('class="culprits"');
  expect(render(moved)).toContain('<p>Functions moved, but none changed by a sure amount.</p>');
  const dearer = render([onlyIn('variant', 'App\\B::total', 5600), ...moved.slice(1)]);
  expect(dearer.match(/<li>/g)).toHaveLength(1);
  expect(dearer).toMatch(/B::total.*<strong>\+600 µs<\/strong>.*5 ms → 5\.6 ms/);
  expect(render([])).toContain('<p>No function changed by a sure amount.</p>');
});

test('between two servers nothing moved', () => {
  const [, second] = summary.variants;
  const other = [onlyIn('variant', 'App\\B::total', 5000), onlyIn('base', 'App\\A::total', 5000)];
  expect(render(other, { against: 'row', base: second?.id ?? '' }).match(/<li>/g)).toHaveLength(2);
});
