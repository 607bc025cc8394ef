import { describe, expect, it } from 'vitest';
import { readRun, renderTally, sumTallies } from '../../script/lib/tally.ts';

const tally = { passed: 2, failed: ['a'], skipped: [{ name: 'b', reason: 'no cores' }] };

describe('readRun', () => {
  it('takes what the reporter wrote', () => {
    expect(readRun(JSON.stringify(tally), 'exit code 1')).toEqual(tally);
  });

  it.each([
    ['no report', undefined, 'exit code 0', 'vitest gave no report (exit code 0)'],
    ['half a report', '{"passed": 3,', 'signal SIGKILL', 'vitest gave no report (signal SIGKILL)'],
    ['something else', '[]', 'exit code 0', 'vitest gave no report (exit code 0)'],
    [
      'a bad end without a failure',
      '{"passed":3,"failed":[],"skipped":[]}',
      'exit code 1',
      'vitest named no failure, but ended with exit code 1',
    ],
    ['no tests', '{"passed":0,"failed":[],"skipped":[]}', 'exit code 0', 'vitest ran no test'],
  ])('counts one failure for %s', (_, text, end, failure) => {
    expect(readRun(text, end).failed).toEqual([failure]);
  });
});

it('sums layers and ends with the counts', () => {
  const sum = sumTallies({ unit: tally, e2e: { ...tally, failed: [] } });
  expect(renderTally(sum).split('\n')).toEqual([
    '- unit: b (skipped: no cores)',
    '- e2e: b (skipped: no cores)',
    '✗ unit: a',
    '',
    '4 passed, 1 failed, 2 skipped',
  ]);
});
