import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { memoryFiles } from '../../../test/fixtures/memory-files.ts';
import { parseLoad } from '../../config/parts/load.ts';
import { loadRuntimes } from '../../config/parts/runtimes.ts';
import type { AppKind, Scenario } from '../../config/types.ts';
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
const ofLoad = (name: string, load: Scenario['load']) => ({ name, load }) as Scenario;
const counted = { count: ['php'] as const, scenarios: [ofLoad('home', parseLoad('vus(8, 1s)'))] };

test('names the bundled servers whose app worker.php does not load', () => {
  const others = variants.filter(({ runtime }) => {
    const keeps = runtime.model === 'long-lived' || runtime.longLived !== undefined;
    return keeps && !/\bworker\.php\b/.test(readFileSync(join(runtime.folder, 'Dockerfile'), 'utf8'));
  });
  const warned = warnOfUncounted(counted, variants);
  expect(warned.map(({ variant }) => variant)).toEqual(others.map(({ id }) => id));
  expect(others.map(({ label }) => label)).toContain('octane-swoole');
});

test('and PHP-PM, whose own adapter loads Symfony', () => {
  const warned = warnOfUncounted(counted, variantsOf('symfony'));
  expect(warned.map(({ variant }) => variant)).toContain('php-pm@8.4');
  expect(warnOfUncounted(counted, variants)).toHaveLength(warned.length - 1);
});

test('but not where PHP is not asked to count', () => {
  expect(warnOfUncounted({ ...counted, count: ['services'] }, variants)).toEqual([]);
});

test('names the scripts whose own load would run in each repeat', () => {
  const scenarios = [...counted.scenarios, ofLoad('browse', null), ofLoad('buy', null)];
  const apache = variants.filter(({ label }) => label === 'apache');
  expect(warnOfUncounted({ ...counted, scenarios }, apache)).toEqual([
    {
      code: 'count',
      message: 'no counts of PHP for browse, buy: the script brings a load of its own',
      remedy: 'set `load` for the scenario, or leave out `--count php`',
      variant: null,
    },
  ]);
  expect(warnOfUncounted({ count: ['services'], scenarios }, apache)).toEqual([]);
});
