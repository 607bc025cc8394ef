import { expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { summarise, summaryOf } from '../../test/fixtures/results/summaries.ts';
import { outcomeOf } from '../analyse/outcome.ts';
import { annotate } from './annotations.ts';

test('a gate that failed is an error', () => {
  expect(annotate(summaryOf('base'))).toEqual([
    {
      level: 'error',
      title: 'Limit slower > 3% exceeded',
      text: expect.stringMatching(/^apache, CPU per request \+4\.8 % \(99 % interval/),
    },
  ]);
});

test('without anything to report nothing is printed', () => {
  expect(annotate(summaryOf('aa'))).toEqual([]);
});

test('what was not compared or judged is a warning', () => {
  expect(annotate(summaryOf('base-missing'))).toEqual([
    {
      level: 'warning',
      title: 'Limit slower > 3% could not be judged',
      text: 'there is nothing to compare',
    },
    {
      level: 'warning',
      title: 'Not compared with the base',
      text: 'git knows no commit main; the checkout is shallow',
    },
  ]);
});

test('a commit that is its own base needs no remark', () => {
  const summary = summaryOf('base-is-head');
  expect(outcomeOf(summary).code).toBe(0);
  expect(annotate(summary)).toEqual([]);
});

test('a variant that failed is an error; at the other ref it is a warning', () => {
  const notes = annotate(summaryOf('base-broken')).map(({ level, title }) => [level, title]);
  expect(notes).toContainEqual(['error', 'nginx-fpm (unix) in quick']);
  expect(notes).toContainEqual(['warning', 'apache (base) and nginx-fpm (unix) (base) in quick']);
});

test('a missed criterion is an error', () => {
  const notes = annotate(summaryOf('journey'));
  expect(notes).toContainEqual({
    level: 'error',
    title: 'nginx-fpm (tcp) in auth: criteria missed',
    text: 'p99 734 ms > 20 ms',
  });
});

test('no more than GitHub shows, in one line each', () => {
  const failureOf = (i: number) => ({
    ...{ stage: 'build' as const, reason: `line ${i}\n::error::${'x'.repeat(1000)}`, log: '' },
  });
  const servers = Array.from({ length: 30 }, (_, i) => ({ id: `v${i}`, rps: 1, failure: failureOf(i) }));
  const notes = annotate(summarise(makeResults({ servers })));
  expect(notes).toHaveLength(9);
  expect(notes.at(-1)?.text).toBe('22 more remarks in the report');
  for (const { text } of notes) {
    expect(text).not.toContain('\n');
    expect(text.length).toBeLessThanOrEqual(500);
  }
});

test('variants that failed alike have one remark', () => {
  const failure = { stage: 'build' as const, reason: 'composer install: no network', log: '' };
  const servers = ['a', 'b', 'c'].map((id) => ({ id, rps: 1, ...(id !== 'c' && { failure }) }));
  const results = makeResults({ servers });
  const names = results.plan.scenarios.map(({ name }) => name);
  const [note, ...others] = annotate(summarise(results));
  expect(note?.title).toBe(`a and b in ${names.join(' and ')}`);
  expect(note?.text).toContain('composer install: no network');
  expect(others).toEqual([]);
});
