/** Where a real server of known capacity gives in, workers ÷ the time of a request, and with how many workers most. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyse } from '../../src/analyse/analyse.ts';
import type { Results } from '../../src/results/results.ts';
import { makeProject, needQuiet, type Project } from './bench.ts';

let project: Project;
let results: Results;
let stdout: string;
beforeAll(async () => {
  project = await makeProject();
  const folder = join(project.folder, '.bench/scenarios');
  mkdirSync(folder, { recursive: true });
  const scenario = (name: string, path: string, load: string) =>
    writeFileSync(
      join(folder, `${name}.yaml`),
      `title: ${name}\npaths: ['${path}']\nload: ${load}\nmax-vus: 60\ntimeout: 1s\nwarmup: 1s\nblocks: 1\n`,
    );
  scenario('waits', '/io?ms=50', 'line(20, 160, 14s)');
  scenario('works', '/cpu?ms=5', 'line(100, 1000, 8s)');
  const finished = await project.run(
    'knee',
    ...['--runtimes', 'nginx-fpm[workers=4]', '--tune', 'workers=4,16', '--scenarios', 'waits,works'],
    ...['--instances', '1', '--wait'],
  ).done;
  expect(finished.code, finished.stderr).toBe(0);
  results = project.results('knee');
  stdout = finished.stdout.replace(/\s+/g, ' ');
});
afterAll(() => project?.remove());

const find = (scenario: string, workers: number) => {
  const { rows } = analyse(results).scenarios.find(({ facts }) => facts.name === scenario) ?? {};
  const row = rows?.find(({ variant }) => variant.includes(`workers=${workers}`));
  if (!row) throw new Error(`nothing of ${workers} workers in ${scenario}`);
  return row;
};
const held = (scenario: string, workers: number) => find(scenario, workers).holds?.value ?? 0;

test('four workers and 50 ms a request hold 80 rps, less what a request needs besides', (test) => {
  needQuiet(test, results.measurements);
  const { holds, latency, state } = find('waits', 4);
  const seconds = (latency?.minMs as number) / 1000;
  expect(holds).toMatchObject({ kind: 'found', ramps: 1 });
  // The shortest time is what a request takes on a worker of its own. Levels are 10 rps apart, an eighth of what is
  // looked for: one that was misjudged puts it at 0.82.
  expect((holds?.value as number) / (4 / seconds)).toBeGreaterThan(0.75);
  expect((holds?.value as number) / (4 / seconds)).toBeLessThan(1.25);
  expect(state.kind).toBe('ranked');
  const at = (p: number, of = latency) => of?.percentiles.find((point) => point.p === p)?.ms;
  expect(at(50, holds?.upTo?.latency)).toBeLessThan(75);
  expect(at(95)).toBeGreaterThan(200);
  expect(stdout).toContain('Sustained rps');
});

test('where requests wait, sixteen workers hold more, and it says so', (test) => {
  needQuiet(test, results.measurements);
  expect(held('waits', 16) / held('waits', 4)).toBeGreaterThan(1.6);
  expect(stdout).toMatch(/of workers from 4 to 16 the best is 16 \(.*\), .* 4 \(/);
});

test('where they work, more workers than CPUs do not help', (test) => {
  needQuiet(test, results.measurements);
  expect(held('works', 16) / held('works', 4)).toBeLessThan(1.3);
});
