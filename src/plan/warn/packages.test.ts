import { expect, test } from 'vitest';
import { appOf } from '../../../test/fixtures/app.ts';
import type { App } from '../../config/types.ts';
import type { PlannedImage } from '../variants.ts';
import { warnOfDevPackages } from './packages.ts';

const shop: App = { ...appOf('shop', '/shop'), devPackages: ['phpunit/phpunit', 'mockery/mockery'] };

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

test('but not where Composer installs anew, or nothing is built of what lies there', () => {
  const other = { ref: 'main' };
  expect(
    warnOfDevPackages([image(shop, { install: true }), image(shop, other), image(shop, { ready: 'x:1' })]),
  ).toEqual([]);
});
