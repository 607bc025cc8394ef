import { expect, test } from 'vitest';
import { make, quiet } from '../../../../test/fixtures/results/compared.ts';
import type { Server } from '../../../../test/fixtures/results/make.ts';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import { analyse } from '../../../analyse/analyse.ts';
import type { Summary } from '../../../analyse/summary.ts';
import type { Results } from '../../../results/results.ts';
import { type Medium, PLAIN_MARKS, THIS_CHANGE } from '../medium.ts';
import { answerOf } from './answer.ts';

const same = (text: string) => text;
const medium: Medium = {
  ...{ name: same, text: same, code: same, commit: same, call: same, place: same, ...THIS_CHANGE },
  marks: PLAIN_MARKS,
};
const answer = (base: Partial<Server>, head: Partial<Server> = {}, journey = '/') => {
  const servers = ['apache', 'caddy'].map((id) => ({ id, ...quiet, ...head, base }));
  const change = ({ plan }: Results) => {
    for (const scenario of plan.scenarios) scenario.journey = journey;
  };
  const found = answerOf(analyse(make(servers, { compareTo: {}, change })), medium);
  const textOf = (kind: string) => found?.points.find((point) => point.kind === kind)?.text;
  return { headline: found?.headline, sure: textOf('sure'), todo: textOf('todo') };
};

test('a base that fails for all: the reason once, and the step', () => {
  const failure = { stage: 'build', reason: 'composer install failed', log: '' } as const;
  expect(answer({ failure })).toEqual({
    headline: 'Not compared with main',
    sure: 'Reason: main failed to build: composer install failed.',
    todo: 'Fix main, or set compare-to to a commit that works: the full report has the log.',
  });
});

test('a base without the page: the step leaves out its path', () => {
  const gone = { status: 404, headers: '', body: '' };
  const failure = { stage: 'verify', reason: 'GET /new answers HTTP 404', log: '', answer: gone } as const;
  const todoOf = (journey: string) => answer({ failure }, {}, journey).todo;
  expect(answer({ failure }).sure).toBe('Reason: main answered wrongly: GET /new answers HTTP 404.');
  expect(todoOf('/ /new')).toBe(
    'Leave the path out if main has no such page, or set compare-to to a commit that has it.',
  );
  for (const journey of ['/new', 'shop', 'visit.js'])
    expect(todoOf(journey)).toMatch(/^Fix main, or set compare-to to a commit that works/);
});

const WRONG = 'only [\\d.]+ % of answers OK, 99 % needed; mostly http 500 at /';

test('a base that answers wrongly for all: the reason once, and the step', () => {
  const { sure, todo } = answer({ okRatio: 0.7 });
  expect(sure).toMatch(new RegExp(`^Cannot tell for apache and caddy: in main: ${WRONG}\\.$`));
  expect(todo).toBe('Fix main, or set compare-to to a commit that works: the full report has the errors.');
});

test('a change that answers wrongly: the step', () => {
  const { sure, todo } = answer({ okRatio: 1 }, { okRatio: 0.7 });
  expect(sure).toMatch(new RegExp(`^Cannot tell for apache and caddy: ${WRONG}\\.$`));
  expect(todo).toBe('Fix the answers of apache and caddy: the full report has the errors.');
});

test('a change that answers wrongly without a line in its log: the step names what hides errors', () => {
  const reason = 'GET / answers HTTP 500';
  const failure = (log: string, status = 500, body = '') => {
    return { failure: { stage: 'verify', reason, log, answer: { status, headers: '', body } } as const };
  };
  const silent =
    'Fix apache and caddy: page and log are empty. Check whether the app hides errors, as error_reporting(0) does, or logs into another file.';
  expect(answer({}, failure('\n')).todo).toBe(silent);
  expect(answer({}, failure('Fatal error')).todo).toBe('Fix apache and caddy: the full report has the log.');
  expect(answer({}, failure('', 500, 'No database')).todo).toContain('the full report has the log');
  expect(answer({}, failure('', 404)).todo).toBe('Fix apache and caddy: the full report has the log.');
});

test('a change that fails: its reason, once', () => {
  const failure = { stage: 'build', reason: 'composer install failed', log: '' } as const;
  expect(answer({}, { failure }).sure).toMatch(/^Reason: composer install failed\./);
  expect(answer({ okRatio: 1 }, { okRatio: 0 }).sure).toMatch(/^Reason: no answer was OK; mostly http 500\./);
});

test('several that are not certain are results, in the plural', () => {
  const few = analyse(
    make(
      ['apache', 'caddy'].map((id) => ({ id, ...quiet, base: {} })),
      { compareTo: {}, instances: 3 },
    ),
  );
  const todo = answerOf(few, medium)?.points.find(({ kind }) => kind === 'todo')?.text;
  expect(todo).toBe('If the results for apache and caddy matter to you, rerun with instances: 4 or more.');
});

test('where a limit on counts is exceeded: no limit applies to what is slower, and there is one step', () => {
  const found = answerOf(summaryOf('counts'), medium);
  const textOf = (kind: string) => found?.points.find((point) => point.kind === kind)?.text;
  expect(textOf('sure')).toContain('more CPU per request (no limit applies).');
  expect(textOf('todo')).not.toContain('Decide whether');
});

test('without any base: the step that the warning has', () => {
  const summary = summaryOf('base-missing');
  const message = `nothing to compare with: ${summary.plan.compareTo?.reason}`;
  const remedy = "check out with 'fetch-depth: 0'";
  const warnings = [{ code: 'no-base', message, remedy, variant: null }];
  const todoOf = (of: Summary) => answerOf(of, medium)?.points.find(({ kind }) => kind === 'todo')?.text;
  expect(todoOf({ ...summary, warnings })).toBe("Check out with 'fetch-depth: 0'.");
  expect(todoOf({ ...summary, warnings: [] })).toBe(
    'Give the run something to compare with: the reason is above.',
  );
  const newApp = { ...warnings[0], code: 'not-in-base', remedy: 'nothing' } as (typeof warnings)[0];
  expect(todoOf({ ...summary, warnings: [newApp, ...warnings] })).toBe("Check out with 'fetch-depth: 0'.");
  const ofApp = { code: 'not-in-base', message: `${summary.plan.compareTo?.reason}`, remedy, variant: null };
  expect(todoOf({ ...summary, warnings: [ofApp] })).toBe("Check out with 'fetch-depth: 0'.");
  expect(todoOf({ ...summary, warnings: [{ ...ofApp, message: 'app shop is new' }] })).toContain(
    'Give the run',
  );
});

test('a page that may be another one comes before all other steps', () => {
  const summary = summaryOf('counts');
  const own = {
    code: 'looks-unfinished',
    message: 'GET / looks like an installer',
    remedy: '',
    variant: null,
  };
  const todoOf = (warnings: Summary['warnings']) =>
    answerOf({ ...summary, warnings }, medium)?.points.find(({ kind }) => kind === 'todo')?.text;
  const first = 'Check first that the page is the one that you mean: the full report has the remedy.';
  expect(todoOf([own])).toBe(`${first} ${todoOf([])}`);
});
