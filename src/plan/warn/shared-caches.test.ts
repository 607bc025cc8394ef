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
  ['a prefix for each variant', two, { cache }, { REDIS_PREFIX: 'shop_{variant}_' }],
  ['one variant', ['apache@8.4'], { cache }, {}],
  ['a database alone', two, { db: { image: 'mysql:8.4' } }, {}],
  ['a tool for a cache', two, { tool: { image: 'rediscommander/redis-commander:latest' } }, {}],
  ['an image that is built', two, { cache: {} }, {}],
])('says nothing of %s', (_, variants, services, env) => {
  expect(warnOfSharedCaches(variants, services, { env: env as Record<string, string> })).toEqual([]);
});
