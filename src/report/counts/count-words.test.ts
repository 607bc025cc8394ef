import { expect, test } from 'vitest';
import { always, makeCounts } from '../../../test/fixtures/results/counted.ts';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { Results } from '../../results/results.ts';
import { countLines, tellCounts } from './count-words.ts';

const plain = { name: (label: string) => label, text: (text: string) => text };
const summaryOf = (name: string) => analyse(fixtures[name]?.() as Results);

test('what surely changed is shown once, the largest first', () => {
  expect(tellCounts(summaryOf('counts'), plain)).toBe(
    'Database rows read 36 → 300 per request (apache); Database queries 3 → 14 per request (apache).',
  );
  expect(tellCounts(summaryOf('counts-alone'), plain)).toBe('');
});

test('after four changes the table has the rest', () => {
  const names = ['queries', 'rows-read', 'rows-written', 'temporary-tables', 'cache-hits', 'cache-misses'];
  const results = makeResults({
    ...{ servers: [{ id: 'apache', rps: 400, base: {} }], compareTo: {} },
    change: ({ counts }) => {
      for (const [variant, by] of [
        ['apache', 2],
        ['apache:base', 1],
      ] as const)
        counts.push(
          ...makeCounts(variant, Object.fromEntries(names.map((name, i) => [name, always(by * (i + 1))]))),
        );
    },
  });
  const told = tellCounts(analyse(results), plain);
  expect(told.match(/ per request/g)).toHaveLength(4);
  expect(told).toMatch(/; 2 more in the table of counts\.$/);
});

test('without another version each variant has a line of its numbers', () => {
  const [scenario] = summaryOf('counts-alone').scenarios;
  expect(countLines(scenario as NonNullable<typeof scenario>, plain)).toEqual([
    'Counts per request of apache: queries 3, rows-read 36, rows-written 1, cache-misses 2.09 (2.05…2.15).',
    'Counts per request of nginx-fpm (unix): queries 14, rows-read 300, rows-written 1, cache-misses 2.09 (2.05…2.15).',
  ]);
  const [compared] = summaryOf('counts').scenarios;
  expect(countLines(compared as NonNullable<typeof compared>, plain)).toEqual([]);
});
