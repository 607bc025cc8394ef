// An app that nobody here has written: DokuWiki from Debian's packages. Its document root is its folder, its forms carry tokens.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import { findImages, makeProject, type Project, root, slicesOf } from './bench.ts';
import { missing, rows } from './rows.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

// Not `/`: by its name, Unit's SAPI is taken for PHP's own server there. A file is of a type that servers name differently.
const PAGES = [
  ...['/doku.php', '/doku.php/wiki/syntax', '/doku.php?id=start&do=edit', '/lib/exe/css.php'],
  ...['/libraries/javascript/jquery/jquery.js'],
];

// It has no handler.php, so those that keep an app in memory are not for it.
for (const { runtime, missing: base } of missing.filter(({ files }) => files))
  test(runtime, ({ skip }) => skip(`base image ${base} is not available here`));

test('DokuWiki is served alike by all that start the app for each request', async () => {
  const runtimes = rows.filter(({ files }) => files).map(({ runtime }) => runtime);
  expect(runtimes).toEqual(expect.arrayContaining(['apache', 'nginx-fpm']));
  const folder = join(project.folder, 'wiki');
  mkdirSync(folder, { recursive: true });
  const standins = (await findImages()).length > 0;
  const built = await realHost.exec('docker', [
    ...['buildx', 'build', '--provenance=false', '--output', `type=local,dest=${folder}`],
    ...(standins ? ['--build-arg', 'BASE=php-runtime-bench-standin/debian:trixie'] : []),
    join(root, 'test/fixtures/apps/dokuwiki'),
  ]);
  expect(built.code === 0 ? '' : built.stderr).toBe('');

  const { code, stdout, stderr } = await project.run(
    'out',
    ...['--app', 'wiki', '--runtimes', runtimes.join(','), '--paths', PAGES.join(',')],
    ...[
      '--load',
      // As many clients as pages, each of which begins with one of its own.
      'vus(5, 2s)',
      '--warmup',
      '0s',
      '--instances',
      '1',
      '--blocks',
      '1',
      '--timeout',
      '5s',
      '--wait',
    ],
  ).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  expect(stdout).not.toContain('failed');
  const results = project.results('out');
  for (const runtime of runtimes) {
    const [slice] = slicesOf(results, `${runtime}@8.4`);
    expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
    expect(slice?.endpoints.map(({ name, failures }) => [name, failures])).toEqual(
      PAGES.map((page) => [page, 0]),
    );
    for (const { requests } of slice?.endpoints ?? []) expect(requests).toBeGreaterThan(0);
  }
});
