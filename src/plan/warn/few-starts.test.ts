import { expect, test } from 'vitest';
import { wantsVerdicts, warnOfFewStarts } from './few-starts.ts';

const two = [{ base: null }, { base: null }];

test.each([
  ['servers alone', two, [], false],
  ['another version', [{ base: 'apache:base' }, { base: null }], [], true],
  ['a rule on servers', two, [{}], true],
  ['a rule on counts', two, [{ count: 'queries' }], false],
  ['a rule on one server', [{ base: null }], [{}], false],
])('verdicts are wanted for %s: %s', (_, variants, gates, wanted) => {
  expect(wantsVerdicts(variants, gates)).toBe(wanted);
});

test.each([
  [3, false, null],
  [4, true, null],
  [
    1,
    false,
    'one fresh start of each server: differences between starts, about 1 % in RPS and more in p95 and p99, are not in the intervals',
  ],
  [
    2,
    false,
    '2 fresh starts of each server: differences between starts, about 1 % in RPS and more in p95 and p99, are barely known',
  ],
  [
    2,
    true,
    '2 fresh starts of each server: differences between starts, about 1 % in RPS and more in p95 and p99, are barely known; a verdict needs 4',
  ],
  [3, true, '3 fresh starts of each server: a verdict needs 4'],
])('%i starts, judged: %s', (starts, isJudged, message) => {
  expect(warnOfFewStarts(starts, isJudged).map((one) => one.message)).toEqual(
    message === null ? [] : [message],
  );
  if (message !== null)
    expect(warnOfFewStarts(starts, isJudged)[0]?.remedy).toBe(`--instances ${isJudged ? 4 : 3} or more`);
});
