import { expect, test } from 'vitest';
import type { PlannedVariant } from '../variants.ts';
import { warnOfVariables } from './variables.ts';

const HOST = 'app.test';
const variant = (name: string, extraVariables?: readonly string[], ref: string | null = null) =>
  ({ label: `${name}@8.4`, ref, runtime: { name, extraVariables } }) as unknown as PlannedVariant;
const caddy = (name = 'caddy-fpm', ref: string | null = null) =>
  variant(name, ['PATH_INFO', 'CONTENT_TYPE'], ref);

test('names those that give more than the others, and what', () => {
  expect(
    warnOfVariables([variant('apache'), caddy(), caddy('mine'), caddy('caddy-fpm', 'main')], HOST),
  ).toEqual([
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
  expect(warnOfVariables(variants, HOST)).toEqual([]);
});

const unit = (label = 'unit@8.4', ref: string | null = null) =>
  ({ label, ref, runtime: { name: 'unit', serverPort: 80 } }) as unknown as PlannedVariant;

test('names those whose port is not that of `host`', () => {
  const variants = [variant('apache'), unit(), unit('unit@8.3'), unit('unit@8.4', 'main')];
  expect(warnOfVariables(variants, 'shop.test:8080')).toEqual([
    {
      code: 'variables',
      message:
        'unit@8.4, unit@8.3: SERVER_PORT is always 80, but `host` names port 8080; an app that makes links with it behaves differently there',
      remedy: 'read the port from the Host header in the app; see docs/runtimes.md, Server variables',
      variant: null,
    },
  ]);
});

test.each([
  ['no port', 'shop.test', [unit()]],
  ['that port', 'shop.test:80', [unit()]],
  ['another one, and all servers pass it on', 'shop.test:8080', [variant('apache')]],
])('says nothing of ports where `host` names %s', (_, host, variants) => {
  expect(warnOfVariables(variants, host)).toEqual([]);
});

test('names those that lack what the others give', () => {
  const lacking = (label: string) =>
    ({ label, ref: null, runtime: { missingVariables: ['REQUEST_SCHEME'] } }) as unknown as PlannedVariant;
  expect(warnOfVariables([variant('apache'), lacking('unit@8.4')], HOST)).toEqual([
    {
      code: 'variables',
      message:
        'unit@8.4: $_SERVER lacks REQUEST_SCHEME, unlike the others; an app may behave differently there',
      remedy: 'use a default in the app; see docs/runtimes.md, Server variables',
      variant: null,
    },
  ]);
  expect(warnOfVariables([lacking('unit@8.4'), lacking('unit@8.3')], HOST)).toEqual([]);
});
