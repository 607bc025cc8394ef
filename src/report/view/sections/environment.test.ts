import { expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import { variantGrid } from './environment.ts';

test('settings of an app have a column where a server reports them', () => {
  const summary = summaryOf('quick');
  const titles = () => variantGrid(summary).columns.map(({ title }) => title);
  expect(titles()).not.toContain('App');
  Object.assign(summary.variants[0]?.facts as object, { settings: { debug: 'off', queue: 'sync' } });
  const at = titles().indexOf('App');
  expect(variantGrid(summary).rows[0]?.cells[at]).toEqual({ text: 'debug off, queue sync' });
});
