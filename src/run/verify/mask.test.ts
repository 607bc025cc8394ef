import { expect, test } from 'vitest';
import { UserError } from '../../errors.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import { maskAnswers, maskBodies } from './mask.ts';
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

test("the names of the variants' databases are no difference, and any other text is", () => {
  const variants = ['a', 'b', 'c', 'd'].map((id) => ({ id }) as PlannedVariant);
  const hide = (body: string, services: object | undefined, location = '') =>
    maskAnswers([{ ...answer(body), location }], {
      config: { services, mask: ['z+'] } as never,
      plan: { variants },
    });
  const page = 'zz prefix_bench_2mwUser=([^;]+) in bench_2, not in bench_20';
  expect(hide(page, {}, '/bench_2/login')).toEqual([
    { ...answer('… prefix_…mwUser=([^;]+) in …, not in bench_20'), location: '/…/login' },
  ]);
  // phpMyAdmin lists them all.
  expect(hide('bench_1 bench_2 bench_4 bench_5', {})[0]?.body).toBe('… … … bench_5');
  expect(hide(page, undefined)[0]?.body).toContain('bench_2m');
});
