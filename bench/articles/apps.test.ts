import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { makeApps, OCTANE_APPS } from './apps.ts';

useFolder();

test('copies with Octane leave out the lock file, which lacks its packages', () => {
  for (const name of OCTANE_APPS) {
    cpSync(join(root, 'apps', name), join(folder, 'apps', name), { recursive: true });
    writeFileSync(join(folder, 'apps', name, 'composer.lock'), '{}');
  }
  makeApps(folder, join(folder, 'octane'));
  const made = OCTANE_APPS.map((name) => join(folder, 'octane', name));
  expect(made.map((app) => existsSync(join(app, 'composer.json')))).toEqual([true, true]);
  expect(made.map((app) => existsSync(join(app, 'composer.lock')))).toEqual([false, false]);
});
