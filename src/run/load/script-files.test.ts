import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../../test/fixtures/folder.ts';
import { collectFiles } from './script-files.ts';

useFolder();

function put(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const taken = (entry: string) =>
  collectFiles(join(folder, entry), folder)
    .files.map((file) => relative(folder, file))
    .sort();

test('a script takes what it imports and opens, and nothing else of its repository', () => {
  put({
    '.git/config': 'token',
    '.env': 'SECRET=1',
    'vendor/big.php': '',
    'node_modules/x/index.js': '',
    'load.js': `import { a } from './lib/a.js';\nimport './lib/side.ts';\nconst d = open('data/d.json');\nexport * from "./lib/b.mjs";`,
    'lib/a.js': `import x from '../lib/deep/c.js'; import http from 'k6/http'; import y from 'https://jslib.k6.io/y.js';`,
    'lib/side.ts': '',
    'lib/b.mjs': `const f = open(import.meta.resolve('./f.csv'));`,
    'lib/f.csv': '1',
    'lib/deep/c.js': `const again = require('../a.js');`,
    'data/d.json': '{}',
  });
  expect(taken('load.js')).toEqual([
    'data/d.json',
    'lib/a.js',
    'lib/b.mjs',
    'lib/deep/c.js',
    'lib/f.csv',
    'lib/side.ts',
    'load.js',
  ]);
});

test('a script above the current folder takes what lies beside it', () => {
  put({ 'load.js': `import './helper.js'`, 'helper.js': '', 'app/x.php': '' });
  const { files } = collectFiles(join(folder, 'load.js'), join(folder, 'app'));
  expect(files.map((file) => relative(folder, file)).sort()).toEqual(['helper.js', 'load.js']);
});

test('our library is wanted where a script names it and has none', () => {
  put({ '.bench/scenarios/x.js': `import { request } from '../lib/bench.js';`, 'own/lib/bench.js': '' });
  expect(collectFiles(join(folder, '.bench/scenarios/x.js'), folder).ours).toEqual([
    join(folder, '.bench/lib/bench.js'),
  ]);
});

test('what lies outside of the project is refused, by a link as well', () => {
  put({ 'p/.git/HEAD': '', 'p/load.js': `\nopen('../secret')`, 'p/link.js': `open('./here')`, secret: 'x' });
  symlinkSync(join(folder, 'secret'), join(folder, 'p/here'));
  for (const name of ['p/load.js', 'p/link.js']) {
    expect(() => taken(name)).toThrow(/lies outside of the project/);
  }
  put({ 'p/git.js': `open('.git/HEAD')` });
  expect(() => taken('p/git.js')).toThrow(/belongs to git/);
});

test('more than 50 MiB are refused', () => {
  put({ 'load.js': `open('./big.bin')`, 'big.bin': '' });
  truncateSync(join(folder, 'big.bin'), 51 * 2 ** 20);
  expect(() => taken('load.js')).toThrow(/too large/);
});
