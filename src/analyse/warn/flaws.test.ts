import { expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import type { Results } from '../../results/results.ts';
import { analyse } from '../analyse.ts';
import type { ScenarioSummary } from '../summary.ts';
import { findFlaws } from './flaws.ts';

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
