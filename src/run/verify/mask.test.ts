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

test("the name of the variant's own database is no difference, and any other text is", () => {
  const variants = ['a', 'b', 'c', 'd'].map((id) => ({ id }) as PlannedVariant);
  const hide = (id: string, body: string, services: object | undefined, location = '') =>
    maskAnswers(
      [{ ...answer(body), location }],
      { config: { services, mask: ['z+'] } as never, plan: { variants } },
      id,
    );
  const page = (n: number) => `zz prefix_bench_${n}mwUser=([^;]+) in bench_${n}, not in bench_${n}0`;
  expect(hide('b', page(2), {}, '/bench_2/login')).toEqual([
    { ...answer('… prefix_…mwUser=([^;]+) in …, not in bench_20'), location: '/…/login' },
  ]);
  expect(hide('c', page(2), {})[0]?.body).toContain('bench_2m');
  expect(hide('b', page(2), undefined)[0]?.body).toContain('bench_2m');
});
