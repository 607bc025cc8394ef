import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import type { Summary } from '../../../analyse/summary.ts';
import type { CompareMetric, Comparison } from '../../../results/results.ts';
import type { Medium } from '../medium.ts';
import { THIS_PULL } from '../medium.ts';
import { answerOf } from './answer.ts';
import { effectOf } from './headline.ts';
import { answerOfAll } from './merged-answer.ts';
import { isOwnBase } from './missing.ts';

const same = (text: string) => text;
const medium: Medium = {
  ...{ name: same, text: same, code: same, commit: same, call: same, place: same, ...THIS_PULL },
  marks: { bad: 'X', warn: '!', open: '?', good: 'v' },
};
const answer = (summary: Summary) => {
  const found = answerOf(summary, medium);
  if (!found) throw new Error('nothing was compared');
  const point = (kind: string) => {
    const { label, text } = found.points.find((one) => one.kind === kind) ?? { label: '', text: '' };
    return [label, text].filter(Boolean).join(': ');
  };
  return { ...found, sure: point('sure'), todo: point('todo'), check: point('check') };
};
const verdicts = ({ table }: ReturnType<typeof answer>) => {
  const at = table.columns.findIndex(({ key }) => key === 'verdict');
  return table.rows.map(({ cells }) => cells[at]?.text);
};

/** The base fixture with its comparisons of the lead metric changed, in the order of its variants. */
function changed(...changes: Partial<Comparison>[]): Summary {
  const summary = summaryOf('base');
  const scenarios = summary.scenarios.map((scenario) => {
    const leads = scenario.comparisons.filter(({ against, primary }) => against === 'base' && primary);
    const comparisons = leads.map((one, i) => ({ ...one, ...changes[i] }));
    return { ...scenario, comparisons: comparisons.slice(0, changes.length) };
  });
  return { ...summary, plan: { ...summary.plan, gates: [] }, gates: [], scenarios };
}
const slower: Partial<Comparison> = {
  ...{ verdict: 'slower', ratio: 1.02, interval: { low: 1.01, high: 1.025, level: 0.99 } },
};
const better: Partial<Comparison> = {
  ...{ verdict: 'faster', ratio: 0.8, interval: { low: 0.79, high: 0.81, level: 0.99 } },
};
const noisy: Partial<Comparison> = {
  ...{ verdict: 'inconclusive', ratio: 1.02, interval: { low: 0.98, high: 1.06, level: 0.99 } },
};
const still: Partial<Comparison> = {
  ...{ verdict: 'no-difference', ratio: 1.001, margin: 0.012 },
  interval: { low: 0.99, high: 1.012, level: 0.99 },
};

test('a limit is exceeded: what, by how much, how sure, what to do, and whether the check fails', () => {
  const found = answer(summaryOf('base'));
  expect(found.mark).toBe('bad');
  expect(found.headline).toBe('This PR makes apache use 4.8 % more CPU per request (limit: 3 %)');
  expect(found.sure).toBe(
    'Certain enough to act on: all of the 99 % interval (+4.1 to +5.6 %) exceeds the limit. Too noisy to tell: nginx-fpm (tcp) +2.8 % CPU per request (−2.3 to +8.2 %).',
  );
  expect(found.todo).toBe(
    'What to do: Find the cause and fix it, or raise the limit in fail-on. If the result for nginx-fpm (tcp) matters to you, rerun with instances: 48 to halve the interval.',
  );
  expect(found.check).toBe(
    'This check fails, and blocks merging if it is required: limit slower > 3% exceeded.',
  );
});

test.each([
  [0.0225, '2.25 %'],
  [0.0005, '0.05 %'],
  [0.99999, '99.999 %'],
  [0.07, '7 %'],
])('a limit of %d is shown as it was set', (above, shown) => {
  const summary = summaryOf('base');
  const gates = summary.gates.map((result) => ({ ...result, gate: { ...result.gate, above } }));
  const found = answer({ ...summary, gates });
  expect(found.headline).toContain(`(limit: ${shown})`);
  expect(found.table.columns.map(({ title }) => title)).toContain(`Limit ${shown}`);
});

test('a run that was stopped fails its check, whatever it had measured', () => {
  const summary = changed(still);
  const { check } = answer({ ...summary, run: { ...summary.run, stopped: 'SIGTERM' } });
  expect(check).toBe('This check fails: The run was stopped: SIGTERM.');
});

test('more load is advised in the terms of the run, and none beyond what is allowed', () => {
  const advice = (plan: Partial<Summary['plan']>) => {
    const summary = changed(noisy);
    return answer({ ...summary, plan: { ...summary.plan, ...plan } }).todo.replace(/.*rerun/, 'rerun');
  };
  expect(advice({ budgetSeconds: 120 })).toContain('budget: 8m');
  expect(advice({ budgetSeconds: 90 * 60 })).toContain('budget: 360m');
  expect(advice({ budgetSeconds: 91 * 60 })).toBe('rerun on a machine without other work.');
  expect(advice({ instances: 25 })).toContain('instances: 100');
  expect(advice({ instances: 26 })).toBe('rerun on a machine without other work.');
  const combined = changed(noisy);
  const scenarios = combined.scenarios.map((one) => ({ ...one, starts: 16 }));
  expect(answer({ ...combined, scenarios, plan: { ...combined.plan, instances: 4 } }).todo).toContain(
    'instances: 64',
  );
});

test('every metric that is judged has a row, and RPS is then not for information', () => {
  const summary = changed(still);
  const [scenario] = summary.scenarios;
  const [cpu] = scenario?.comparisons ?? [];
  const rps = { ...(cpu as Comparison), ...slower, metric: 'rps' as const, primary: true };
  const both = {
    ...summary,
    scenarios: [{ ...(scenario as Summary['scenarios'][number]), comparisons: [cpu as Comparison, rps] }],
  };
  expect(answer(both).rows.map(({ comparison, kind }) => [comparison.metric, kind])).toEqual([
    ['rps', 'slower'],
    ['cpu', 'same'],
  ]);
  expect(answer(both).notes.join(' ')).not.toContain('for information');
  // One variant with two results is not two variants.
  const open = { ...both.scenarios[0], comparisons: [cpu, { ...rps, ...noisy }] };
  expect(answer({ ...both, scenarios: [open] as Summary['scenarios'] }).headline).toBe(
    'This PR does not affect CPU per request by more than 1.2 % in 1 of 2 results',
  );
});

test('numbers from error pages are not shown, on whichever side they were', () => {
  const summary = changed({ ...noisy, reasons: ['the base answered wrongly'] });
  const [scenario] = summary.scenarios as [Summary['scenarios'][number]];
  const reference = scenario.comparisons[0]?.reference;
  const failed = { kind: 'failed', stage: 'run', reason: 'wrong', log: '' } as const;
  const broken = scenario.bases.map((row) => (row.variant === reference ? { ...row, state: failed } : row));
  const cellsOf = (bases: typeof broken) => {
    const { table, sure } = answer({ ...summary, scenarios: [{ ...scenario, bases }] });
    const cells = table.rows.flatMap((row) => row.cells.map(({ text }) => text));
    return [...cells, sure].join(' ');
  };
  expect(cellsOf([...scenario.bases])).toContain('+2.0 %');
  expect(cellsOf(broken)).not.toMatch(/%|\d{2}/);
});

test('reasons that all differ are not all shown above the table', () => {
  const many = Array.from({ length: 9 }, (_, i) => ({
    ...{ ...noisy, detectable: null, reasons: [`only ${i} % of answers OK`] },
  }));
  const summary = changed(...many.slice(0, 3));
  const [scenario] = summary.scenarios;
  const comparisons = many.map((one, i) => ({
    ...(scenario?.comparisons[0] as Comparison),
    ...one,
    variant: `v${i}`,
  }));
  const { sure } = answer({
    ...summary,
    scenarios: [{ ...(scenario as Summary['scenarios'][number]), comparisons }],
  });
  expect(sure.match(/Cannot tell for/g)).toHaveLength(3);
  expect(sure).toContain('The table has 6 more.');
});

test('rows are sorted by what has to be acted on', () => {
  const found = answer(changed(still, noisy, slower));
  expect(verdicts(found)).toEqual(['worse', 'too noisy to tell', 'no change above 1.2 %']);
  expect(found.rows.map(({ kind }) => kind)).toEqual(['slower', 'noisy', 'same']);
});

describe('the headline', () => {
  test.each([
    [
      'worse, without a limit',
      [slower],
      'warn',
      'This PR makes apache use 2.0 % more CPU per request (no limit is set)',
    ],
    [
      'two are worse: the larger',
      [slower, { ...slower, ratio: 1.05 }],
      'warn',
      'This PR makes nginx-fpm (unix) use 5.0 % more CPU per request (no limit is set); 1 more result worse',
    ],
    ['better', [better, still], 'good', 'This PR makes apache use 20.0 % less CPU per request'],
    [
      'worse counts more than better',
      [better, slower],
      'warn',
      'This PR makes nginx-fpm (unix) use 2.0 % more CPU per request (no limit is set)',
    ],
    [
      'no change',
      [still, { ...still, margin: 0.0152 }],
      'good',
      'This PR does not affect CPU per request by more than 1.6 %',
    ],
    [
      'no change where it is known',
      [still, noisy],
      'good',
      'This PR does not affect CPU per request by more than 1.2 % on 1 of 2 variants',
    ],
    ['all is too noisy', [noisy, noisy], 'open', 'Too noisy to tell whether this PR affects CPU per request'],
    [
      'all has a reason',
      [{ ...noisy, detectable: null, reasons: ['2 pairs, 4 needed'] }],
      'open',
      'Cannot tell whether this PR affects CPU per request',
    ],
    [
      'nothing was measured',
      [{ ...noisy, pairs: 0, ratio: null, interval: null }],
      'open',
      'Not compared with main',
    ],
  ] satisfies [string, Partial<Comparison>[], string, string][])('%s', (_, changes, mark, headline) => {
    expect(answer(changed(...changes))).toMatchObject({ mark, headline });
  });
  test.each([
    [1, '; 1 more result exceeds the limit'],
    [2, '; 2 more results exceed the limit'],
  ])('%d more exceed the limit', (more, end) => {
    const summary = summaryOf('base');
    const [gate] = summary.gates;
    const checks = gate?.checks.filter(({ failed }) => failed) ?? [];
    const leads = summary.scenarios[0]?.comparisons.filter((one) => one.against === 'base' && one.primary);
    const others = (leads ?? []).slice(1, 1 + more).map((comparison) => ({ ...checks[0], comparison }));
    const gates = [{ ...gate, checks: [...checks, ...others] }] as Summary['gates'];
    expect(answer({ ...summary, gates }).headline).toMatch(new RegExp(`${end}$`));
  });
  test('what fails to build comes before what is slower within its limit', () => {
    const found = answer(summaryOf('base-broken'));
    expect(found).toMatchObject({ mark: 'bad', headline: 'nginx-fpm (unix) failed to build' });
    expect(found.sure).toContain('Reason: composer install failed.');
    expect(found.sure).toContain('Cannot tell for swoole: wrong answers.');
    expect(found.sure).toContain(
      'Not compared with main: apache (main failed to build: it was not built); nginx-fpm (tcp) (no counterpart)',
    );
    expect(found.todo).toBe(
      'What to do: Fix nginx-fpm (unix): the full report has the log. Fix the answers of swoole: the full report has the errors.',
    );
    expect(found.check).toMatch(/^This check fails, .*: .* not measured; limits .* could not be judged\.$/);
  });
  test('there is nothing to compare with: why', () => {
    const found = answer(summaryOf('base-missing'));
    expect(found).toMatchObject({ mark: 'open', headline: 'Not compared with the base', rows: [] });
    expect(found.sure).toBe('Reason: git knows no commit main; the checkout is shallow.');
  });
  test('one machine lacks the base, and another found it to be the same: what was compared is answered', () => {
    const own = summaryOf('base-is-head');
    expect(isOwnBase(own)).toBe(true);
    const variants = own.variants.map((variant) => ({ ...variant, ref: 'main' }));
    expect(isOwnBase({ ...own, variants })).toBe(false);
  });

  test('a commit is its own base: there is no answer, and the ranking leads', () => {
    const summary = summaryOf('base-is-head');
    expect(answerOf(summary, medium)).toBe(null);
    expect(answerOfAll([summary, summary], medium)).toBe(null);
  });
  test('without another side there is no answer, and the ranking leads', () => {
    expect(answerOf(summaryOf('quick'), medium)).toBe(null);
  });
});

test('it passes, with and without a limit', () => {
  expect(answer(summaryOf('aa')).check).toBe('This check passes');
  expect(answer(changed(slower)).check).toBe(
    'This check passes: No limit is set that a slowdown could exceed.',
  );
});

test('a limit that had nothing to judge is named where the check passes', () => {
  const summary = summaryOf('aa');
  const gates = summary.gates.map((gate) => ({ ...gate, checks: [], failed: false, unjudged: false }));
  const [gate] = gates;
  expect(answer({ ...summary, gates }).check).toBe(
    `This check passes: Limit ${gate?.gate.source} was not checked.`,
  );
});

test('a limit that could not be judged for some variants is named where the check passes', () => {
  const summary = summaryOf('base');
  const gates = summary.gates.map((gate) => ({
    ...gate,
    checks: gate.checks.map((check) => ({ ...check, failed: false })),
    failed: false,
  }));
  expect(answer({ ...summary, gates }).check).toBe(
    'This check passes: Limit slower > 3% could not be judged for nginx-fpm (tcp).',
  );
});

test('a limit that one of several machines could judge was checked', () => {
  const summary = summaryOf('aa');
  const [judged] = summary.gates as [Summary['gates'][number]];
  const idle = { ...judged, checks: [], failed: false, unjudged: false };
  expect(answer({ ...summary, gates: [judged, idle] }).check).toBe('This check passes');
  const plan = { ...summary.plan, unjudged: 'pass' as const };
  const open = { ...idle, unjudged: true };
  expect(answer({ ...summary, plan, gates: [judged, open] }).check).toBe(
    `This check passes: Limit ${judged.gate.source} could not be judged on 1 of 2 machines.`,
  );
  expect(answer({ ...summary, plan, gates: [open] }).check).toBe(
    `This check passes: Limit ${judged.gate.source} could not be judged.`,
  );
});

test('a limit on a count that could not be judged for some variants is named, too', () => {
  const summary = summaryOf('aa');
  const gate = {
    source: 'queries more',
    count: 'queries',
    metric: null,
    above: 0,
    scenario: null,
    variant: null,
  };
  const [first, second] = summary.variants.filter(({ ref }) => ref === null);
  const checkOf = (variant: string, judged: boolean) =>
    ({
      scenario: 'quick',
      row: { variant },
      failed: false,
      judged,
    }) as Summary['gates'][number]['counts'][number];
  const counts = [checkOf(first?.id ?? '', true), checkOf(second?.id ?? '', false)];
  const gates = [{ gate, checks: [], counts, failed: false, unjudged: false }];
  expect(answer({ ...summary, plan: { ...summary.plan, gates: [gate] }, gates }).check).toBe(
    `This check passes: Limit queries more could not be judged for ${second?.label}.`,
  );
});

test('several limits are written in the plural', () => {
  const summary = summaryOf('base');
  const gateOf = (source: string, unjudged: boolean): Summary['gates'][number] => ({
    gate: { source, metric: null, above: 0.03, scenario: null, variant: null },
    ...{ checks: [], counts: [], failed: !unjudged, unjudged },
  });
  const check = (unjudged: boolean) => {
    const gates = ['a', 'b'].map((source) => gateOf(source, unjudged));
    return answer({ ...summary, plan: { ...summary.plan, gates: gates.map(({ gate }) => gate) }, gates })
      .check;
  };
  expect(check(false)).toContain(': limits a and b exceeded.');
  expect(check(true)).toContain('limits a and b could not be judged.');
});

test('a full disk is the reason that is given for its exit code', () => {
  const summary = changed(still);
  const failure = { stage: 'build', reason: 'no space left on device', log: '' } as const;
  const variants = summary.variants.map((one, i) => (i === 0 ? { ...one, failure } : one));
  const { check } = answer({ ...summary, variants });
  expect(check).toContain('no space left on the disk of the engine');
});

test('variants count as several though their names look alike', () => {
  const alike = { ...medium, name: () => 'a…b' };
  const open = changed(noisy, noisy);
  const todo = answerOf(open, alike)?.points.find(({ kind }) => kind === 'todo')?.text;
  expect(todo).toContain('If the results for a…b and a…b matter');
  expect(answerOf(open, alike)?.points[0]?.text).toMatch(/^Too noisy to tell: a…b .* and a…b /);
});

test('200 of each kind stay sentences of readable length', () => {
  const summary = changed(slower, better, noisy, still);
  const scenarios = summary.scenarios.map((scenario) => ({
    ...scenario,
    comparisons: scenario.comparisons.flatMap((one, i) =>
      Array.from({ length: 200 }, (_, n) => ({ ...one, variant: `variant-${i}-${n}` })),
    ),
  }));
  const found = answer({ ...summary, scenarios });
  expect(found.headline).toMatch(/; 199 more results worse$/);
  for (const text of [found.headline, found.sure, found.todo, found.check]) {
    expect(text.length).toBeLessThan(400);
  }
});

test.each([
  ['rps', 0.954, 'serve 4.6 % fewer requests per second'],
  ['rps', 5, 'serve 5.00 times as many requests per second'],
  ['p99', 1.2, 'take 20.0 % longer to respond (p99)'],
  ['p50', 0.9, 'take 10.0 % less time to respond (p50)'],
  ['cpu', 12, 'use 12.0 times as much CPU per request'],
  ['memory', 0.5, 'use 50.0 % less memory'],
  ['services', 1.05, 'use 5.0 % more CPU of services per request'],
] as const)('an effect names its metric: %s × %d', (metric: CompareMetric, ratio, expected) => {
  const [comparison] = summaryOf('base').scenarios[0]?.comparisons ?? [];
  expect(effectOf({ ...(comparison as Comparison), metric, ratio, interval: null })).toBe(expected);
});
