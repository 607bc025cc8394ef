import { describe, expect, test } from 'vitest';
import { memoryFiles, messageOf, packageRoot, parse } from '../../../test/fixtures/memory-files.ts';
import { checkRootPlace } from './roots.ts';

const appOf = (files: Record<string, string>, ...flags: string[]) => parse(files, flags).apps[0];
const composer = (require: Record<string, string>, more: object = {}) => ({
  'composer.json': JSON.stringify({ require, ...more }),
});

test('a document root that is given', () => {
  expect(appOf({ 'html/index.php': '' }, '--app', '.', '--root', './html/')?.root).toBe('html');
});

test('the demo is measured where the tool itself lies', () => {
  const { apps } = parse({}, [], { cwd: packageRoot });
  expect(apps.map(({ name }) => name)).toEqual(['plain']);
});

test.each([
  ['CakePHP', ['index.php', 'webroot/index.php'], 'webroot'],
  ['Magento', ['index.php', 'pub/index.php'], 'pub'],
  ['Roundcube, whose other one is a stub,', ['index.php', 'public_html/index.php'], 'public_html'],
  ['Symfony 3', ['web/index.php'], 'web'],
  ['plain', ['index.php', 'lib/index.php'], '.'],
])('of %s: the first folder with an index.php', (_, names, root) => {
  expect(appOf(Object.fromEntries(names.map((name) => [name, ''])))?.root).toBe(root);
});

describe('an index.php that the build makes', () => {
  const drupal = composer(
    { 'drupal/core-composer-scaffold': '^11', 'drupal/core-recommended': '^11' },
    { extra: { 'drupal-scaffold': { locations: { 'web-root': 'web/' } } } },
  );

  test.each([
    ['Drupal', drupal, 'web'],
    ['Drupal without a folder', composer({ 'drupal/core-composer-scaffold': '^11' }), '.'],
    ['TYPO3', composer({ 'typo3/cms-core': '^13.4' }), 'public'],
    [
      'TYPO3 elsewhere',
      composer({ 'typo3/cms-core': '*' }, { extra: { 'typo3/cms': { 'web-dir': 'htdocs' } } }),
      'htdocs',
    ],
    ['Magento', composer({ 'magento/product-community-edition': '2.4.8' }), 'pub'],
    ['Adobe Commerce', composer({ 'magento/product-enterprise-edition': '2.4.8' }), 'pub'],
  ])('by a package of %s', (_, files, root) => {
    expect(appOf(files)).toMatchObject({ root, makesIndex: true });
  });

  test('is there after an installation on the machine, under any name', () => {
    const elsewhere = { extra: { 'drupal-scaffold': { locations: { 'web-root': 'docroot/' } } } };
    const made = {
      ...composer({ 'drupal/core-composer-scaffold': '^11' }, elsewhere),
      'docroot/index.php': '',
    };
    const installed = appOf({ ...made, 'vendor/autoload.php': '' });
    expect(installed).toMatchObject({ root: 'docroot' });
    expect(installed).not.toHaveProperty('makesIndex');
    expect(appOf({ ...drupal, 'web/index.php': '' })).not.toHaveProperty('makesIndex');
  });

  test('not by packages that are in vendor/ already, unless that is left out', () => {
    const vendor = { ...drupal, 'vendor/autoload.php': '' };
    expect(messageOf(() => parse(vendor))).toMatch(/^no index.php in the app\n/);
    expect(appOf({ ...vendor, '.dockerignore': 'vendor\n' })).toMatchObject({ root: 'web' });
    const named = composer({ 'drupal/core-composer-scaffold': '^11' }, { config: { 'vendor-dir': 'deps' } });
    expect(appOf({ ...named, 'vendor/autoload.php': '' })).toMatchObject({ root: '.', makesIndex: true });
    expect(messageOf(() => parse({ ...named, 'deps/autoload.php': '' }))).toMatch(/^no index.php in the app/);
  });

  test('by a command, or by a script of Composer, in the document root that is given', () => {
    const made = { root: 'htdocs', makesIndex: true };
    expect(appOf({ 'make.sh': '' }, '--root', 'htdocs', '--prepare', './make.sh')).toMatchObject(made);
    const docs = { ...composer({}), 'docs/index.php': '' };
    expect(appOf(docs, '--root', 'htdocs')).toMatchObject(made);
  });

  test('a root outside the app is not taken from composer.json either', () => {
    const outside = composer({ 'typo3/cms-core': '*' }, { extra: { 'typo3/cms': { 'web-dir': '../x' } } });
    expect(messageOf(() => parse(outside))).toMatch(/^no index.php in the app\n/);
  });
});

describe('without an index.php where one is looked for, nothing is measured', () => {
  test.each([
    [
      'a repository with several apps',
      { 'apps/api/public/index.php': '', 'apps/web/public/index.php': '', 'package.json': '{}' },
      "found in apps/api/public, apps/web/public: 'app: apps/api' in .bench.yml or --app apps/api",
    ],
    [
      'parts of one app, such as those of Yii 2',
      { ...composer({}), 'backend/web/index.php': '', 'frontend/web/index.php': '' },
      "found in backend/web, frontend/web: 'root: backend/web' in .bench.yml or --root backend/web",
    ],
    [
      'apps beside tools of their repository',
      { ...composer({}), 'apps/api/composer.json': '{}', 'apps/api/public/index.php': '' },
      "found in apps/api/public: 'app: apps/api' in .bench.yml or --app apps/api",
    ],
    [
      'an app with its own composer.json',
      { 'api/composer.json': '{}', 'api/index.php': '' },
      "found in api: 'app: api' in .bench.yml or --app api",
    ],
    [
      'a document root above the folders of its tools, such as that of OpenCart',
      {
        ...composer({}),
        'tools/docs/composer.json': '{}',
        'tools/docs/index.php': '',
        'upload/index.php': '',
      },
      "found in upload, tools/docs: 'root: upload' in .bench.yml or --root upload",
    ],
    ['another name of the document root', { 'htdocs/index.php': '' }, "found in htdocs: 'root: htdocs' in"],
    [
      'requests go to a file with another name, as in YOURLS',
      { ...composer({}), 'admin/index.php': '', 'yourls-loader.php': '' },
      "'root: admin' in .bench.yml or --root admin; if requests go to another file of the app, add an index.php that includes it",
    ],
    ['nothing at all', composer({}), "'root: FOLDER' in .bench.yml or --root FOLDER, also if Composer"],
  ])('%s', (_, files, hint) => {
    const message = messageOf(() => parse(files));
    expect(message).toMatch(/^no index.php in the app\n/);
    expect(message).toContain(hint);
  });

  test('a misspelt document root is refused, with those that are there', () => {
    const files = { ...composer({}), 'public/index.php': '' };
    expect(messageOf(() => parse(files, ['--root', 'pubilc']))).toMatch(
      /no index.php in the document root\n.*'pubilc'\n[\s\S]*found in public$/,
    );
  });

  test('the demo is not measured with a configuration that is named', () => {
    const files = { 'ci/bench.yml': 'paths: [/shop]\n' };
    const flags = ['--config', 'ci/bench.yml'];
    expect(messageOf(() => parse(files, flags))).toMatch(/^no index.php in the app\n/);
    expect(parse(files, [...flags, '--app', 'plain']).apps).toMatchObject([{ name: 'plain' }]);
  });

  test.each(['compare-to=main', 'prepare=make', 'kind=plain'])(
    'the demo is not taken for an app of which %s speaks',
    (flag) => {
      const [key, value] = flag.split('=') as [string, string];
      expect(messageOf(() => parse({}, [`--${key}`, value]))).toMatch(/^no index.php in the app\n/);
      expect(messageOf(() => parse({}, ['--app', 'plain', `--${key}`, value]))).toBe('nothing was refused');
    },
  );
});

test('a document root that leads out of the app is refused before the build', () => {
  const files = memoryFiles('/shop', { 'public/index.php': '' });
  const check = (real: (path: string) => string, root = 'public') =>
    messageOf(() => checkRootPlace({ folder: '/shop', root }, files, real));
  expect(check((path) => path.replace('/shop/public', '/srv/htdocs'))).toBe(
    `the document root is outside the app's folder
  found:   'public/index.php' leads to '/srv/htdocs/index.php'
  allowed: a folder within it: the build sees nothing else
  hint:    set \`app\` to the folder that has both, and \`root\` to the document root in it`,
  );
  // Links to the app and within it.
  expect(check((path) => path.replace('/shop', '/srv/shop'))).toBe('nothing was refused');
  expect(check((path) => path.replace('public', 'htdocs'))).toBe('nothing was refused');
  // The build makes it.
  expect(check(() => expect.unreachable(), 'web')).toBe('nothing was refused');
});
