import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { memoryFiles } from '../../../test/fixtures/memory-files.ts';
import { loadRuntimes } from '../../config/parts/runtimes.ts';
import type { AppKind } from '../../config/types.ts';
import type { PlannedVariant } from '../variants.ts';
import { warnOfUncounted } from './unmeasured.ts';

const root = resolve(import.meta.dirname, '../../..');
const bundled = loadRuntimes(root, '/none', memoryFiles('/none', {}));
const variantsOf = (kind: AppKind) =>
  [...bundled.values()].map(
    (runtime) =>
      ({ id: `${runtime.name}@8.4`, label: runtime.name, runtime, app: { kind } }) as PlannedVariant,
  );
const variants = variantsOf('plain');

test('names the bundled servers whose app worker.php does not load', () => {
  const others = variants.filter(({ runtime }) => {
    const keeps = runtime.model === 'long-lived' || runtime.longLived !== undefined;
    return keeps && !/\bworker\.php\b/.test(readFileSync(join(runtime.folder, 'Dockerfile'), 'utf8'));
  });
  const warned = warnOfUncounted({ count: ['php'] }, variants);
  expect(warned.map(({ variant }) => variant)).toEqual(others.map(({ id }) => id));
  expect(others.map(({ label }) => label)).toContain('octane-swoole');
});

test('and PHP-PM, whose own adapter loads Symfony', () => {
  const warned = warnOfUncounted({ count: ['php'] }, variantsOf('symfony'));
  expect(warned.map(({ variant }) => variant)).toContain('php-pm@8.4');
  expect(warnOfUncounted({ count: ['php'] }, variants)).toHaveLength(warned.length - 1);
});

test('but not where PHP is not asked to count', () => {
  expect(warnOfUncounted({ count: ['services'] }, variants)).toEqual([]);
});
