import { expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import type { Results } from '../../results/results.ts';
import { analyse } from '../analyse.ts';
import type { ScenarioSummary } from '../summary.ts';
import { findFlaws } from './flaws.ts';

test.each([
  [undefined, 'give k6 more cores (--load-cpus)'],
  ['engines', 'add machines to `load-engines`'],
  ['cluster', 'make more pods with --segments'],
] as const)('a load generator that was the limit, on %s', (kind, remedy) => {
  const results = fixtures.quick?.() as Results;
  if (kind) results.plan.elsewhere = { kind, target: '10.0.0.5', generators: [] };
  const [scenario] = analyse(results).scenarios as [ScenarioSummary];
  const [row] = scenario.rows as [ScenarioSummary['rows'][number]];
  const bound = { ...row, slices: { ...row.slices, generatorBound: 1 } };
  const found = findFlaws({ ...scenario, rows: [bound] }, results).find(
    ({ code }) => code === 'generator-bound',
  );
  expect(found?.remedy).toContain(remedy);
});

test.each([
  [20, 'KiB', '20 KiB (10 to 30)'],
  [5000, 'KiB', '4.88 MiB (4.87 to 4.89)'],
])('a leak is in the unit that the table has: %s %s', (value, _, text) => {
  const results = fixtures.quick?.() as Results;
  const [scenario] = analyse(results).scenarios;
  const { rows, ...rest } = scenario as ScenarioSummary;
  const bytesPerThousand = { value: value * 1024, half: 10 * 1024 };
  const soak = { bytesPerThousand, leaks: true, decay: null, seconds: 600 };
  const leaking = { ...rest, rows: rows.map((row, i) => (i === 0 ? { ...row, soak } : row)) };
  const messages = findFlaws(leaking, results).filter(({ code }) => code === 'leak');
  expect(messages.map(({ message }) => message)).toEqual([expect.stringContaining(text)]);
});
