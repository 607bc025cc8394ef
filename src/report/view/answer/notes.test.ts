import { expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import type { Comparison } from '../../../results/results.ts';
import { THIS_CHANGE } from '../medium.ts';
import { answerOf } from './answer.ts';
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

test('a table without a number has neither its columns nor a note on it', () => {
  const same = (text: string) => text;
  const medium = {
    ...{ name: same, text: same, code: same, commit: same, call: same, place: same, ...THIS_CHANGE },
    marks: { bad: 'X', warn: '!', open: '?', good: 'v' },
  };
  const broken = summaryOf('base-broken');
  const found = answerOf(broken, medium);
  expect(found?.table.columns.map(({ title }) => title)).toEqual([
    '',
    'Variant',
    'Metric',
    'Verdict',
    'Limit',
  ]);
  expect(found?.notes).toEqual([]);
});
