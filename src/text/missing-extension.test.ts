import { expect, test } from 'vitest';
import { adviseExtension } from './missing-extension.ts';

test.each([
  ['Uncaught Error: Call to undefined function mysqli_connect() in /app/db.php:235', 'mysqli'],
  ['Uncaught Error: Call to undefined function App\\Db\\pg_connect() in /app/db.php:2', 'pgsql'],
  ['Call to undefined function imagecreatetruecolor()', 'gd'],
  ['Call to undefined function textdomain()', 'gettext'],
  ['Call to undefined function _()', 'gettext'],
  ['Uncaught Error: Class "Locale" not found in /app/a.php:3', 'intl'],
  ["Class 'App\\ZipArchive' not found", 'zip'],
  ['Class "MongoDB\\Driver\\Manager" not found', 'mongodb'],
  ['SQLSTATE[HY000]: could not find driver (Connection: mysql)', 'pdo_mysql'],
  ['SQLSTATE[HY000]: could not find driver (Connection: pgsql)', 'pdo_pgsql'],
])('a message of PHP names a missing extension: %s', (message, extension) => {
  expect(adviseExtension(message)).toBe(`; add \`${extension}\` to \`extensions\``);
});

test('a driver without a name may be of either', () => {
  expect(adviseExtension('PDOException: could not find driver')).toBe(
    '; add `pdo_mysql` or `pdo_pgsql` to `extensions`',
  );
});

test.each([
  'Call to undefined function imageUpload()',
  'Call to undefined function image_resize()',
  'Call to undefined function my_mysqli_connect()',
  'Class "App\\Models\\Product" not found',
  'the page Locale was not found',
  '',
])('none: %s', (message) => {
  expect(adviseExtension(message)).toBe('');
});
