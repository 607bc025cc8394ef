import { describe, expect, it } from 'vitest';
import { readRun, renderTally, sumTallies } from '../../script/lib/tally.ts';

const tally = { passed: 2, failed: ['a'], skipped: [{ name: 'b', reason: 'no cores' }] };

describe('readRun', () => {
  const layers = { integration: ['integration', 'alone'], e2e: ['e2e'] };
  const passed = { passed: 3, failed: [], skipped: [] };
  const nothing = { passed: 0, failed: [], skipped: [] };
  const report = (projects: object, errors: string[] = [], ended = true) =>
    JSON.stringify({ projects, errors, ended });

  it('takes what the reporter wrote, by layer', () => {
    const text = report({ integration: tally, alone: passed, e2e: passed }, ['late']);
    expect(readRun(text, 'exit code 1', layers)).toEqual({
      integration: { ...tally, passed: 5 },
      e2e: passed,
      'integration, e2e': { ...nothing, failed: ['late'] },
    });
  });

  it.each([
    ['no report', undefined, 'exit code 0', 'vitest gave no report (exit code 0)'],
    ['half a report', '{"projects": {', 'signal SIGKILL', 'vitest gave no report (signal SIGKILL)'],
    ['something else', '[]', 'exit code 0', 'vitest gave no report (exit code 0)'],
    [
      'a bad end without a failure',
      report({ unit: passed }),
      'exit code 1',
      'vitest named no failure, but ended with exit code 1',
    ],
    ['no tests', report({ unit: nothing }), 'exit code 0', 'vitest ran no test of the project unit'],
    [
      'a report that does not end',
      report({ unit: passed }, [], false),
      'signal SIGKILL',
      'vitest ended before its tests (signal SIGKILL)',
    ],
  ])('counts one failure for %s', (_, text, end, failure) => {
    expect(readRun(text, end, { unit: ['unit'] }).unit?.failed).toEqual([failure]);
  });

  it.each([
    ['beside one that has some', 'exit code 0', []],
    ['after an error outside of a test', 'exit code 1', ['late']],
  ])('counts one failure for a project without tests: %s', (_, end, errors) => {
    const { integration, e2e } = readRun(report({ alone: passed }, errors), end, layers);
    const silent = (project: string) => [`vitest ran no test of the project ${project}`];
    expect([integration?.failed, e2e?.failed]).toEqual([silent('integration'), silent('e2e')]);
  });

  it('keeps what a killed run has named', () => {
    const text = report({ integration: tally, alone: passed }, [], false);
    expect(readRun(text, 'signal SIGKILL', layers)).toEqual({
      integration: { ...tally, passed: 5 },
      e2e: { ...nothing, failed: ['vitest ran no test of the project e2e'] },
      'integration, e2e': { ...nothing, failed: ['vitest ended before its tests (signal SIGKILL)'] },
    });
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
