import { expect, test } from 'vitest';
import { appOf } from '../../../test/fixtures/app.ts';
import type { App } from '../../config/types.ts';
import type { PlannedVariant } from '../variants.ts';
import { warnOfHtaccess } from './htaccess-warning.ts';

const shop: App = { ...appOf('shop', '/shop'), htaccess: 'public/.htaccess' };

const variant = (app: App, name: string, htaccess: boolean, ref: string | null = null) =>
  ({ app, label: `${name}@8.4`, ref, runtime: { name, htaccess } }) as unknown as PlannedVariant;

test('names those that do not obey it, once for each app', () => {
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

test('says nothing where all obey it', () => {
  expect(warnOfHtaccess([variant(shop, 'apache', true), variant(shop, 'nginx-apache', true)])).toEqual([]);
});

test('names the rule that counts instead for an app without a framework', () => {
  const remedyOf = (app: App) => warnOfHtaccess([variant(app, 'nginx-fpm', false)])[0]?.remedy;
  expect(remedyOf({ ...shop, kind: 'plain' })).toMatch(/^unknown paths go to its index\.php there; check/);
  expect(remedyOf({ ...shop, kind: 'laravel' })).toContain('than those of its framework');
});
