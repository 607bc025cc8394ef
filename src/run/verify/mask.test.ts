import { expect, test } from 'vitest';
import { UserError } from '../../errors.ts';
import { maskBodies } from './mask.ts';
import type { Answer } from './verify.ts';

const answer = (body: string): Answer => ({ status: 200, error: '', type: 'text/html', location: '', body });
const mask = (masks: string[], ...bodies: string[]) =>
  maskBodies(bodies.map(answer), masks).map(({ body }) => body);

test('every match of each expression goes, and nothing else', () => {
  expect(
    mask(['timestamp \\d{14}', '"node":"[^"]*"'], 'timestamp 20261122100159, 17', '{"node":"a"}'),
  ).toEqual(['…, 17', '{…}']);
  expect(mask(['\\p{Lu}+'], 'ÄBC ÄBC x')).toEqual(['… … x']);
  expect(mask([], 'as it is')).toEqual(['as it is']);
});

test('an expression that backtracks without end is stopped, and reported', () => {
  const stopped = () => mask(['(a+)+$'], `${'a'.repeat(60)}!`);
  expect(stopped).toThrow(UserError);
  expect(stopped).toThrow('a regular expression takes too long');
}, 30_000);
