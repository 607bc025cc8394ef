import { expect, test } from 'vitest';
import { AFTER, always, BEFORE, makeCounts } from '../../../test/fixtures/results/counted.ts';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { CountChange } from '../../analyse/counted.ts';
import type { ScenarioSummary } from '../../analyse/summary.ts';
import type { Results } from '../../results/results.ts';
import { countSection } from './count-section.ts';
import { countAmount, countDelta, countLines, sideAmount, tellCounts } from './count-words.ts';

const plain = { name: (label: string) => label, text: (text: string) => text };
const summaryOf = (name: string) => analyse(fixtures[name]?.() as Results);

test('what surely changed is shown once, the largest first', () => {
  expect(tellCounts(summaryOf('counts'), plain)).toBe(
    'Database rows read 36 → 300 per request (apache); Database queries 3 → 14 per request (apache).',
  );
  const headline = 'Database queries 3 → 14 per request on apache (limit: queries more)';
  expect(tellCounts(summaryOf('counts'), plain, headline)).toBe(
    'Database rows read 36 → 300 per request (apache).',
  );
  expect(tellCounts(summaryOf('counts-alone'), plain)).toBe('');
});

test.each([
  ['peak-memory', 2_097_152, 2_099_000, 'Peak memory of PHP 2.0000 → 2.0018 MiB per request.'],
  ['rows-read', 8_596, 8_595.2, 'Database rows read 8,596.0 → 8,595.2 per request.'],
  ['rows-read', 8_596, 8_597, 'Database rows read 8,596 → 8,597 per request.'],
])('a small change shows which way it went: %s', (name, before, after, told) => {
  const results = makeResults({
    ...{ servers: [{ id: 'apache', rps: 400, base: {} }], compareTo: {} },
    change: ({ counts }) => {
      counts.push(...makeCounts('apache', { [name]: always(after) }));
      counts.push(...makeCounts('apache:base', { [name]: always(before) }));
    },
  });
  expect(tellCounts(analyse(results), plain)).toBe(told);
});

test('an error of floating point is no difference', () => {
  const [row] = summaryOf('counts').scenarios[0]?.counts ?? [];
  if (!row?.change) throw new Error('not compared');
  const delta = (to: number, from: number) => {
    const side = { ...row.side, perRequest: to };
    const other = { ...row.side, perRequest: from };
    return countDelta(
      side,
      { ...(row.change as CountChange), from: other, difference: to - from },
      'queries',
    );
  };
  expect(delta(2.1000000000000005, 2.1)).toBe('0');
  expect(delta(2.2, 2.1)).toBe('+0.100');
  expect(delta(0, 0)).toBe('0');
});

test.each([
  [[8591, 8592, 8591], '8,591.3 (8,591…8,592)'],
  [[8591, 8591.4], '8,591.2 (8,591…8,591.4)'],
  [[99.97, 100.2], '100.1 (100.0…100.2)'],
  [[2.05, 2.1, 2.15], '2.10 (2.05…2.15)'],
  [[3], '3'],
])('a count that varies lies within its own range: %j', (repeats, told) => {
  const [low, high] = [Math.min(...repeats), Math.max(...repeats)];
  const perRequest = repeats.reduce((sum, value) => sum + value, 0) / repeats.length;
  const side = { perRequest, low, high, constant: false, instances: 1, repeats: repeats.length, failures: 0 };
  expect(sideAmount(side, 'rows-read')).toBe(told);
});

test('a constant count that is not whole is shown as it is', () => {
  expect([8591.5, 12.34, 0.05].map((value) => countAmount(value, 'rows-read'))).toEqual([
    '8,591.5',
    '12.3',
    '0.0500',
  ]);
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

test.each([
  ['counts-alone', 'reference → variant, per request'],
  ['counts', 'per request'],
])('the table of %s names both sides where these are no versions', (name, title) => {
  const [scenario] = summaryOf(name).scenarios as [ScenarioSummary];
  const titles = countSection(scenario).flatMap(({ parts: [table] }) =>
    table?.kind === 'table' ? table.columns.map((column) => column.title) : [],
  );
  expect(titles[2]).toBe(title);
});

test('counts that only paths have are in a line for each path', () => {
  const results = makeResults({
    servers: [{ id: 'apache', rps: 400 }],
    change: ({ counts }) => {
      counts.push(...makeCounts('apache', { 'rows-read': always(40) }));
      counts.push(...makeCounts('apache', BEFORE, '/'));
      counts.push(...makeCounts('apache', AFTER, '/cart'));
      counts.push(...makeCounts('apache', { instructions: always(15_743_000) }, '/'));
    },
  });
  const [scenario] = analyse(results).scenarios;
  expect(countLines(scenario as NonNullable<typeof scenario>, plain)).toEqual([
    'Counts per request of apache: rows-read 40.',
    'Counts per request of apache on /: queries 3, rows-written 1, cache-misses 2.09 (2.05…2.15), instructions 15.743 M.',
    'Counts per request of apache on /cart: queries 14, rows-written 1, cache-misses 2.09 (2.05…2.15).',
  ]);
});

test('a count of failed requests is marked where no verdict is', () => {
  const results = makeResults({
    servers: [{ id: 'apache', rps: 400 }],
    change: ({ counts }) => {
      const [first, second] = makeCounts('apache', { queries: always(3) });
      if (first && second) counts.push(first, { ...second, failures: 60 });
    },
  });
  const [scenario] = analyse(results).scenarios as [ScenarioSummary];
  expect(countLines(scenario, plain)).toEqual([
    'Counts per request of apache: queries 3. Some requests of this count failed.',
  ]);
  const [table] = countSection(scenario).flatMap(({ parts }) => parts);
  expect(table?.kind === 'table' && table.rows[0]?.cells).toContain('3, some requests failed');
});
