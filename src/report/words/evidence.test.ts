import { expect, test } from 'vitest';
import { groupAlike } from './evidence.ts';

const failed = (variant: string, reason: string, log = '') => ({ variant, reason, log });

test.each([
  ['one reason', [failed('a', 'x'), failed('b', 'y'), failed('c', 'x')], ['ac', 'b']],
  ['one reason with other logs', [failed('a', 'x', 'no file'), failed('b', 'x', 'no table')], ['a', 'b']],
  [
    'one message in the logs of two servers',
    [
      failed('a', 'HTTP 500; its log: no file', '[php:error] PHP Fatal error: no file'),
      failed('b', 'HTTP 500; its log: no file', 'FastCGI sent in stderr: no file'),
      failed('c', 'HTTP 500; its log: no table', 'FastCGI sent in stderr: no table'),
    ],
    ['ab', 'c'],
  ],
  ['other times', [failed('a', 'x', '#9 2.31 E: no'), failed('b', 'x', '#11 12.04 E: no')], ['ab']],
  ['numbers in the reason', [failed('a', 'HTTP 500'), failed('b', 'HTTP 503')], ['a', 'b']],
])('groups what failed alike: %s', (_, all, expected) => {
  const groups = groupAlike(
    all,
    ({ reason }) => reason,
    ({ log }) => log,
  );
  expect(groups.map((alike) => alike.map(({ variant }) => variant).join(''))).toEqual(expected);
});
