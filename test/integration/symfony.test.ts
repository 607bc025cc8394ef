import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeProject, type Project } from './bench.ts';

describe('apps/symfony', () => {
  let project: Project;

  beforeAll(async () => {
    project = await makeProject();
  });
  afterAll(() => project?.remove());

  test('answers the same JSON on Apache and on nginx with php-fpm', async () => {
    const run = project.bench(
      'out',
      ...['--app', 'symfony', '--runtimes', 'apache,nginx-fpm', '--paths', '/json?n=100'],
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
