import { expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import type { ScenarioSummary } from '../../../analyse/summary.ts';
import { scriptSection } from './script.ts';

test('checks of a bundled journey are not those of a script', () => {
  const titles = (name: string, checks?: ScenarioSummary['rows'][number]['checks']) => {
    const [scenario] = summaryOf(name).scenarios as [ScenarioSummary];
    const rows = scenario.rows.map((row) => ({ ...row, checks: checks ?? row.checks }));
    return scriptSection({ ...scenario, rows }).map(({ title }) => title);
  };
  expect(titles('quick')).toEqual([]);
  const wrong = [{ name: 'right answer of /cart', group: '', passes: 90, fails: 10 }];
  expect(titles('quick', wrong)).toEqual(['Checks of the answers']);
  expect(titles('script')).toEqual(['Checks, thresholds and metrics of the script']);
});
