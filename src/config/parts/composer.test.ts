import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { memoryFiles, messageOf } from '../../../test/fixtures/memory-files.ts';
import { UserError } from '../../errors.ts';
import { warnOfMisfits } from '../../plan/warn/misfits.ts';
import { parseConfig } from '../parse.ts';
import { checkPathPackages, findVersions } from './composer.ts';

const packageRoot = resolve(import.meta.dirname, '../../..');
const INDEX = { 'public/index.php': '' };
const BUNDLE = 'symfony/framework-bundle';
const json = (constraint: string, more: object = {}) => ({
  'composer.json': JSON.stringify({ require: { [BUNDLE]: constraint }, ...more }),
});
const lock = (version: string, name = 'symfony/http-kernel') => ({
  'composer.lock': JSON.stringify({ packages: [{ name, version }], 'packages-dev': [] }),
});
const versionsOf = (files: Record<string, string>) => findVersions('/app', memoryFiles('/app', files));

test.each([
  ['^6.4', 6, 6],
  ['~7.1', 7, 7],
  ['7.4.*', 7, 7],
  ['v7.0.1', 7, 7],
  ['>=7.2,<8', 7, 7],
  ['^6.4 || ^7.4', 6, 7],
  ['^5.4|^6.0', 5, 6],
  ['>=6.4 <8.0', 6, 7],
  ['>=6.4,<=8.1', 6, 8],
  ['>6.3 <7.2', 6, 7],
  ['6.4 - 7.4', 6, 7],
  ['>=6.4', 6, Number.POSITIVE_INFINITY],
  ['^5.4 || >6', 5, Number.POSITIVE_INFINITY],
])('composer.json allows the major versions of %j', (constraint, from, to) => {
  expect(versionsOf(json(constraint))).toEqual({
    [BUNDLE]: { from, to, written: `${constraint} in composer.json` },
  });
});

test.each(['*', 'dev-main', '<7', '@dev', ''])('nothing is known of the constraint %j', (constraint) => {
  expect(versionsOf(json(constraint))).toEqual({});
});

test('composer.lock decides where there is one, else what Flex is given', () => {
  expect(versionsOf({ ...json('^6.4 || ^7.4'), ...lock('v6.4.50', BUNDLE) })).toEqual({
    [BUNDLE]: { from: 6, to: 6, written: 'v6.4.50 in composer.lock' },
  });
  expect(versionsOf(json('*', { extra: { symfony: { require: '7.4.*' } } }))).toEqual({
    [BUNDLE]: { from: 7, to: 7, written: '7.4.* in composer.json' },
  });
});

test.each(['{', '[]', '{"packages": 1}', '{"packages": [null, {"name": 1}]}', 'null'])(
  'nothing is known of files that are not Composer’s: %j',
  (text) => {
    expect(versionsOf({ 'composer.lock': text })).toEqual({});
    expect(versionsOf({ 'composer.json': text })).toEqual({});
  },
);

/** The reason why the bundled runtime refuses an app, or the messages of its warnings. */
function askPhpPm(files: Record<string, string>, runtime = 'php-pm') {
  try {
    const sources = { flags: ['--runtimes', runtime], cwd: '/project', packageRoot, random: () => 0.5 };
    const config = parseConfig({ ...sources, files: memoryFiles('/project', { ...INDEX, ...files }) });
    return warnOfMisfits(config).map(({ code, message }) => `${code}: ${message}`);
  } catch (error) {
    if (error instanceof UserError) return error.format();
    throw error;
  }
}

test('PHP-PM refuses Symfony 7 before the build', () => {
  for (const [files, found] of [
    [{ ...json('*'), ...lock('v7.4.21') }, 'symfony/http-kernel v7.4.21 in composer.lock'],
    [json('^7.4'), 'symfony/framework-bundle ^7.4 in composer.json'],
    [json('^7.4 || ^8.0'), 'symfony/framework-bundle ^7.4 || ^8.0 in composer.json'],
  ] as const) {
    expect(askPhpPm(files)).toContain(
      `found:   php-pm needs ${found.split(' ')[0]} below 7, and the app 'project' has ${found.slice(found.indexOf(' ') + 1)}\n`,
    );
  }
  expect(askPhpPm(json('^7.4'))).toMatch(/hint: +choose another runtime/);
});

test('PHP-PM warns where Composer may install Symfony 7, and serves what is below', () => {
  expect(askPhpPm(json('^6.4 || ^7.4'))).toEqual([
    "may-not-fit: php-pm needs symfony/framework-bundle below 7, and the app 'project' has ^6.4 || ^7.4 in composer.json: Composer may install a version that php-pm cannot serve",
  ]);
  expect(askPhpPm({ ...json('^6.4 || ^7.4'), ...lock('v6.4.50') })).toEqual([]);
  expect(askPhpPm(json('^6.4'))).toEqual([]);
  expect(askPhpPm(json('*'))).toEqual([]);
  // Others have no such limit, and a handler.php does not need the adapter for Symfony.
  expect(askPhpPm(json('^7.4'), 'swoole')).toEqual([]);
  const handler = { 'handler.php': '', 'composer.json': '{}' };
  expect(askPhpPm({ ...handler, ...lock('v7.4.21') })).toEqual([]);
});

test('packages beside the app are refused where Composer would look for them in the build', () => {
  const beside = { name: 'acme/core', version: '1.0.0', dist: { type: 'path', url: '../../packages/core' } };
  const within = { name: 'acme/ui', version: '1.0.0', dist: { type: 'path', url: './packages/ui' } };
  const files = {
    ...INDEX,
    'composer.json': JSON.stringify({ require: { 'acme/core': '*', 'acme/ui': '*' } }),
    'composer.lock': JSON.stringify({ packages: [beside, within] }),
  };
  const real = (path: string) => path.replace('/app/vendor/acme/', '/packages/');
  const check = (more = {}) => checkPathPackages('/app', memoryFiles('/app', { ...files, ...more }), real);
  expect(messageOf(check)).toBe(
    `packages of composer.lock are outside the app's folder
  found:   'acme/core' from '../../packages/core'
  allowed: packages within it: the build sees nothing else
  hint:    copy them into vendor/ in a step before, with 'COMPOSER_MIRROR_PATH_REPOS=1 composer install --no-dev': it is used as it is. To compare commits, see 'A monorepo' in docs/apps.md`,
  );
  const at = (name: string) => ({ dist: { type: 'path', url: '../../packages/core' }, 'install-path': name });
  const installed = (name: string) => ({
    'vendor/autoload.php': '',
    'vendor/composer/installed.json': JSON.stringify({ packages: [at(`../${name}`)] }),
    [`vendor/${name}/core.php`]: '',
  });
  expect(messageOf(() => check(installed('acme/core')))).toMatch(
    /^linked packages in vendor\/ are outside the app's folder\n {2}found: {3}'vendor\/acme\/core' to '\.\.\/\.\.\/packages\/core'$/m,
  );
  expect(() => check(installed('copied/core'))).not.toThrow();
  expect(() => check({ 'composer.lock': JSON.stringify({ packages: [within] }) })).not.toThrow();
  expect(() => check({ 'vendor/autoload.php': '' })).not.toThrow();
  expect(() => check({ '.dockerignore': 'composer.json\n' })).not.toThrow();
});

test('a folder of packages outside the app is refused, and one in the app is not, whatever its path', () => {
  const check = (vendor: unknown, real = (path: string) => path, more = {}) =>
    messageOf(() => {
      const files = {
        ...INDEX,
        'composer.json': JSON.stringify({ config: { 'vendor-dir': vendor } }),
        ...more,
      };
      checkPathPackages('/shop', memoryFiles('/shop', files), real);
    });
  for (const vendor of ['../vendor', '/vendor', '/application/vendor'])
    expect(check(vendor)).toMatch(
      new RegExp(
        `^the folder of the packages is outside the app's folder\n {2}found: {3}vendor-dir '${vendor}' in`,
      ),
    );
  const there = { 'vendor/autoload.php': '', 'lib/autoload.php': '' };
  const shared = (path: string) => path.replace('/shop/vendor', '/main/vendor');
  expect(check(undefined, shared, there)).toMatch(/found: {3}vendor\/ is a link to '\/main\/vendor'\n/);
  expect(check(undefined, shared, { ...there, '.dockerignore': 'vendor\n' })).toBe('nothing was refused');
  for (const vendor of [undefined, './lib/', '/app/vendor', '.'])
    expect(check(vendor)).toBe('nothing was refused');
  expect(check(undefined, undefined, there)).toBe('nothing was refused');
  expect(check('.', undefined, { 'autoload.php': '' })).toBe('nothing was refused');
});
