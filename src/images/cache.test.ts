import { expect, test } from 'vitest';
import { withGitHubCache } from './cache.ts';

const target = { context: '/app', dockerfile: 'Dockerfile', contexts: {}, args: {} };

test('each target has a scope of its own, and a cache that fails fails nothing', () => {
  expect(withGitHubCache({ target: { 'apache-8-4-shop': target, 'app-shop': target } })).toEqual({
    target: {
      'apache-8-4-shop': {
        ...target,
        'cache-from': ['type=gha,scope=php-runtime-bench-apache-8-4-shop'],
        'cache-to': ['type=gha,scope=php-runtime-bench-apache-8-4-shop,mode=max,ignore-error=true'],
      },
      'app-shop': {
        ...target,
        'cache-from': ['type=gha,scope=php-runtime-bench-app-shop'],
        'cache-to': ['type=gha,scope=php-runtime-bench-app-shop,mode=max,ignore-error=true'],
      },
    },
  });
});
