// The noise of a machine: a variant against itself.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NoiseFound } from '../../src/analyse/judge/noise-found.ts';
import { findImages, leftovers, makeProject, type Project } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

it('doctor --aa reports the noise and what can be found amid it, and leaves nothing', async (test) => {
  const flags =
    '--app plain --runtimes nginx-fpm,apache --scenarios quick --instances 4 --blocks 2 --warmup 1s --seed 5';
  const images = await findImages();
  const { code, stdout } = await project.cli(['doctor', '--aa', '--json', ...images, ...flags.split(' ')]);
  expect(code).toBe(0);
  const found = JSON.parse(stdout) as NoiseFound & { findings: unknown[] };
  expect(found).toMatchObject({ variant: 'nginx-fpm@8.4', instances: 4, blocks: 2, seed: 5 });
  expect(found.findings.length).toBeGreaterThan(3);
  const { slices = 0, disturbed = 0 } = found.guards ?? {};
  test.skip(2 * disturbed > slices, `other work has disturbed ${disturbed} of ${slices} slices`);
  expect(found.noise.map(({ metric }) => metric)).toEqual(['cpu', 'rps', 'p50', 'p99']);
  for (const { pairs, start, comparison } of found.noise) {
    expect(pairs).toBe(4);
    expect(start).toBeGreaterThanOrEqual(0);
    expect(comparison).toMatchObject({
      against: 'base',
      variant: 'nginx-fpm@8.4',
      reference: 'nginx-fpm@8.4:base',
    });
    // The same image on both sides: whatever the noise, not far from 1. The slowest of a hundred answers may be anything.
    if (comparison.metric === 'p99') expect(comparison.ratio).toBeGreaterThan(0);
    else expect(Math.abs(Math.log(comparison.ratio ?? 0))).toBeLessThan(0.3);
  }
  const [one, five, fifteen] = found.prospects;
  expect([one?.minutes, five?.minutes, fifteen?.minutes]).toEqual([1, 5, 15]);
  expect(fifteen?.findable[0] ?? 1).toBeLessThanOrEqual(one?.findable[0] ?? 0);
  expect(await leftovers()).toEqual([]);
  expect(project.temporaryFiles()).toEqual([]);
});
