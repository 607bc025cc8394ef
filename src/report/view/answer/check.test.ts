import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import type { Row, Summary } from '../../../analyse/summary.ts';
import type { Comparison, Gate } from '../../../results/results.ts';
import { type Medium, THIS_CHANGE } from '../medium.ts';
import { answerOf, checkOf } from './answer.ts';

const same = (text: string) => text;
const medium: Medium = {
  ...{ name: same, text: same, code: same, commit: same, call: same, place: same, ...THIS_CHANGE },
  marks: { bad: 'X', warn: '!', open: '?', good: 'v' },
};
const pointOf = (summary: Summary, kind: string) => {
  const { label = '', text = '' } = answerOf(summary, medium)?.points.find((one) => one.kind === kind) ?? {};
  return [label, text].filter(Boolean).join(': ');
};

/** The base fixture with its lead comparisons changed, in the order of its variants; without limits. */
function changed(...changes: Partial<Comparison>[]): Summary {
  const summary = summaryOf('base');
  const scenarios = summary.scenarios.map((scenario) => {
    const leads = scenario.comparisons.filter(({ against, primary }) => against === 'base' && primary);
    return {
      ...scenario,
      comparisons: changes.map((change, i) => ({ ...leads[i], ...change }) as Comparison),
    };
  });
  return { ...summary, plan: { ...summary.plan, gates: [] }, gates: [], scenarios };
}
const noisy: Partial<Comparison> = {
  ...{ verdict: 'inconclusive', ratio: 1.02, interval: { low: 0.98, high: 1.06, level: 0.99 } },
};
const still: Partial<Comparison> = {
  ...{ verdict: 'no-difference', ratio: 1.006, margin: 0.024 },
  interval: { low: 0.988, high: 1.024, level: 0.99 },
};

/** With pass criteria that the first variant misses. */
function missing(summary: Summary): Summary {
  const scenarios = summary.scenarios.map((scenario) => ({
    ...scenario,
    rows: scenario.rows.map((row, i) => ({ ...row, sloMissed: i === 0 ? ['p99 30.5 ms > 20 ms'] : [] })),
  }));
  return { ...summary, scenarios };
}

describe('a limit that the interval reaches beyond', () => {
  test.each([
    [0.01, 'maybe exceeded'],
    [0.03, 'not exceeded'],
  ])('of %d beside an interval up to +2.4 %%: %s', (above, words) => {
    const summary = changed(still);
    const comparison = summary.scenarios[0]?.comparisons[0] as Comparison;
    const gate: Gate = { source: 'slower', metric: null, above, scenario: null, variant: null };
    const checks = [{ comparison, failed: false, judged: true }];
    const found = answerOf(
      { ...summary, gates: [{ gate, checks, counts: [], failed: false, unjudged: false }] },
      medium,
    );
    const at = found?.table.columns.findIndex(({ key }) => key === 'limit') ?? -1;
    expect(found?.table.rows[0]?.cells[at]?.text).toBe(words);
  });
});

describe('the next step where there is no verdict', () => {
  const few: Partial<Comparison> = {
    ...{ ...noisy, pairs: 3, detectable: null, reasons: ['3 pairs of fresh starts, 4 needed'] },
  };
  const disturbed = '30 % of the pairs of slices were disturbed; all count, so the interval is wider';
  const atStarts = (summary: Summary, instances: number, plan: Partial<Summary['plan']> = {}): Summary => ({
    ...summary,
    plan: { ...summary.plan, ...plan, instances },
    scenarios: summary.scenarios.map((scenario) => ({ ...scenario, starts: instances })),
  });

  test('too few starts: as many as a verdict needs', () => {
    expect(pointOf(atStarts(changed(few), 3), 'todo')).toBe(
      'What to do: If the result for apache matters to you, rerun with instances: 4 or more.',
    );
  });

  test('it was stopped: to its end', () => {
    const summary = changed(few);
    const todo = pointOf({ ...summary, run: { ...summary.run, stopped: 'SIGTERM' } }, 'todo');
    expect(todo).toContain('run it again to the end.');
  });

  test('noise with a reason is noise: more starts', () => {
    const summary = changed({ ...noisy, reasons: [disturbed] });
    expect(answerOf(summary, medium)?.headline).toBe(
      'Too noisy to tell whether this change affects CPU per request',
    );
    expect(pointOf(summary, 'sure')).toContain(
      `Too noisy to tell for apache +2.0 % CPU per request (−2.0 to +6.0 %): ${disturbed}.`,
    );
    expect(pointOf(summary, 'todo')).toContain('rerun with instances: 48');
  });

  test.each<[string, Partial<Comparison>]>([
    ['the two metrics contradict each other', { reasons: ['more CPU per request, but also more RPS'] }],
    ['too few starts are not all', { ...few, reasons: ['apache: wrong answers', ...(few.reasons ?? [])] }],
    ['it is an earlier run', { ...few, against: 'earlier', reasons: ['another run'] }],
  ])('%s: more starts do not help', (_, change) => {
    const summary = changed({ ...noisy, ...change });
    expect(pointOf(summary, 'sure')).toContain('Cannot tell for apache');
    expect(pointOf(summary, 'todo')).toBe('');
  });

  test.each<[string, 'rps' | 'cpu' | 'p50', Partial<Row>, string]>([
    ['the load generator', 'rps', { state: { kind: 'generator-bound', reason: '' } }, 'generator-bound'],
    ['a cost at any rate', 'cpu', { state: { kind: 'generator-bound', reason: '' } }, ''],
    ['checks', 'cpu', { state: { kind: 'unranked', cause: 'checks', reason: '' } }, 'checks-failed'],
    [
      'the rate',
      'p50',
      { state: { kind: 'unranked', cause: 'rate-missed', reason: '' } },
      'dropped-iterations',
    ],
    ['k6 was busy', 'p50', { latencyDoubtful: true }, 'generator-busy'],
    ['a warning that is not there', 'cpu', { state: { kind: 'unranked', cause: 'script', reason: '' } }, ''],
  ])('something else than noise, %s with %s: the warning with its remedy', (_, metric, row, code) => {
    const summary = changed({ ...noisy, metric, detectable: null, reasons: ['the reason'] });
    const codes = ['generator-bound', 'generator-busy', 'dropped-iterations', 'checks-failed'];
    const warnings = codes.map((one) => ({ code: one, message: '', remedy: '', variant: null }));
    const scenarios = summary.scenarios.map((scenario) => {
      return { ...scenario, bases: scenario.bases.map((base) => ({ ...base, ...row })) };
    });
    expect(pointOf({ ...summary, warnings, scenarios }, 'todo')).toBe(
      code && `What to do: Follow the remedy of the warning ${code}.`,
    );
  });

  test.each([
    [7, 'rerun with budget: 8m to halve the interval.'],
    [12, 'rerun with budget: 8m to narrow the interval.'],
    [30, 'rerun with instances: 100 and blocks: 6, without budget, to narrow the interval.'],
    [100, 'rerun on a machine without other work.'],
  ])('by a budget, after %i starts', (instances, step) => {
    const todo = pointOf(atStarts(changed(noisy), instances, { budgetSeconds: 120 }), 'todo');
    expect(todo.replace(/.*rerun/, 'rerun')).toBe(step);
  });
});

describe('a base that is missing, with a limit', () => {
  const gate: Gate = { source: 'slower > 3%', metric: null, above: 0.03, scenario: null, variant: null };
  const lacking = (...names: string[]): Summary => {
    const summary = changed(still);
    const warnings = names.map((name) => ({
      ...{ code: 'no-base', message: `app '${name}' is not compared on PHP 8.5`, variant: null },
      remedy: 'set `php` to a version that both allow',
    }));
    return { ...summary, plan: { ...summary.plan, gates: [gate] }, warnings };
  };

  test('of a part: why, and how to get it', () => {
    const summary = lacking('shop');
    expect(pointOf(summary, 'check')).toBe(
      "This check fails (exit code 3): app 'shop' is not compared on PHP 8.5.",
    );
    expect(pointOf(summary, 'todo')).toBe('What to do: Set `php` to a version that both allow.');
  });

  test('of many parts: the first ones, and the step once', () => {
    const summary = lacking(...Array.from({ length: 200 }, (_, i) => `a${i}`));
    expect(pointOf(summary, 'check')).toMatch(/ app 'a2' is not compared on PHP 8\.5 and 197 others\.$/);
    expect(pointOf(summary, 'todo').match(/Set `php`/g)).toHaveLength(1);
  });

  test('of all: nothing was compared', () => {
    const { variants, ...summary } = lacking('shop');
    const alone = { ...summary, variants: variants.filter(({ ref }) => ref === null) };
    expect(pointOf(alone, 'check')).toContain(': nothing to compare with.');
    expect(pointOf(alone, 'todo')).not.toContain('php');
  });
});

describe('what was not compared', () => {
  const none: Partial<Comparison> = {
    ...{ verdict: 'inconclusive', pairs: 0, ratio: null, interval: null, values: null },
    reasons: ['not measured side by side'],
  };
  const toBase = 'What to do: Give the run something to compare with: the reason is above.';

  test('in a run that was stopped: to its end', () => {
    const summary = changed(none);
    expect(pointOf({ ...summary, run: { ...summary.run, stopped: 'SIGINT' } }, 'todo')).toBe(
      'What to do: If the result for apache matters to you, run it again to the end.',
    );
  });

  test('without a base that works: something to compare with', () => {
    const summary = changed(none);
    const state = { kind: 'failed', stage: 'start', reason: '', log: '' } as const;
    const scenarios = summary.scenarios.map((one) => {
      return { ...one, bases: one.bases.map((row) => ({ ...row, state })) };
    });
    expect(pointOf({ ...summary, scenarios }, 'todo')).toMatch(/^What to do: Fix main, or set compare-to /);
    expect(pointOf(changed({ ...none, against: 'earlier' }), 'todo')).toBe(toBase);
  });

  test('in one metric of several: which, and no base is asked for', () => {
    const of = { variant: 'apache@8.4', reference: 'apache@8.4:base', metric: 'memory' as const };
    const summary = changed(still, { ...none, ...of, primary: true, reasons: ['not known for both'] });
    expect(pointOf(summary, 'sure')).toMatch(
      /^Not compared with main: apache \(memory: not known for both\); /,
    );
    expect(pointOf(summary, 'todo')).toBe('');
  });

  test('in one scenario of several: which', () => {
    const [one] = changed(still).scenarios as [Summary['scenarios'][number]];
    const [two] = changed(none).scenarios as [Summary['scenarios'][number]];
    const scenarios = [one, { ...two, facts: { ...two.facts, name: 'slow' } }];
    expect(pointOf({ ...changed(still), scenarios }, 'sure')).toMatch(
      /^Not compared with main: apache \(slow: not measured side by side\); /,
    );
  });
});

test('missed pass criteria are named with their values, and with a step', () => {
  const summary = missing(changed(still));
  expect(pointOf(summary, 'check')).toBe(
    'This check fails (exit code 1): pass criteria missed by apache (p99 30.5 ms > 20 ms).',
  );
  expect(pointOf(summary, 'todo')).toBe(
    'What to do: Make apache meet the pass criteria, or change these in slo.',
  );
});

describe('without another version', () => {
  const told = (summary: Summary) =>
    checkOf(summary, medium).map(({ label, text }) => [label, text].filter(Boolean).join(': '));

  test('each limit is there with its result, and whether the check fails', () => {
    expect(told(summaryOf('gated'))).toEqual([
      'This check fails (exit code 1): limits slower > 3% and queries more exceeded; pass criteria missed by apache (p99 51.2 ms > 45 ms).',
      'Limit slower > 3% exceeded: nginx-fpm (unix), RPS −9.4 % (99 % interval −10.6…−8.2 %).',
      'Limit queries more exceeded: nginx-fpm (unix): Database queries 3 → 14 per request.',
    ]);
  });

  test('missed pass criteria alone make it fail', () => {
    expect(told(missing(summaryOf('quick')))).toEqual([
      'This check fails (exit code 1): pass criteria missed by apache (p99 30.5 ms > 20 ms).',
    ]);
  });

  test('with nothing to check, nothing is there', () => {
    expect(told(summaryOf('quick'))).toEqual([]);
    expect(told(summaryOf('base-is-head'))).toEqual([]);
    expect(told(summaryOf('base'))).toEqual([]);
  });

  test('a run that was stopped fails its check', () => {
    const summary = summaryOf('quick');
    expect(told({ ...summary, run: { ...summary.run, stopped: 'SIGTERM' } })).toEqual([
      'This check fails: The run was stopped: SIGTERM.',
    ]);
  });
});
