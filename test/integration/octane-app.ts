/** Laravel apps with Octane for the integration tests: the bundled one, with other routes. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { requireOctane } from '../../bench/articles/apps.ts';
import { buildApp } from './app-images.ts';
import { root } from './docker.ts';

/** A copy of the bundled app that requires Octane. `name` names its images: the same in each run, as none is removed. */
export function copyLaravel(name: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'bench-octane-')), name);
  cpSync(join(root, 'apps/laravel'), folder, { recursive: true });
  const composer = join(folder, 'composer.json');
  writeFileSync(composer, requireOctane(readFileSync(composer, 'utf8')));
  return folder;
}

/**
 * Builds an Octane runtime with the routes of test/apps/octane/NAME.php, and returns the image's name.
 *
 * @param file what these routes load as app.php
 */
export async function buildOctane(runtime: string, name: string, file: string): Promise<string> {
  const folder = copyLaravel(`octane-${name}`);
  try {
    cpSync(join(root, `test/apps/octane/${name}.php`), join(folder, 'routes/api.php'));
    cpSync(join(root, file), join(folder, 'app.php'));
    const image = (await buildApp(folder, [runtime])).get(runtime);
    if (!image || 'failure' in image) throw new Error(image?.failure ?? `no image of ${runtime}`);
    return image.tag;
  } finally {
    rmSync(dirname(folder), { recursive: true });
  }
}

/** Of a Laravel app in production. */
export const LARAVEL_ENV = { APP_ENV: 'production', APP_DEBUG: 'false' };
