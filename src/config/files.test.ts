import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder as cwd, useFolder } from '../../test/fixtures/folder.ts';
import { realFiles } from './files.ts';
import { parseConfig } from './parse.ts';

useFolder();

test('links of an app that lead nowhere count as missing, and do not refuse it', () => {
  writeFileSync(join(cwd, 'index.php'), '');
  const names = [
    '.htaccess',
    'composer.json',
    'composer.lock',
    'handler.php',
    'public',
    'vendor',
    '.dockerignore',
  ];
  for (const name of names) symlinkSync('nowhere', join(cwd, name));
  const packageRoot = resolve(import.meta.dirname, '../..');
  const { apps } = parseConfig({ flags: [], cwd, packageRoot, files: realFiles, random: () => 0.5 });
  expect(apps).toMatchObject([{ folder: cwd, root: '.', kind: 'plain', handler: false, packages: [] }]);
  expect(apps[0]).not.toHaveProperty('htaccess');
});
