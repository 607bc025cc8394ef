import { expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import type { Variant } from '../../../results/results.ts';
import { variantGrid } from './environment.ts';

test('settings of an app have a column where a server reports them', () => {
  const summary = summaryOf('quick');
  const titles = () => variantGrid(summary).columns.map(({ title }) => title);
  expect(titles()).not.toContain('App');
  Object.assign(summary.variants[0]?.facts as object, { settings: { debug: 'off', queue: 'sync' } });
  const at = titles().indexOf('App');
  expect(variantGrid(summary).rows[0]?.cells[at]).toEqual({ text: 'debug off, queue sync' });
});

test('PHP of a server that ran, but whose facts could not be read, is the one that was asked for', () => {
  const summary = summaryOf('quick');
  const phpOf = (change: Partial<Variant>) => {
    const variants = summary.variants.map((variant) => ({ ...variant, facts: null, ...change }));
    const { columns, rows } = variantGrid({ ...summary, variants });
    return rows[0]?.cells[columns.findIndex(({ title }) => title === 'PHP')];
  };
  expect(phpOf({ php: '8.4' })).toEqual({ text: '8.4' });
  expect(phpOf({ php: '' })).toEqual({ text: '–' });
  const failure = { stage: 'start', reason: 'no such port', log: '' } as const;
  expect(phpOf({ php: '8.4', failure })).toEqual({ text: '8.4 (not running)' });
});
