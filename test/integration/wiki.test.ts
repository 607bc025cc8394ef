// An app that nobody here has written: DokuWiki from Debian's packages. Its document root is its folder, its forms carry tokens.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import { findImages, makeProject, type Project, root, slicesOf } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

const PAGES = ['/', '/doku.php?id=wiki:syntax', '/doku.php?id=start&do=edit', '/lib/exe/css.php'];

test('DokuWiki is served by Apache and by php-fpm alike', async () => {
  const folder = join(project.folder, 'wiki');
  mkdirSync(folder);
  const standins = (await findImages()).length > 0;
  const built = await realHost.exec('docker', [
    ...['buildx', 'build', '--provenance=false', '--output', `type=local,dest=${folder}`],
    ...(standins ? ['--build-arg', 'BASE=php-runtime-bench-standin/debian:trixie'] : []),
    join(root, 'test/fixtures/apps/dokuwiki'),
  ]);
  expect(built.code === 0 ? '' : built.stderr).toBe('');

  const { code, stdout, stderr } = await project.run(
    'out',
    ...['--app', 'wiki', '--runtimes', 'apache,nginx-fpm', '--paths', PAGES.join(',')],
    ...[
      '--load',
      // As many clients as pages, each of which begins with one of its own.
      'vus(4, 2s)',
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
  for (const id of ['apache@8.4', 'nginx-fpm@8.4']) {
    const [slice] = slicesOf(results, id);
    expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
    expect(slice?.endpoints.map(({ name, failures }) => [name, failures])).toEqual(
      PAGES.map((page) => [page, 0]),
    );
    for (const { requests } of slice?.endpoints ?? []) expect(requests).toBeGreaterThan(0);
  }
});
