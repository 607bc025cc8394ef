import { expect, test } from 'vitest';
import { warnOfSharedCaches } from './shared-caches.ts';

const two = ['apache@8.4', 'nginx-fpm@8.4'];
const cache = { image: 'redis:7' };

test('names the caches that all variants share', () => {
  const services = { db: { image: 'mysql:8.4' }, cache, pages: { image: 'mirror.example/memcached:1.6' } };
  expect(warnOfSharedCaches(two, services, { env: { CACHE_STORE: 'redis' } })).toEqual([
    {
      code: 'shared-cache',
      message: 'all variants share cache and pages: a page that one has cached may be read by another',
      remedy: expect.stringContaining("CACHE_PREFIX: '{variant}'"),
      variant: null,
    },
  ]);
});

test.each(['redis', 'valkey/valkey:8', 'bitnami/redis@sha256:0', 'memcached:1.6-alpine'])(
  '%s is a cache',
  (image) => expect(warnOfSharedCaches(two, { cache: { image } }, { env: {} })).toHaveLength(1),
);

test.each([
  'DB_DATABASE',
  'DATABASE_URL',
  'WORDPRESS_DB_NAME',
  'db_name',
  'PGDATABASE',
  'MYSQL_DATABASE',
  'DB_PREFIX',
])('is not kept from it by a database for each variant: %s', (name) => {
  const env = { [name]: 'mysql://db/{variant}', CACHE_PREFIX: 'shop_' };
  expect(warnOfSharedCaches(two, { cache }, { env })).toHaveLength(1);
});

test.each([
  ['a prefix for each variant', two, { cache }, { REDIS_PREFIX: 'shop_{variant}_' }],
  [
    'one that the setting of a database stands beside',
    two,
    { cache },
    { DB_NAME: '{variant}', CACHE_PREFIX: '{variant}' },
  ],
  ['a cache in a database for each', two, { cache }, { DB_CACHE_DATABASE: '{variant}' }],
  ['a name that prefixes follow', two, { cache }, { APP_NAME: 'shop {variant}' }],
  ['one variant', ['apache@8.4'], { cache }, {}],
  ['a database alone', two, { db: { image: 'mysql:8.4' } }, {}],
  ['a tool for a cache', two, { tool: { image: 'rediscommander/redis-commander:latest' } }, {}],
  ['an image that is built', two, { cache: {} }, {}],
])('says nothing of %s', (_, variants, services, env) => {
  expect(warnOfSharedCaches(variants, services, { env: env as Record<string, string> })).toEqual([]);
});
