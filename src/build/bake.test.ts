import { expect, test } from 'vitest';
import type { Runtime } from '../config/types.ts';
import type { PlannedImage } from '../plan/variants.ts';
import { basesOf, makeBakeFile, tagOf } from './bake.ts';

const runtime: Runtime = {
  name: 'apache',
  folder: '/pkg/runtimes/apache',
  title: 'Apache',
  model: 'per-request',
  base: ['php:{php}-apache', 'composer:2'],
  php: ['8.4'],
  options: {},
  apps: ['plain'],
  elastic: {},
  stop: { signal: 'SIGWINCH', timeoutMs: 10_000, inFlight: 'finishes' },
  status: 'maintained',
  docs: '',
};
const image: PlannedImage = {
  key: 'apache-8-4-shop',
  ref: null,
  ready: null,
  runtime,
  php: '8.4',
  app: { name: 'shop', folder: '/srv/my shop', root: 'public' },
  args: { PHP_VERSION: '8.4' },
};

test('a target has the runtime as context, the app and mapped base images as named contexts', () => {
  const file = makeBakeFile(
    [image],
    { 'php:8.4-apache': 'mirror.example/php:8.4-apache' },
    '/pkg/runtimes/_shared',
  );
  expect(file).toEqual({
    target: {
      'apache-8-4-shop': {
        context: '/pkg/runtimes/apache',
        dockerfile: 'Dockerfile',
        contexts: {
          app: '/srv/my shop',
          shared: '/pkg/runtimes/_shared',
          'php:8.4-apache': 'docker-image://mirror.example/php:8.4-apache',
        },
        args: { PHP_VERSION: '8.4' },
        tags: ['php-runtime-bench/apache-8-4-shop:latest'],
        labels: { 'php-runtime-bench.image': 'apache' },
      },
    },
  });
});

test('base images are named for the PHP version', () => {
  expect(basesOf(image)).toEqual(['php:8.4-apache', 'composer:2']);
  expect(tagOf(image)).toBe('php-runtime-bench/apache-8-4-shop:latest');
});

test('a folder that looks like a template is taken literally', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the point
  const app = { ...image.app, folder: '/srv/${HOME}%{if}' };
  const { target } = makeBakeFile([{ ...image, app }], {}, '/shared');
  expect(target['apache-8-4-shop']?.contexts.app).toBe('/srv/$${HOME}%%{if}');
});
