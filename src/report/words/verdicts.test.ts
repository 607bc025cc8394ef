import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { GateResult, Row, RowState, ScenarioSummary } from '../../analyse/summary.ts';
import type { Comparison } from '../../results/results.ts';
import { isFit, tellGates } from './verdicts.ts';

const [scenario] = summaryOf('base').scenarios as [ScenarioSummary];
const [row] = scenario.rows as [Row];
const noisy: Comparison = {
  ...(scenario.comparisons[0] as Comparison),
  verdict: 'inconclusive',
  ratio: 1.02,
};

describe('numbers without a verdict are shown where they are sound', () => {
  test.each<[string, RowState, Partial<Record<Comparison['metric'], boolean>>]>([
    ['ranked', { kind: 'ranked', rank: 1, shared: false }, { cpu: true, memory: true, rps: true, p50: true }],
    [
      'the load generator was the limit',
      { kind: 'generator-bound', reason: '' },
      { cpu: true, memory: true, services: true, rps: false, p50: false },
    ],
    [
      'it missed the rate',
      { kind: 'unranked', cause: 'rate-missed', reason: '' },
      { cpu: true, memory: true, services: true, rps: false, p50: false },
    ],
    ['wrong answers', { kind: 'unranked', cause: 'ok-ratio', reason: '' }, { cpu: false, rps: false }],
    ['failed', { kind: 'failed', stage: 'run', reason: '', log: '' }, { cpu: false, rps: false }],
  ])('%s', (_, state, expected) => {
    for (const [metric, fit] of Object.entries(expected)) {
      const comparison = { ...noisy, metric: metric as Comparison['metric'] };
      expect(isFit(comparison, [{ ...row, state }, row]), metric).toBe(fit);
      expect(isFit(comparison, [row, { ...row, state }]), metric).toBe(fit);
    }
  });
});

test('a rule that checks nothing is no rule that could not be judged', () => {
  const summary = summaryOf('base');
  const [given] = summary.gates as [GateResult];
  const result: GateResult = { ...given, checks: [], counts: [], failed: false, unjudged: false };
  const told = (of: GateResult) =>
    tellGates({ ...summary, gates: [of] }, { name: (text) => text, text: (text) => text });
  expect(told({ ...result, isCovered: true })).toEqual([
    expect.objectContaining({ state: 'passed', verdict: 'checks nothing' }),
  ]);
  expect(told(result)).toEqual([expect.objectContaining({ state: 'passed', verdict: 'was not checked' })]);
  expect(told({ ...result, unjudged: true })).toEqual([expect.objectContaining({ state: 'open' })]);
});
