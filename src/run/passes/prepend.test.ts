import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../../test/fixtures/folder.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { World } from '../world.ts';
import { planPhpCounts } from './count-php.ts';

const OWN = '/usr/local/share/php-runtime-bench-pass';
useFolder();

/** The additions of a counting pass to a variant whose server reported these PHP settings. */
async function fitOut(ini: Record<string, string> | null) {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  for (const one of [from, to]) mkdirSync(one);
  const scenario = { name: 'page', load: { source: '', segments: [] } };
  const world = {
    job: { plan: { scenarios: [scenario] }, outcomes: new Map([['a', { facts: ini && { ini } }]]) },
  } as unknown as World;
  const variant = { id: 'a' } as PlannedVariant;
  const [pass] = planPhpCounts(world, [variant], { folder: from, errors: new Map() });
  const outfit = await pass?.outfit(variant, to);
  return { ini: outfit?.ini, to };
}

test('a pass loads what the app loads in front of each script, behind its own script', async () => {
  const { ini, to } = await fitOut({ auto_prepend_file: "/app/it's \\here.php" });
  expect(ini).toEqual([`auto_prepend_file = ${OWN}/prepend.php`]);
  expect(readFileSync(join(to, 'prepend.php'), 'utf8')).toBe(
    `<?php require '${OWN}/count.php'; require '/app/it\\'s \\\\here.php';\n`,
  );
});

test.each([[{ auto_prepend_file: '' }], [{}], [null]])(
  'without one, its own script alone: %j',
  async (reported) => {
    const { ini, to } = await fitOut(reported);
    expect(ini).toEqual([`auto_prepend_file = ${OWN}/count.php`]);
    expect(readdirSync(to)).toEqual([]);
  },
);
