import { describe, expect, test } from 'vitest';
import { messageOf, parse } from '../../../test/fixtures/memory-files.ts';

describe('what an app is', () => {
  const [INDEX, HANDLER] = [{ 'public/index.php': '' }, { 'handler.php': '' }];
  const composer = (...names: string[]) => ({
    'composer.json': JSON.stringify({ require: Object.fromEntries(names.map((name) => [name, '*'])) }),
  });
  test.each([
    [{}, [], { kind: 'plain', handler: false, extensions: [] }],
    [HANDLER, [], { kind: 'plain', handler: true }],
    [composer('symfony/framework-bundle', 'symfony/console'), [], { kind: 'symfony' }],
    [composer('laravel/framework', 'symfony/framework-bundle'), [], { kind: 'laravel' }],
    [composer('laravel/lumen-framework'), [], { kind: 'lumen' }],
    [composer('symfony/console'), [], { kind: 'plain' }],
    [{ ...composer('psr/http-server-handler'), ...HANDLER }, [], { kind: 'psr15' }],
    [composer('psr/http-server-handler'), [], { kind: 'plain' }],
    [composer('laravel/framework'), ['--kind', 'plain'], { kind: 'plain' }],
    [
      composer('ext-intl', 'ext-json', 'ext-PDO_mysql', 'ext-../x'),
      [],
      { extensions: ['intl', 'pdo_mysql'] },
    ],
    [
      composer('ext-intl', 'ext-xdebug'),
      ['--extensions', 'Redis,xdebug-3.4.0,pdo'],
      { extensions: ['intl', 'redis', 'xdebug-3.4.0', 'pdo'] },
    ],
    // Whose packages require the framework, as in Sylius and Shopware.
    [{ ...composer('sylius/sylius', 'symfony/runtime'), 'config/bundles.php': '' }, [], { kind: 'symfony' }],
    [composer('symfony/runtime'), [], { kind: 'plain' }],
    [{}, ['--extensions', 'ext-intl'], { extensions: ['intl'] }],
    // Images of PHP 8.6 lack it. Laravel requires it, whether a composer.lock lists that or not.
    [composer('ext-mbstring'), [], { extensions: [], dropped: ['mbstring'] }],
    [composer('laravel/framework'), [], { extensions: [], dropped: ['mbstring'] }],
    [composer('laravel/framework'), ['--extensions', 'mbstring'], { extensions: ['mbstring'] }],
    [
      composer('laravel/framework'),
      ['--extensions', ':mbstring'],
      { extensions: [], leftOut: [':mbstring'] },
    ],
    [
      {},
      ['--extensions', 'php-gd,php8.4-intl,php-xdebug-3.4.0,php84-pecl-redis'],
      { extensions: ['gd', 'intl', 'xdebug-3.4.0', 'redis'] },
    ],
    [{ 'composer.json': '{' }, [], { kind: 'plain' }],
    [{ 'composer.json': '{"require": null}' }, [], { kind: 'plain' }],
  ] as const)('%j %j', (files, flags, expected) => {
    expect(parse({ ...INDEX, ...files }, [...flags]).apps[0]).toMatchObject(expected);
  });

  test('takes the extensions that locked packages require, without those that a package stands in for', () => {
    const locked = (name: string, more: object) => ({ name, version: '1.0.0', ...more });
    const lock = JSON.stringify({
      packages: [
        locked('a/a', { require: { php: '>=8.1', 'ext-gd': '*', 'ext-mbstring': '*', 'ext-apcu': '*' } }),
        locked('b/b', { require: { 'ext-redis': '*', 'ext-imap': '*', 'a/a': '*' } }),
        locked('symfony/polyfill-apcu', { provide: { 'ext-apcu': '*' } }),
      ],
      'packages-dev': [locked('c/c', { require: { 'ext-pcov': '*' } })],
    });
    const app = (config: object, ...flags: string[]) =>
      parse(
        {
          ...INDEX,
          'composer.json': JSON.stringify({ require: { 'ext-intl': '*', 'ext-gd': '*' }, config }),
          'composer.lock': lock,
        },
        flags,
      ).apps[0]?.extensions;
    expect(app({})).toEqual(['intl', 'gd', 'redis', 'imap']);
    expect(app({ platform: { 'ext-imap': '8.0', 'ext-gd': '8.0' } })).toEqual(['intl', 'gd', 'redis']);
    expect(app({}, '--extensions', 'redis-^6@stable,:imap,:php-gd')).toEqual(['intl', 'redis-^6@stable']);
    expect(app({}, '--extensions', 'redis,pdo_mysql')).toEqual(['intl', 'gd', 'imap', 'redis', 'pdo_mysql']);
  });

  test('its commands may hold commas; in an input each line is one', () => {
    const flags = ['--prepare', 'a, b', '--prepare', 'c'];
    expect(parse(INDEX, flags).prepare).toEqual(['a, b', 'c']);
    expect(parse(INDEX, [], { inputs: { prepare: 'a, b\n\nc\n' } }).prepare).toEqual(['a, b', 'c']);
    const inFile = (text: string) => parse({ ...INDEX, '.bench.yml': text });
    expect(inFile('prepare: ["a, b", c]\n').prepare).toEqual(['a, b', 'c']);
    expect(inFile('prepare: a, b\n').prepare).toEqual(['a, b']);
    expect(inFile('set-up: ["a, b", c]\n').setUp).toBe('a, b\nc');
    expect(inFile('set-up: a, b\n').setUp).toBe('a, b');
    expect(inFile('set-up: []\n').setUp).toBeUndefined();
    expect(inFile('prepare: |\n  cd a\n  make\n').prepare).toEqual(['cd a\nmake\n']);
    expect(inFile('mask: |\n  \\d{14}\n\n  a, b\n').mask).toEqual(['\\d{14}', 'a, b']);
  });

  test('lines of an input may end as in a form of the web', () => {
    // So a variable of the repository comes that was written into the settings there.
    const inputs = { prepare: 'a b\r\nc\r\n', env: 'A=1\r\nB=2' };
    expect(parse(INDEX, [], { inputs })).toMatchObject({ prepare: ['a b', 'c'], env: { A: '1', B: '2' } });
  });

  const manifest = `title: T
model: long-lived
base: ["x:1"]
php: ["8.4"]
options: {}
apps: [plain, laravel]
stop: { signal: SIGTERM, timeout: 1s, in-flight: no }
status: mine
docs: https://example.org
`;
  const worker = {
    '.bench/runtimes/worker/runtime.yaml': manifest,
    '.bench/runtimes/worker/Dockerfile': 'FROM x:1',
  };
  const told = (files: Record<string, string>, ...flags: string[]) =>
    messageOf(() => parse({ ...INDEX, ...worker, ...files }, ['--runtimes', 'worker', ...flags]));

  test('has to fit a runtime that keeps it in memory', () => {
    expect(told({})).toMatch(/^--runtimes: .* do not fit\n.*worker needs a handler.php/);
    expect(told(composer('symfony/framework-bundle'))).toMatch(
      /worker is for plain, laravel, and .* is symfony/,
    );
    const fits = { ...INDEX, ...worker, ...HANDLER };
    expect(parse(fits, ['--runtimes', 'worker']).runtimes).toHaveLength(1);
  });

  test('has to require what the runtime cannot serve without', () => {
    const wants = (list: string) => ({
      '.bench/runtimes/worker/runtime.yaml': `${manifest}requires: ${list}\n`,
    });
    const octane = composer('laravel/framework', 'laravel/octane');
    expect(told({ ...wants('laravel/octane'), ...composer('laravel/framework') })).toMatch(
      /worker needs apps that require laravel\/octane, and .* does not: composer require laravel\/octane\n/,
    );
    expect(told({ ...wants('laravel/octane'), ...octane })).toBe('nothing was refused');
    expect(told({ ...wants('[laravel/octane, spiral/roadrunner-http]'), ...octane })).toMatch(
      /require laravel\/octane and spiral\/roadrunner-http, and .* does not: composer require spiral\/roadrunner-http\n/,
    );
  });

  test('has to fit one that keeps it in memory when an option says so', () => {
    const either = `${manifest
      .replace('long-lived', 'per-request')
      .replace(
        'options: {}',
        'options: { mode: { type: enum, values: [a, b], default: a, at: run, env: MODE, about: Mode } }',
      )}long-lived: { when: { mode: [b] }, apps: [symfony] }\n`;
    const [laravel, symfony] = [composer('laravel/framework'), composer('symfony/framework-bundle')];
    const told = (mode: string, files: Record<string, string>, text = either) =>
      messageOf(() =>
        parse({ ...INDEX, ...worker, ...files, '.bench/runtimes/worker/runtime.yaml': text }, [
          ...['--runtimes', `worker${mode}`],
        ]),
      );
    expect(told('', laravel)).toBe('nothing was refused');
    expect(told('[mode=b]', symfony)).toBe('nothing was refused');
    expect(told('[mode=b]', laravel)).toMatch(
      /worker\[mode=b\] is for symfony, and .* is laravel\n {2}hint: {4}octane-swoole, /,
    );
    const unknown = either.replace('{ mode: [b]', '{ made: [b]');
    expect(told('', laravel, unknown)).toMatch(/unknown option\n.*'made'|no such option/);
  });

  test('and in one table one of them', () => {
    const apps = { 'a/index.php': '', 'b/index.php': '', 'b/handler.php': '' };
    const both = ['--runtimes', 'worker,apache', '--app', 'a,b'];
    expect(parse({ ...worker, ...apps }, both).apps).toHaveLength(2);
    const message = messageOf(() => parse({ ...worker, ...apps }, ['--runtimes', 'worker', '--app', 'a,b']));
    expect(message).toMatch(/do not fit\n.*the app 'a' has none/);
  });

  test('is refused with an extension that does not load beside those of the runtime', () => {
    const clashes = { ...HANDLER, '.bench/runtimes/worker/Dockerfile': 'FROM x:1\nARG EXTENSIONS' };
    const text = `${worker['.bench/runtimes/worker/runtime.yaml']}conflicts: [ftp]\n`;
    const asked = (...extensions: string[]) =>
      messageOf(() =>
        parse({ ...INDEX, ...worker, ...clashes, '.bench/runtimes/worker/runtime.yaml': text }, [
          ...['--runtimes', 'worker', '--extensions', extensions.join(',')],
        ]),
      );
    expect(asked('intl')).toBe('nothing was refused');
    expect(asked('intl', 'FTP-1.0')).toMatch(
      /do not fit\n.*worker does not start with the extension ftp of the app 'project'\n.*another runtime/,
    );
  });

  test('gets its extensions, or a warning that it cannot', () => {
    expect(told(HANDLER, '--extensions', 'intl')).toMatch(/'worker' installs no PHP extensions\n.*'intl'/);
    const takes = { ...HANDLER, '.bench/runtimes/worker/Dockerfile': 'FROM x:1\nARG EXTENSIONS' };
    const asked = ['--runtimes', 'worker', '--extensions', 'intl'];
    expect(parse({ ...INDEX, ...worker, ...takes }, asked).apps[0]?.extensions).toEqual(['intl']);
  });
});

test('a .htaccess file with rules of its own is found in the document root or at the top', () => {
  const app = (more: Record<string, string>) => parse({ 'public/index.php': '', ...more }).apps[0];
  expect(app({})).not.toHaveProperty('htaccess');
  const own = 'Header set X-Own yes';
  expect(app({ 'public/.htaccess': own, '.htaccess': own })?.htaccess).toBe('public/.htaccess');
  expect(app({ '.htaccess': own })?.htaccess).toBe('.htaccess');
  expect(app({ 'public/.htaccess': 'RewriteEngine On' })).not.toHaveProperty('htaccess');
});

test('packages for development are found in vendor/, where that is used', () => {
  const installed = (more: object) => JSON.stringify({ packages: [], ...more });
  const app = (text: string, more: Record<string, string> = {}) =>
    parse({
      ...{ 'public/index.php': '', 'vendor/autoload.php': '', 'vendor/composer/installed.json': text },
      ...more,
    }).apps[0];
  const dev = installed({ dev: true, 'dev-package-names': ['phpunit/phpunit', 7, '<b>/x'] });
  expect(app(dev)?.devPackages).toEqual(['phpunit/phpunit']);
  expect(app(dev, { '.dockerignore': '/vendor\n' })).not.toHaveProperty('devPackages');
  const elsewhere = {
    'composer.json': '{"config": {"vendor-dir": "./lib/deps/"}}',
    'lib/deps/autoload.php': '',
    'lib/deps/composer/installed.json': dev,
  };
  expect(app('{}', elsewhere)?.devPackages).toEqual(['phpunit/phpunit']);
  for (const other of [
    installed({ dev: true, 'dev-package-names': [] }),
    installed({ dev: false, 'dev-package-names': ['phpunit/phpunit'] }),
    ...['[]', installed({ dev: true }), 'no JSON'],
  ]) {
    expect(app(other)).not.toHaveProperty('devPackages');
  }
});
