// Whether a small change in an app is found, and nothing where nothing changed: real git, engine, images and load.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkGates } from '../../src/analyse/judge/gates.ts';
import type { Comparison, Results } from '../../src/results/results.ts';
import { leftovers, makeProject, needQuiet, type Project } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(async () => {
  const left = [...(await leftovers()), ...project.temporaryFiles()];
  project.remove();
  expect(left).toEqual([]);
});

/** A page that does this much and says the same. */
const page = (loops: number, comment = '') =>
  `<?php ${comment}\n$x = 1;\nfor ($i = 0; $i < ${loops}; $i++) {\n    $x = ($x * 31 + $i) & 0xffff;\n}\necho 'done';\n`;

// The question itself. How small a change may be is measured by bench/power; this one is found on a busy machine, too.
describe('30 % more work in one app, a comment in another', () => {
  /** So much that what the server does by itself hardly counts. */
  const LOOPS = 300_000;
  let results: Results;
  let code: number;
  const lead = (app: string): Comparison =>
    results.comparisons.find(
      ({ variant, against }) => variant === `${app}/apache@8.4` && against === 'base',
    ) as Comparison;

  beforeAll(async () => {
    const app = (name: string, text: string) => ({ [`${name}/index.php`]: text });
    project.commit({ ...app('more', page(LOOPS)), ...app('same', page(LOOPS)) });
    project.commit({ ...app('more', page(LOOPS * 1.3)), ...app('same', page(LOOPS, '// Said again')) });
    const run = project.run(
      'out-verdict',
      ...['--app', 'more,same', '--runtimes', 'apache', '--paths', '/', '--compare-to', 'HEAD~1'],
      ...['--load', 'vus(2, 1s)', '--warmup', '1s', '--timeout', '3s'],
      ...['--instances', '8', '--blocks', '1'],
      ...['--fail-on', 'slower > 1%, slower > 60%'],
    );
    ({ code } = await run.done);
    results = project.results('out-verdict');
  });

  it('more work is slower, by as much as was added', (test) => {
    needQuiet(test, [...results.measurements, ...results.duets]);
    const { verdict, interval, metric, pairs, how } = lead('more');
    const told = JSON.stringify(lead('more'));
    expect({ verdict, metric, how }, told).toEqual({ verdict: 'slower', metric: 'cpu', how: 'together' });
    // Of eight, less those that the guards have left out.
    expect(pairs, told).toBeGreaterThanOrEqual(4);
    expect(pairs, told).toBeLessThanOrEqual(8);
    // The server's own work dilutes it to 1.27 or more. An interval of 99 % may miss the truth by a little, too.
    expect(interval?.low, told).toBeLessThan(1.35);
    expect(interval?.high, told).toBeGreaterThan(1.22);
    // The truth again, by the plain sums of the same windows: turns of one second differ by more on a busy machine.
    const windows = results.duets.filter(({ variant }) => variant === 'more/apache@8.4');
    const cpu = (side: 'variant' | 'base') => {
      const used = windows.reduce((sum, { sides }) => sum + (sides[side].cpuUs ?? 0), 0);
      return used / windows.reduce((sum, { sides }) => sum + sides[side].requests, 0);
    };
    expect(cpu('variant') / cpu('base'), told).toBeGreaterThan(1.22);
    expect(cpu('variant') / cpu('base'), told).toBeLessThan(1.35);
  });

  it('both sides were loaded at once, twice a block, each first once', () => {
    for (const app of ['more', 'same']) {
      const own = results.duets.filter(({ variant }) => variant === `${app}/apache@8.4`);
      const named = own.map(({ instance, block, first }) => `${instance} ${block} ${first}`);
      const all = [...Array(8).keys()].flatMap((i) => ['base', 'variant'].map((first) => `${i} 0 ${first}`));
      expect(named.toSorted()).toEqual(all.toSorted());
      for (const { base } of own) expect(base).toBe(`${app}/apache@8.4:base`);
      // A machine that stands still for most of a window leaves nothing to compare in it.
      const loaded = own.filter(({ guards }) => (guards.stallMs ?? 0) < 500);
      expect(loaded.length).toBeGreaterThanOrEqual(12);
      expect(loaded.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
      // Each gets its share of the CPUs: one alone would have all of it.
      const used = (side: 'variant' | 'base') =>
        loaded.reduce((sum, { sides }) => sum + (sides[side].cpuUs ?? 0), 0);
      const [a, b] = [used('variant'), used('base')];
      expect(Math.max(a, b) / (a + b)).toBeLessThan(0.75);
    }
  });

  it('a comment makes no difference', (test) => {
    needQuiet(test, [...results.measurements, ...results.duets]);
    const { verdict, interval, ratio } = lead('same');
    const told = JSON.stringify(lead('same'));
    // One in a hundred intervals of 99 % misses the truth, by little. One that is wrong misses it by more.
    const isClose = ratio !== null && Math.abs(ratio - 1) < 0.03;
    expect(['no-difference', 'inconclusive', ...(isClose ? ['slower', 'faster'] : [])], told).toContain(
      verdict,
    );
    expect(interval?.low, told).toBeLessThan(1.02);
    expect(interval?.high, told).toBeGreaterThan(0.98);
  });

  it('fails by the gate that is surely broken, and by no other', (test) => {
    needQuiet(test, [...results.measurements, ...results.duets]);
    expect(code).toBe(1);
    expect(checkGates(results, results.comparisons).map(({ failed }) => failed)).toEqual([true, false]);
  });
});
