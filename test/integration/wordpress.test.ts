// WordPress from Debian's packages, with MariaDB: an app that asks its database for each page and redirects unless it is asked
// by its own name. All that a user has to write for it are these twenty lines. Most of the time goes into four installations.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import { findImages, makeProject, type Project, root, slicesOf, variantOf } from './bench.ts';
import { rows } from './rows.ts';

const RUNTIMES = ['apache', 'nginx-fpm', 'caddy-fpm', 'nginx-apache'];

const FILES = {
  '.bench.yml': `
runtimes: [${RUNTIMES.join(', ')}]
extensions: [mysqli]
services:
  file: compose.yaml
  reset: { mariadb: mariadb -uroot -psecret -e "DROP DATABASE IF EXISTS $BENCH_DATABASE; CREATE DATABASE $BENCH_DATABASE" }
  set-up: php install.php
`,
  'compose.yaml': `
services:
  mariadb:
    image: mariadb:11
    environment: { MARIADB_ROOT_PASSWORD: secret }
    healthcheck: { test: [CMD, healthcheck.sh, --connect, --innodb_initialized], interval: 1s, retries: 60 }
`,
  'wordpress/wp-config.php': `<?php
const DB_USER = 'root', DB_PASSWORD = 'secret', DB_HOST = 'mariadb';
const WP_HOME = 'http://app.test', WP_SITEURL = WP_HOME;
define('DB_NAME', getenv('BENCH_DATABASE'));
$table_prefix = 'wp_';
require __DIR__ . '/wp-settings.php';
`,
  'wordpress/install.php': `<?php const WP_INSTALLING = true;
foreach (['wp-load', 'wp-admin/includes/upgrade'] as $file) require "$file.php";
wp_install('A blog', 'admin', 'admin@app.test', true, '', 'secret');
`,
};

const { code: noCompose } = await realHost.exec('docker', ['compose', 'version']);

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  const folder = join(project.folder, 'wordpress');
  mkdirSync(folder);
  const standins = (await findImages()).length > 0;
  const built = await realHost.exec('docker', [
    ...['buildx', 'build', '--provenance=false', '--output', `type=local,dest=${folder}`],
    ...(standins ? ['--build-arg', 'BASE=php-runtime-bench-standin/debian:trixie'] : []),
    join(root, 'test/fixtures/apps/wordpress'),
  ]);
  expect(built.code === 0 ? '' : built.stderr).toBe('');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project.folder, name), text);
});
afterAll(() => project.remove());

test('it takes twenty lines of configuration', () => {
  const lines = Object.values(FILES).flatMap((text) => text.split('\n').filter((line) => line.trim()));
  expect(lines.length).toBeLessThanOrEqual(20);
});

test('WordPress is served alike, and its pages are what is loaded', async ({ skip }) => {
  if (noCompose !== 0) skip('docker has no compose plugin here');
  expect(rows.map(({ runtime }) => runtime)).toEqual(expect.arrayContaining(RUNTIMES));
  const { code, stderr } = await project.run(
    'out',
    ...['--app', 'wordpress', '--paths', '/', '--load', 'vus(2, 2s)', '--timeout', '60s', '--warmup', '0s'],
    ...['--instances', '1', '--blocks', '1', '--wait'],
  ).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const results = project.results('out');
  expect(results.warnings.map((warning) => warning.code)).not.toContain('redirect');
  for (const runtime of RUNTIMES) {
    const id = `${runtime}@8.4`;
    expect(variantOf(results, id).failure).toBeNull();
    const [slice] = slicesOf(results, id);
    expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
    expect(slice?.requests).toBeGreaterThan(0);
    expect(slice?.bytesReceived).toBeGreaterThan((slice?.requests as number) * 20_000);
  }
}, 900_000);
