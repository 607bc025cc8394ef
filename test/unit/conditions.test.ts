/** The conditions of jobs in the reusable workflows. act ends a run with its first failed workflow, so it shows few of them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Before, type Contexts, evaluate, isMet } from '../fixtures/expressions.ts';

const root = resolve(import.meta.dirname, '../..');

function jobOf(file: string, job: string) {
  return parse(readFileSync(join(root, '.github/workflows', file), 'utf8')).jobs[job];
}

function runs(file: string, job: string, contexts: Contexts, before?: Before): boolean {
  return isMet(jobOf(file, job).if, contexts, before);
}

describe('a history takes', () => {
  const start = (event_name: string, ref: string) => ({
    github: {
      ...{ event_name, ref, ref_name: ref.replace(/^refs\/(heads|tags)\//, '') },
      event: event_name === 'schedule' ? {} : { repository: { default_branch: 'main' } },
    },
  });

  test.each([
    ['a schedule', 'schedule', 'refs/heads/main', true],
    ['a manual start from the default branch', 'workflow_dispatch', 'refs/heads/main', true],
    ['a manual start from another branch', 'workflow_dispatch', 'refs/heads/feature', false],
    ['a branch whose last part is the same', 'workflow_dispatch', 'refs/heads/fix/main', false],
    ['a tag of the same name', 'workflow_dispatch', 'refs/tags/main', false],
    ['a pull request', 'pull_request', 'refs/pull/7/merge', false],
  ])('%s', (_, event, ref, expected) => {
    const ended = (before?: Before) => runs('bench-schedule.yml', 'history', start(event, ref), before);
    // A version that failed keeps no other out. A cancelled run adds nothing.
    expect([ended('success'), ended('failure'), ended('cancelled')]).toEqual([expected, expected, false]);
  });
});

test.each([
  ['true', 'workflow/CI/bench'],
  // As an unset variable of the caller gives it.
  ['', 'workflow/CI/bench'],
  ['php-8.4', 'php-8.4'],
])('bench.yml with comment: %s writes the comment of %s', (comment, key) => {
  const { steps } = jobOf('bench.yml', 'comment');
  const contexts = { inputs: { comment, 'artifact-name': 'bench' }, github: { workflow: 'CI' } };
  expect(evaluate(steps.at(-1).with.comment, contexts)).toBe(key);
});

test.each([
  ['ubuntu-24.04', 'ubuntu-24.04'],
  ['["self-hosted", "bench"]', ['self-hosted', 'bench']],
  ['{"group": "large", "labels": "bench"}', { group: 'large', labels: 'bench' }],
])('bench.yml with runs-on: %s measures there', (given, expected) => {
  const [, runsOn] = /^\$\{\{(.*)\}\}$/.exec(jobOf('bench.yml', 'bench')['runs-on']) ?? [];
  const found = evaluate(`toJSON(${runsOn})`, { inputs: { 'runs-on': given } });
  expect(JSON.parse(found)).toEqual(expected);
});

describe('the job Comment of bench.yml', () => {
  const pull = (full_name: string | null) => ({
    github: {
      repository: 'octo/shop',
      event: { pull_request: { head: { repo: full_name === null ? null : { full_name } } } },
    },
  });
  const own = pull('octo/shop');
  const asked = { 'pull-request': '7' };

  test.each([
    ['writes for a branch of the repository', own, {}, 'success', true],
    ['writes although a machine failed', own, {}, 'failure', true],
    ['is for no fork', pull('mallory/shop'), {}, 'success', false],
    ['is for no fork that is gone', pull(null), {}, 'success', false],
    ['is for no push', { github: { repository: 'octo/shop', event: {} } }, {}, 'success', false],
    [
      'writes where it was asked to',
      { github: { repository: 'octo/shop', event: {} } },
      asked,
      'success',
      true,
    ],
    ['writes nothing with comment: false', own, { comment: 'false' }, 'success', false],
    ['writes nothing without a report', own, { result: 'skipped' }, 'failure', false],
    ['writes nothing when the run is cancelled', own, {}, 'cancelled', false],
  ] as const)(
    '%s',
    (_, event, { result = 'success', ...given }: Record<string, string>, before, expected) => {
      const inputs = { comment: 'true', 'pull-request': '', ...given };
      const needs = { report: { result } };
      expect(runs('bench.yml', 'comment', { ...event, inputs, needs }, before)).toBe(expected);
    },
  );
});

test.each([
  ['pull_request', 'success', true],
  ['pull_request', 'failure', true],
  ['pull_request', 'timed_out', true],
  ['pull_request', 'cancelled', true],
  ['pull_request', 'action_required', false],
  ['pull_request', 'skipped', false],
  ['pull_request_target', 'success', false],
  ['push', 'success', false],
])('the workflow for forks after a run on %s that ended as %s: %s', (event, conclusion, expected) => {
  const github = { event: { workflow_run: { event, conclusion } } };
  expect(runs('bench-comment.yml', 'comment', { github })).toBe(expected);
});

test.each([
  ['a request', {}, true],
  ['an edited request', { action: 'edited' }, false],
  ['a request on an issue', { issue: { number: 7 } }, false],
  ['another comment', { comment: { body: 'See /bench' } }, false],
])('bench-command.yml reads %s: %s', (_, change, expected) => {
  const comment = { body: '/bench apache' };
  const event = { action: 'created', issue: { number: 7, pull_request: {} }, comment, ...change };
  const github = { event_name: 'issue_comment', event };
  expect(runs('bench-command.yml', 'request', { github })).toBe(expected);
});
