import { expect, test } from 'vitest';
import { advise, adviseInBuild } from './advice.ts';

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
  expect(advise(message)).toBe(`; add \`${extension}\` to \`extensions\``);
});

test('a class that the extension has since PHP 8.4: also on an older one', () => {
  expect(advise('Uncaught Error: Class "Pdo\\Mysql" not found in /app/db/mysql.php:131')).toBe(
    '; add `pdo_mysql` to `extensions`, with PHP 8.4 or newer',
  );
});

test('a driver without a name may be of either', () => {
  expect(advise('PDOException: could not find driver')).toBe(
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
  expect(advise(message)).toBe('');
});

const LOCAL =
  '; set the host to the name of the service, such as `mariadb` or `postgres`: `localhost` and 127.0.0.1 are the app itself';

test.each([
  ['mysqli_sql_exception: No such file or directory in /app/inc/db_mysqli.php:235', LOCAL],
  ['SQLSTATE[HY000] [2002] Connection refused', LOCAL],
  ['mysqli_connect(): (HY000/2002): No such file or directory', LOCAL],
  ['mysqli_connect(): (HY000/2002): Connection timed out', ''],
  ['SQLSTATE[HY000] [2002] No such file or directory (Connection: mysql)', LOCAL],
  ['connection to server at "127.0.0.1", port 5432 failed: Connection refused', LOCAL],
  [
    'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: No such file or directory',
    LOCAL,
  ],
  [
    'mysqli_sql_exception: php_network_getaddresses: getaddrinfo for db failed: Name or service not known',
    '; no running service has the name `db`: set the host to one of `services`',
  ],
  [
    'SQLSTATE[08006] [7] could not translate host name "pg.example.com" to address: unknown',
    '; no running service has the name `pg.example.com`: set the host to one of `services`',
  ],
  ['connection to server at "postgres" (172.18.0.2), port 5432 failed: Connection refused', ''],
  ['RedisException: Connection refused in /app/a.php', ''],
  ['file_get_contents(x.txt): Failed to open stream: No such file or directory', ''],
])('a database that is not where the app looks for it: %s', (message, advice) => {
  expect(advise(message)).toBe(advice);
});

test('a file by an absolute path that is not in the container', () => {
  const advice =
    '; the container has only the app, in /app: put the file there, and begin its path with `__DIR__`';
  const required = (path: string) =>
    `Uncaught Error: Failed opening required '${path}' (include_path='.:/usr/share/php') in /app/a.php:4`;
  expect(advise(required('/var/www/site/config.php'))).toBe(advice);
  expect(adviseInBuild(required('/usr/share/php/a.php'))).toBe(advice);
  expect(advise(required('/app/config.php'))).toBe('');
  expect(advise(required('vendor/autoload.php'))).toBe('');
});

test.each([
  ['Class "ZipArchive" not found in /app/a.php:3', '; add `zip` to `extensions`'],
  ['SQLSTATE[HY000] [2002] Connection refused', '; no service runs in a build: move the command to `set-up`'],
  [
    'SQLSTATE[HY000] [2002] php_network_getaddresses: getaddrinfo for mysql failed: Name or service not known',
    '; no service runs in a build: move the command to `set-up`',
  ],
  ['no such table: users', ''],
  ['php_network_getaddresses: getaddrinfo for api.example.com failed: Name or service not known', ''],
])('a command of the build: %s', (message, advice) => {
  expect(adviseInBuild(message)).toBe(advice);
});
