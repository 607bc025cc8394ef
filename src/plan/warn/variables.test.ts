import { expect, test } from 'vitest';
import type { PlannedVariant } from '../variants.ts';
import { warnOfVariables } from './variables.ts';

const variant = (name: string, extraVariables?: readonly string[], ref: string | null = null) =>
  ({ label: `${name}@8.4`, ref, runtime: { name, extraVariables } }) as unknown as PlannedVariant;
const caddy = (name = 'caddy-fpm', ref: string | null = null) =>
  variant(name, ['PATH_INFO', 'CONTENT_TYPE'], ref);

test('names those that give more than the others, and what', () => {
  expect(warnOfVariables([variant('apache'), caddy(), caddy('mine'), caddy('caddy-fpm', 'main')])).toEqual([
    {
      code: 'variables',
      message:
        'caddy-fpm@8.4, mine@8.4: $_SERVER has CONTENT_TYPE, PATH_INFO even if the request has none, unlike the others; an app that checks isset() behaves differently there',
      remedy: 'check empty() in the app; see docs/runtimes.md, Server variables',
      variant: null,
    },
  ]);
});

test.each([
  ['none', [variant('apache'), variant('nginx-fpm')]],
  ['all', [caddy(), caddy('mine')]],
  ['the only one, against its base', [caddy(), caddy('caddy-fpm', 'main')]],
])('says nothing where it is %s', (_, variants) => {
  expect(warnOfVariables(variants)).toEqual([]);
});
