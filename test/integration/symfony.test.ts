import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import { makeProject, type Project, root } from './bench.ts';

// With Symfony from Debian's packages; images of a registry have none, and nothing installs it in a build yet.
describe.skipIf(!process.env.BENCH_IMAGES)('apps/symfony', () => {
  const bases = ['php:8.4-fpm', 'php:8.4-apache'];
  let project: Project;

  beforeAll(async () => {
    const names = bases.map((base) => `${base}-symfony`);
    const built = await realHost.exec(join(root, 'test/standins/build'), names);
    if (built.code !== 0) throw new Error(built.stderr);
    project = await makeProject();
  });
  afterAll(() => project?.remove());

  test('answers the same JSON on Apache and on nginx with php-fpm', async () => {
    const images = bases.flatMap((base) => ['--image', `${base}=php-runtime-bench-standin/${base}-symfony`]);
    const run = project.bench(
      'out',
      ...['--app', 'symfony', '--runtimes', 'apache,nginx-fpm', '--paths', '/json?n=100'],
      ...images,
    );
    expect((await run.done).code, run.stderr).toBe(0);
    const { variants, measurements } = project.results('out');
    expect(variants.map(({ id, failure }) => [id, failure])).toEqual([
      ['apache@8.4', null],
      ['nginx-fpm@8.4', null],
    ]);
    expect(measurements).toHaveLength(2);
    for (const { requests, okCount, endpoints } of measurements) {
      expect(okCount).toBe(requests);
      // A row is some 170 bytes long.
      const [bytes] = endpoints.map(({ bytesPerResponse }) => bytesPerResponse as number);
      expect(bytes).toBeGreaterThan(100 * 130);
      expect(bytes).toBeLessThan(100 * 220);
    }
  });
});
