import { expect, test } from 'vitest';
import { appOf } from '../../../test/fixtures/app.ts';
import type { App } from '../../config/types.ts';
import type { PlannedImage, PlannedVariant } from '../variants.ts';
import { warnOfDevPackages, warnOfHtaccess } from './app-files.ts';

const shop: App = {
  ...{ ...appOf('shop', '/shop'), htaccess: 'public/.htaccess' },
  devPackages: ['phpunit/phpunit', 'mockery/mockery'],
};

const variant = (app: App, name: string, htaccess: boolean, ref: string | null = null) =>
  ({ app, label: `${name}@8.4`, ref, runtime: { name, htaccess } }) as unknown as PlannedVariant;

test('names those that do not obey .htaccess, once for each app', () => {
  const blog = appOf('blog', '/blog');
  const found = warnOfHtaccess([
    ...[variant(shop, 'apache', true), variant(shop, 'nginx-fpm', false), variant(shop, 'unit', false)],
    ...[variant(blog, 'nginx-fpm', false), variant(shop, 'nginx-fpm', false, 'main')],
  ]);
  expect(found.map(({ code, message }) => [code, message])).toEqual([
    [
      'htaccess',
      "the app 'shop' has public/.htaccess, which only Apache obeys: it has no effect on nginx-fpm@8.4, unit@8.4",
    ],
  ]);
});

test('prints nothing where all obey it', () => {
  expect(warnOfHtaccess([variant(shop, 'apache', true), variant(shop, 'nginx-apache', true)])).toEqual([]);
});

test('names the rule that counts instead for an app without a framework', () => {
  const remedyOf = (app: App) => warnOfHtaccess([variant(app, 'nginx-fpm', false)])[0]?.remedy;
  expect(remedyOf({ ...shop, kind: 'plain' })).toMatch(/^unknown paths go to its index\.php there; check/);
  expect(remedyOf({ ...shop, kind: 'laravel' })).toContain('than those of its framework');
});

const image = (app: App, rest: Partial<PlannedImage> = {}) =>
  ({ app, ref: null, ready: null, install: false, ...rest }) as PlannedImage;

test('an app with packages for development is named once', () => {
  const found = warnOfDevPackages([image(shop), image(shop), image(appOf('blog', '/blog'))]);
  expect(found.map(({ code, message }) => [code, message])).toEqual([
    [
      'dev-packages',
      "the vendor folder of the app 'shop' has development packages, 2 with phpunit/phpunit, and is used as it is: the app may be slower than in production",
    ],
  ]);
});

test('no packages are named where Composer installs anew, or nothing is built of what lies there', () => {
  const other = { ref: 'main' };
  expect(
    warnOfDevPackages([image(shop, { install: true }), image(shop, other), image(shop, { ready: 'x:1' })]),
  ).toEqual([]);
});
