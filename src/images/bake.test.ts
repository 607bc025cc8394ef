import { expect, test } from 'vitest';
import { appOf } from '../../test/fixtures/app.ts';
import type { Runtime } from '../config/types.ts';
import type { PlannedImage } from '../plan/variants.ts';
import type { AppBuild } from './app-build.ts';
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
  requires: [],
  stop: { signal: 'SIGWINCH', timeoutMs: 10_000, inFlight: 'finishes' },
  status: 'maintained',
  docs: '',
};
const shop = appOf('shop', '/srv/my shop');
const image: PlannedImage = {
  key: 'apache-8-4-shop',
  ref: null,
  ready: null,
  runtime,
  php: '8.4',
  app: shop,
  install: false,
  args: { PHP_VERSION: '8.4' },
};
const app: AppBuild = {
  ...{ key: 'app-1', app: shop, dockerfile: '/tmp/x/Dockerfile' },
  ...{ args: {}, bases: [] },
};
const folders = { shared: '/pkg/runtimes/_shared', recipe: '/pkg/runtimes/_app' };
const apps = (build: AppBuild) => ({ of: () => build });

test('a target has the runtime as context, the app and mapped base images as named contexts', () => {
  const file = makeBakeFile(
    [image],
    { 'php:8.4-apache': 'mirror.example/php:8.4-apache' },
    folders,
    apps(app),
  );
  expect(file).toEqual({
    target: {
      'app-1': {
        context: '/srv/my shop',
        dockerfile: '/tmp/x/Dockerfile',
        contexts: {
          builder: '/pkg/runtimes/_app',
          'php:8.4-apache': 'docker-image://mirror.example/php:8.4-apache',
        },
        args: {},
      },
      'apache-8-4-shop': {
        context: '/pkg/runtimes/apache',
        dockerfile: 'Dockerfile',
        contexts: {
          app: 'target:app-1',
          shared: '/pkg/runtimes/_shared',
          'php:8.4-apache': 'docker-image://mirror.example/php:8.4-apache',
        },
        args: { PHP_VERSION: '8.4' },
        tags: ['php-runtime-bench/apache-8-4-shop:latest'],
        output: ['type=docker'],
        labels: { 'php-runtime-bench.image': 'apache' },
      },
    },
  });
});

test('what an app is built with goes to its own target, credentials to that alone', () => {
  const built: AppBuild = {
    ...app,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the point
    args: { BENCH_PREPARE_1: 'echo ${HOME} "$X"' },
    bases: ['php:8.4-cli', 'composer:2'],
  };
  const secret = ['id=composer-auth,env=COMPOSER_AUTH'];
  const { target } = makeBakeFile([image], {}, folders, apps(built), secret);
  expect(target['app-1']).toMatchObject({ args: { BENCH_PREPARE_1: 'echo $${HOME} "$X"' }, secret });
  expect(target['apache-8-4-shop']).not.toHaveProperty('secret');
  expect(basesOf(image, built)).toEqual(['php:8.4-apache', 'composer:2', 'php:8.4-cli']);
});

test('base images are named for the PHP version', () => {
  expect(basesOf(image, app)).toEqual(['php:8.4-apache', 'composer:2']);
  expect(tagOf(image)).toBe('php-runtime-bench/apache-8-4-shop:latest');
});

test('a folder that looks like a template is taken literally', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the point
  const odd = { ...app, app: { ...shop, folder: '/srv/${HOME}%{if}' } };
  const { target } = makeBakeFile([image], {}, folders, apps(odd));
  expect(target['app-1']?.context).toBe('/srv/$${HOME}%%{if}');
});

test('an image with nothing of an app in it has no app as a context', () => {
  const { target } = makeBakeFile([{ ...image, app: null }], {}, folders, { of: () => null });
  expect(Object.keys(target)).toEqual(['apache-8-4-shop']);
  expect(target['apache-8-4-shop']?.contexts).toEqual({ shared: '/pkg/runtimes/_shared' });
});
