/** The bundled apps of Laravel do without Octane, so that they need no more than their framework: copies that have it. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const OCTANE_APPS = ['laravel', 'shop'] as const;

/** RoadRunner's packages take sockets; by Guzzle, which every new app of Laravel has, Octane asks FrankenPHP how it is. */
export const OCTANE_PACKAGES = {
  'ext-sockets': '*',
  'guzzlehttp/guzzle': '^7.0',
  'laravel/octane': '^2.3',
  'spiral/roadrunner-http': '^3.5',
};

/** The composer.json of an app with Octane in it. */
export function requireOctane(composer: string): string {
  const found = JSON.parse(composer);
  return `${JSON.stringify({ ...found, require: { ...found.require, ...OCTANE_PACKAGES } }, null, 2)}\n`;
}

/** Copies them into a folder, under the names that they have: there `--app laravel` is the copy. */
export function makeApps(root: string, folder: string): void {
  for (const name of OCTANE_APPS) {
    const app = join(folder, name);
    cpSync(join(root, 'apps', name), app, { recursive: true });
    // Composer's work in the original: it lacks their packages, and its database may have rows of other runs.
    for (const made of ['composer.lock', 'vendor', 'database/database.sqlite'])
      rmSync(join(app, made), { recursive: true, force: true });
    const file = join(app, 'composer.json');
    writeFileSync(file, requireOctane(readFileSync(file, 'utf8')));
  }
}
