import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { isIgnored } from '../config/parts/dockerignore.ts';
import type { PlannedImage } from '../plan/variants.ts';
import { makeRunId } from '../stages/desk.ts';
import { openOutput } from '../store/output.ts';
import { addSteps, basesOfApp, openAppBuilds } from './app-build.ts';

useFolder();

const recipe = readFileSync(join(import.meta.dirname, '../../runtimes/_app/Dockerfile'), 'utf8');

test('the recipe gets the names of variables and commands, never their text', () => {
  const text = addSteps(recipe, { env: { DB_HOST: 'x\nRUN evil' }, prepare: ['RUN evil', 'b'] });
  expect(text).not.toContain('evil');
  expect(text).not.toContain('# {env}\n');
  expect(text).not.toContain('# {prepare}\n');
  const steps = text.split('\n').filter((line) => /^(FROM|COPY|ARG|RUN|WORKDIR)/.test(line));
  expect(steps.slice(steps.indexOf('COPY . .'))).toEqual([
    ...['COPY . .', 'ARG DB_HOST', 'ARG APP_ENV', 'ARG APP_DEBUG', 'ARG BENCH_INSTALL=""'],
    expect.stringMatching(/^RUN --mount/),
    'ARG BENCH_PREPARE_1',
    'RUN php /usr/local/share/php-runtime-bench/build.php prepare 1',
    'ARG BENCH_PREPARE_2',
    'RUN php /usr/local/share/php-runtime-bench/build.php prepare 2',
    ...['ARG BENCH_KIND=""', 'RUN php /usr/local/share/php-runtime-bench/build.php warm'],
    'ARG BENCH_ROOT="."',
    'RUN php /usr/local/share/php-runtime-bench/build.php check "$BENCH_ROOT"',
    'FROM scratch',
    'COPY --from=build /app /',
  ]);
});

test.each([
  ['', {}, 'copied'],
  ['public/vendor', {}, 'copied'],
  ['# no vendor here', {}, 'copied'],
  ['vendor', {}, 'built'],
  ['*\n!public\n!src', {}, 'built'],
  ['', { 'vendor-dir': './vendor/' }, 'copied'],
  ['', { 'vendor-dir': 'deps' }, 'built'],
  ['', { 'vendor-dir': '../vendor' }, 'built'],
  ['', { 'vendor-dir': '/app/vendor' }, 'built'],
])('packages that lie in vendor/ with .dockerignore %j and config %j: %s', (ignored, config, expected) => {
  mkdirSync(join(folder, 'vendor'));
  writeFileSync(join(folder, 'vendor/autoload.php'), '<?php');
  writeFileSync(join(folder, 'composer.json'), JSON.stringify({ config }));
  writeFileSync(join(folder, '.dockerignore'), ignored);
  const image = { app: { name: 'app', folder, kind: 'plain' }, php: '8.4', args: {}, install: false };
  const bases = basesOfApp(image as unknown as PlannedImage, { prepare: [] });
  expect(bases.length > 0 ? 'built' : 'copied').toBe(expected);
});

test('the settings of a run, its results, caches and the files of git are no part of the app', async () => {
  const image = { app: { name: 'app', folder, kind: 'plain' }, php: '8.4', args: {}, install: false };
  writeFileSync(join(folder, 'artisan'), '');
  writeFileSync(join(folder, '.dockerignore'), '!.bench.yml');
  // Of an earlier run with another `out`.
  const earlier = await openOutput(join(folder, 'bench-results'));
  await earlier.write('report.md', '');
  const builds = await openAppBuilds([image as unknown as PlannedImage], {
    config: { env: {}, prepare: [], out: join(folder, 'out') },
    run: makeRunId(Date.now()),
    recipeFolder: join(import.meta.dirname, '../../runtimes/_app'),
  });
  try {
    const build = builds.of(image as unknown as PlannedImage);
    const ignored = readFileSync(`${build?.dockerfile}.dockerignore`, 'utf8');
    const names = [
      '.git',
      '.bench.yml',
      '.bench.yaml',
      '.bench-redis.yml',
      '.bench-npm.yaml',
      'out',
      'bench-results/report.md',
      'storage/framework/cache/data/ab/cd',
      'bootstrap/cache/config.php',
      'bootstrap/cache/events.php',
      'bootstrap/cache/routes-v7.php',
      // It is made of the packages alone.
      'bootstrap/cache/packages.php',
      'storage/framework/views',
      'index.php',
      'src/.bench.yml',
      'src/.bench-redis.yml',
      '.bench/set-up.php',
    ];
    expect(names.filter((name) => !isIgnored(ignored, name))).toEqual(names.slice(11));
  } finally {
    await builds.remove();
  }
});

test('each app has a target of its own, whose name a cache may keep for other runs', async () => {
  const image = (name: string, folder: string, php: string) =>
    ({ app: { name, folder, kind: 'plain' }, php, args: {}, install: false }) as unknown as PlannedImage;
  const images = [image('my-shop', '/a', '8.3'), image('my-shop', '/b', '8.3'), image('blog', '/c', '8.4')];
  const builds = await openAppBuilds(images, {
    config: { env: {}, prepare: [], out: '/out' },
    run: makeRunId(Date.now()),
    recipeFolder: join(import.meta.dirname, '../../runtimes/_app'),
  });
  await builds.remove();
  expect(images.map((one) => builds.of(one)?.key)).toEqual([
    ...['app_my_shop_8_3_1', 'app_my_shop_8_3_2', 'app_blog_8_4_3'],
  ]);
});
