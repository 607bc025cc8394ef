// The version of k6, which scripts of bash cannot read from the sources.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';

const root = resolve(import.meta.dirname, '../..');

test('scripts, benches and stand-ins have the k6 of a run', () => {
  const files = globSync('{script,bench,test/standins}/**', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/data'))
    .map((entry) => join(entry.parentPath, entry.name));
  const named = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bk6(?::|_version=)(\d[\d.]*\d)/g)].map(
      ([, version]) => `grafana/k6:${version} in ${file}`,
    ),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((one) => !one.startsWith(`${K6_IMAGE} `))).toEqual([]);
});
