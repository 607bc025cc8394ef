import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import { planVariants } from '../plan/variants.ts';
import type { Results } from '../results/results.ts';
import { againstItself, foresee, slownessOf } from './doctor-aa.ts';

const packageRoot = new URL('../..', import.meta.url).pathname;
const flags = ['--app', 'plain', '--runtimes', 'apache', '--paths', '/', '--load', 'vus(8, 1s)'];
const config = againstItself(parseConfig({ flags, cwd: packageRoot, packageRoot }), '/out');

/** Starts of so many blocks, each so many seconds behind the one before. */
function startsOf(blocks: readonly number[], seconds: number, firstSeconds = seconds) {
  const measurements = blocks.flatMap((own, instance) =>
    Array.from({ length: own }, (_, block) => {
      const offset = instance === 0 ? 0 : firstSeconds + (instance - 1) * seconds;
      return { instance, block, startedMs: 1e12 + 1000 * (offset + block) };
    }),
  );
  return { measurements } as unknown as Results;
}

test('the time of a start is that between two starts, without the load', () => {
  const longer = slownessOf(startsOf([2, 2, 2, 2], 40), config);
  // A typical start takes a second: half of it for each start, the rest for the containers of both sides.
  expect(slownessOf(startsOf([2, 2, 2, 2], 47), config) - longer).toBeCloseTo(7);
  // The first one has what only it costs.
  expect(slownessOf(startsOf([2, 2, 2, 2], 40, 90), config)).toBeCloseTo(longer);
  expect(slownessOf(startsOf([2, 4, 4, 4], 40), config)).toBeLessThan(longer - 3);
  expect(slownessOf(startsOf([2, 2], 30), config)).toBe(1);
  expect(slownessOf(startsOf([], 10), config)).toBe(1);
});

test('slow starts leave less of a budget', () => {
  const [typical, slow] = [1, 20].map((slower) => foresee(config, [], 5, slower).effort);
  expect(slow?.instances).toBeLessThan((typical?.instances ?? 0) / 2);
  expect(foresee(config, [], 1, 20).effort).toBeNull();
  expect(foresee(config, [], 1, 1).effort).not.toBeNull();
});

test('only the first variant is measured, and whole, whatever else the configuration compares', () => {
  const more = ['--tune', 'workers=4,8', '--shard', '2/3', '--cold-start'];
  const asked = parseConfig({ flags: [...flags, ...more], cwd: packageRoot, packageRoot });
  expect(asked).toMatchObject({ tune: 'workers', shard: { index: 2, of: 3 }, coldStart: true });
  expect(againstItself(asked, '/out')).not.toHaveProperty('tune');
  expect(againstItself(asked, '/out')).not.toHaveProperty('shard');
  expect(planVariants(againstItself(asked, '/out')).variants).toHaveLength(2);
});

test('the first variant is one that there is, though the first app does not fit the first runtime', () => {
  const own = ['--app', 'lumen,symfony', '--runtimes', 'swoole,apache', '--paths', '/'];
  const asked = parseConfig({ flags: own, cwd: packageRoot, packageRoot });
  const { variants } = planVariants(againstItself(asked, '/out'));
  expect(variants.map(({ label }) => label)).toEqual(['apache@8.4', 'apache@8.4 (again)']);
});
