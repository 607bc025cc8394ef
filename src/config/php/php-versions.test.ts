import { describe, expect, test } from 'vitest';
import { messageOf, packageRoot, parse } from '../../../test/fixtures/memory-files.ts';
import { listHeads } from '../../plan/variants.ts';
import { warnOfMisfits } from '../../plan/warn/misfits.ts';

type Texts = Record<string, string>;

const app = (composer: object, more: Texts = {}): Texts => ({
  'index.php': '',
  'composer.json': JSON.stringify(composer),
  ...more,
});
const requires = (php: unknown, more: Texts = {}) => app({ require: { php } }, more);
const lock = (text: object): Texts => ({ 'composer.lock': JSON.stringify(text) });
const VENDOR = {
  'vendor/autoload.php': '',
  'vendor/composer/platform_check.php': 'if (!(PHP_VERSION_ID >= 80307)) {',
};

const outcome = (files: Texts, ...flags: string[]) => {
  try {
    return parse(files, flags).php.join(' ');
  } catch {
    return messageOf(() => parse(files, flags))
      .split('\n')[1]
      ?.trim();
  }
};

test('a version that the app does not allow is refused before anything is built', () => {
  expect(messageOf(() => parse(requires('~8.2.0 || ~8.3.0', { '.bench.yml': 'app: .\nphp: 8.4' })))).toBe(
    `.bench.yml:2: PHP 8.4 does not fit the app 'project'
  found:   '~8.2.0 || ~8.3.0' (require.php in composer.json)
  allowed: 8.2, 8.3
  hint:    set 'php: 8.3' in .bench.yml or --php 8.3`,
  );
  expect(messageOf(() => parse(requires('^8.3'), ['--php', '8.2,8.4']))).toMatch(/^--php: PHP 8\.2 does not/);
});

test('a version that no runtime lists is named if it alone fits', () => {
  expect(messageOf(() => parse(requires('~7.4.0')))).toBe(
    `php: PHP 8.4 does not fit the app 'project'
  found:   '~7.4.0' (require.php in composer.json)
  allowed: none of those that the runtimes list: 8.2, 8.3, 8.4, 8.5
  hint:    allow a listed version in composer.json, or try one that is not listed: --php 7.4`,
  );
  expect(messageOf(() => parse(requires('<5 >9')))).toContain(
    '  hint:    allow a listed version in composer.json',
  );
  expect(parse(requires('~7.4.0'), ['--php', '7.4']).php).toEqual(['7.4']);
});

describe('without `php`', () => {
  test.each([
    ['^8.2', [], '8.4'],
    ['~8.2.0', [], '8.2'],
    ['^8.2 <8.4', [], '8.3'],
    ['>=8.5', [], '8.5'],
    ['>=8.2 <=8.4', [], '8.3'],
    ['8.1 - 8.3 || >= 9', ['--php', '8.4'], "found:   '8.1 - 8.3 || >= 9' (require.php in composer.json)"],
    ['8.4', [], "found:   '8.4' (require.php in composer.json; Composer reads 8.4 as 8.4.0)"],
    ['<= 8', [], "found:   '<= 8' (require.php in composer.json; Composer reads 8 as 8.0.0)"],
    // `unit` lists 8.3 and 8.4.
    ['~8.2.0', ['--runtimes', 'unit'], "found:   '~8.2.0' (require.php in composer.json)"],
  ])('%j with %j: %s', (php, flags, expected) => {
    expect(outcome(requires(php), ...flags)).toBe(expected);
  });
});

const MINE = `title: Mine
model: per-request
base: ['shop/php']
php: ['8.3']
options: {}
apps: [plain]
stop: { signal: SIGTERM, timeout: 3s, in-flight: dropped }
status: maintained
docs: https://example.org
`;

test('without `php`, 8.4 is taken only if all runtimes list it', () => {
  const mine = {
    '.bench.yml': 'app: .',
    'index.php': '',
    '.bench/runtimes/mine/runtime.yaml': MINE,
    '.bench/runtimes/mine/Dockerfile': 'FROM shop/php\n',
  };
  expect(parse(mine, ['--runtimes', 'mine']).php).toEqual(['8.3']);
  expect(parse(mine, ['--runtimes', 'mine,apache']).php).toEqual(['8.3']);
  expect(parse(mine, ['--runtimes', 'apache']).php).toEqual(['8.4']);
});

describe('8.4 with', () => {
  const found = (constraint: string, source: string) => `found:   '${constraint}' (${source})`;
  test.each<[string, Texts, string]>([
    [
      'a requirement of a locked package',
      requires('^8.2', lock({ packages: [{ name: 'acme/old', require: { PHP: '~8.2.0' } }] })),
      found('~8.2.0', 'acme/old in composer.lock'),
    ],
    [
      'that of a package for development',
      requires('^8.2', lock({ 'packages-dev': [{ name: 'acme/old', require: { php: '~8.2.0' } }] })),
      '8.4',
    ],
    [
      'an older composer.lock',
      requires('^8.2', lock({ platform: { php: '~8.3.0' } })),
      found('~8.3.0', 'platform.php in composer.lock'),
    ],
    ['a lock file without requirements', requires('^8.2', lock({ platform: [], packages: [] })), '8.4'],
    [
      'another version for Composer',
      app({ require: { php: '~8.2.0' }, config: { platform: { php: '8.2.5' } } }),
      '8.4',
    ],
    [
      'a later version for Composer',
      app({ require: { php: '^8.5' }, config: { platform: { php: '8.5.0' } } }),
      found('^8.5', 'require.php in composer.json'),
    ],
    [
      'an autoloader that checks nothing',
      app({ require: { php: '^8.5' }, config: { platform: { php: '8.5.0' }, 'platform-check': false } }),
      '8.4',
    ],
    ['no PHP for Composer', app({ require: { php: '^8.5' }, config: { platform: { php: false } } }), '8.4'],
    ['packages that are there', requires('~8.2.0', VENDOR), '8.4'],
    [
      'packages that are left out',
      requires('~8.2.0', { ...VENDOR, '.dockerignore': 'vendor' }),
      found('~8.2.0', 'require.php in composer.json'),
    ],
    ['a composer.json that is left out', requires('~8.2.0', { '.dockerignore': 'composer.json' }), '8.4'],
    ['a composer.json that is broken', { 'index.php': '', 'composer.json': '{' }, '8.4'],
    ['a requirement that is no text', requires(['~8.2.0']), '8.4'],
    [
      'no comparison by Composer',
      requires('~8.2.0', { '.bench.yml': "env: { COMPOSER_IGNORE_PLATFORM_REQS: '1' }" }),
      '8.4',
    ],
    ['packages elsewhere', app({ require: { php: '~8.2.0' }, config: { 'vendor-dir': '../lib' } }), '8.4'],
  ])('%s', (_, files, expected) => {
    expect(outcome(files, '--php', '8.4')).toBe(expected);
  });

  test('packages that are there in a folder of their own', () => {
    const files = app(
      { config: { 'vendor-dir': './lib/' } },
      {
        'lib/autoload.php': '',
        'lib/composer/platform_check.php': VENDOR['vendor/composer/platform_check.php'],
      },
    );
    expect(outcome(files, '--php', '8.2')).toBe(found('>=8.3.7', 'lib/composer/platform_check.php'));
    expect(outcome(files, '--php', '8.3')).toBe('8.3');
  });
});

test('of several apps and versions, pairs that do not fit are left out; each must fit one', () => {
  const of = (name: string, php: string): Texts => ({
    [`${name}/index.php`]: '',
    [`${name}/composer.json`]: JSON.stringify({ require: { php } }),
  });
  const files = { ...of('old', '~8.2.0'), ...of('new', '^8.2') };
  const flags = ['--app', 'old,new', '--runtimes', 'apache'];
  expect(parse(files, flags).php).toEqual(['8.2']);
  const config = parse(files, [...flags, '--php', '8.2,8.4']);
  expect(listHeads(config).map(({ id }) => id)).toEqual([
    'old/apache@8.2',
    'new/apache@8.2',
    'new/apache@8.4',
  ]);
  expect(warnOfMisfits(config).map(({ message }) => message)).toEqual([
    "left out: PHP 8.4 does not fit the app 'old': '~8.2.0' (require.php in composer.json)",
  ]);
  expect(outcome(files, ...flags, '--php', '8.3,8.4')).toBe(
    "found:   '~8.2.0' (require.php in composer.json)",
  );
  expect(outcome(files, ...flags, '--php', '8.1,8.2')).toBe(
    "found:   '~8.2.0' (require.php in composer.json)",
  );
});

test('the bundled apps allow the default', () => {
  const flags = ['--app', 'plain,laravel,lumen,shop,symfony'];
  expect(parse({}, flags, { cwd: packageRoot }).php).toEqual(['8.4']);
});
