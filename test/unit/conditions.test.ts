/** The conditions of jobs in the reusable workflows. act ends a run with its first failed workflow, so it shows few of them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Before, type Contexts, isMet } from '../fixtures/expressions.ts';

const root = resolve(import.meta.dirname, '../..');

function runs(file: string, job: string, contexts: Contexts, before?: Before): boolean {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows', file), 'utf8'));
  return isMet(jobs[job].if, contexts, before);
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
