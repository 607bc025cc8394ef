import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { makeApps, OCTANE_APPS } from './apps.ts';

useFolder();

test('copies with Octane leave out what Composer made, which lacks its packages', () => {
  const made = ['composer.lock', 'vendor/autoload.php', 'database/database.sqlite'];
  for (const name of OCTANE_APPS) {
    const app = join(folder, 'apps', name);
    cpSync(join(root, 'apps', name), app, { recursive: true });
    for (const file of made) {
      mkdirSync(dirname(join(app, file)), { recursive: true });
      writeFileSync(join(app, file), '{}');
    }
  }
  makeApps(folder, join(folder, 'octane'));
  const left = OCTANE_APPS.map((name) =>
    ['composer.json', ...made].filter((file) => existsSync(join(folder, 'octane', name, file))),
  );
  expect(left).toEqual([['composer.json'], ['composer.json']]);
});
