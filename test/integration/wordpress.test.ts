// WordPress from Debian's packages, with MariaDB: an app that asks its database for each page and redirects unless it is asked
// by its own name. All that a user has to write for it are these twenty lines. Most of the time goes into four installations.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
  const codes = results.warnings.map((warning) => warning.code);
  for (const odd of ['redirect', 'looks-unfinished']) expect(codes).not.toContain(odd);
  expect(results.checked).toMatchObject([{ endpoint: '/', status: 200, title: 'A blog' }]);
  for (const runtime of RUNTIMES) {
    const id = `${runtime}@8.4`;
    expect(variantOf(results, id).failure).toBeNull();
    const [slice] = slicesOf(results, id);
    expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
    expect(slice?.requests).toBeGreaterThan(0);
    expect(slice?.bytesReceived).toBeGreaterThan((slice?.requests as number) * 20_000);
  }
}, 900_000);

test('WordPress that is not installed is measured, with a warning that names what is missing', async () => {
  const cwd = join(project.folder, 'bare');
  mkdirSync(cwd);
  cpSync(join(project.folder, 'wordpress'), cwd, { recursive: true, verbatimSymlinks: true });
  for (const name of ['wp-config.php', 'install.php']) rmSync(join(cwd, name));
  const { code, stderr } = await project.start(
    [
      ...[
        'run',
        ...(await findImages()),
        '--runtimes',
        RUNTIMES.slice(0, 2).join(','),
        '--extensions',
        'mysqli',
      ],
      ...['--paths', '/,/?p=1', '--load', 'requests(6, 2)', '--timeout', '60s', '--warmup', '0s'],
      ...['--instances', '1', '--blocks', '1', '--wait', '--out', join(project.folder, 'bare-out')],
    ],
    { cwd },
  ).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { checked, warnings } = project.results('bare-out');
  const location = 'http://app.test/wp-admin/setup-config.php';
  expect(checked).toMatchObject(['/', '/?p=1'].map((endpoint) => ({ endpoint, status: 302, location })));
  expect(warnings).toContainEqual(
    expect.objectContaining({
      code: 'looks-unfinished',
      message: expect.stringContaining('GET / and GET /?p=1 look like WordPress without its wp-config.php'),
    }),
  );
}, 900_000);
