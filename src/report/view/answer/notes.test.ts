import { expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import type { Comparison } from '../../../results/results.ts';
import type { ChangeRow } from './changerows.ts';
import { notesOf, RPS_NOTE } from './notes.ts';

const summary = summaryOf('base');
const comparisons = (summary.scenarios[0]?.comparisons ?? []).filter(({ against }) => against === 'base');
const of = (metric: Comparison['metric']) => comparisons.find((one) => one.metric === metric) as Comparison;
const row = (metric: Comparison['metric'], rps: Comparison | null): ChangeRow => ({
  ...{ kind: 'noisy', comparison: of(metric), name: '', where: '', rps, gate: null, row: null, other: null },
});

test('RPS is for information only where it decides no row', () => {
  expect(notesOf([row('cpu', of('rps'))], summary)).toContain(RPS_NOTE);
  expect(notesOf([row('cpu', of('rps')), row('rps', null)], summary)).not.toContain(RPS_NOTE);
  expect(notesOf([row('cpu', null)], summary)).not.toContain(RPS_NOTE);
});
