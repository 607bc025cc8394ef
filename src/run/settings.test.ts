import { expect, test } from 'vitest';
import { markSettings } from './settings.ts';

const config = {
  ...{ env: { APP_ENV: 'prod', BENCH_INI: 'opcache.jit=0' }, headers: { Accept: 'text/html' } },
  ...{ prepare: ['make'], setUp: 'php migrate', memoryBytes: 2 ** 29 },
  services: { file: '/a/compose.yaml', reset: { db: 'reset' } },
};
const services = { db: { image: 'mariadb:11' }, cache: {} };
const mark = markSettings(config, services);

test('is the same for the same settings in another order, at another place', () => {
  expect(mark).toMatch(/^[0-9a-f]{4}$/);
  const { APP_ENV, BENCH_INI } = config.env;
  const moved = { ...config, env: { BENCH_INI, APP_ENV }, services: { ...config.services, file: '/b.yaml' } };
  expect(markSettings(moved, { cache: {}, db: { image: 'mariadb:11' } })).toBe(mark);
});

test.each([
  ['a variable', { env: { ...config.env, APP_ENV: 'dev' } }, {}],
  ['a PHP setting', { env: { ...config.env, BENCH_INI: 'opcache.jit=1' } }, {}],
  ['the value of a header', { headers: { Accept: 'text/plain' } }, {}],
  ['no headers', { headers: {} }, {}],
  ['another limit of memory', { memoryBytes: 2 ** 28 }, {}],
  ['other commands', { prepare: [] }, {}],
  ['another set-up', { setUp: 'php install' }, {}],
  ['another reset', { services: { ...config.services, reset: {} } }, {}],
  ['another database', {}, { db: { image: 'mariadb:10' } }],
])('differs with %s', (_, changed, others) => {
  expect(markSettings({ ...config, ...changed }, { ...services, ...others })).not.toBe(mark);
});
