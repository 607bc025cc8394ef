/**
 * Whether a function has its share of the samples wherever in a request it runs: ten equal functions, one behind the other.
 *
 *     node bench/profile/flat.ts [RUNTIME [ROUNDS]]
 *
 * RUNTIME is also `resident`: the tests' own server that keeps the app in memory, which needs no other base image.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Results } from '../../src/results/results.ts';
import { commitWork, writeApp } from './app.ts';
import { runCli } from './tool.ts';

const FUNCTIONS = 10;
const RUNTIMES = resolve(import.meta.dirname, '../../test/fixtures/runtimes');
const [runtime = 'apache', rounds = '12000'] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'php-runtime-bench-flat-'));
try {
  writeApp(folder, 'plain');
  cpSync(RUNTIMES, join(folder, '.bench/runtimes'), { recursive: true });
  commitWork(folder, Array(FUNCTIONS).fill(Number(rounds)), 'flat');
  runCli(folder, ['--runtimes', runtime]);
  const { profiles } = JSON.parse(readFileSync(join(folder, 'out/results.json'), 'utf8')) as Results;
  const names = Array.from({ length: FUNCTIONS }, (_, i) => `work${i}`);
  const counts = names.map((name) =>
    profiles
      .flatMap(({ frames, tree }) => tree.filter(([, frame]) => frames[frame]?.name === name))
      .reduce((sum, [, , self]) => sum + self, 0),
  );
  const all = counts.reduce((sum, count) => sum + count, 0);
  const [ms] = profiles.map(({ cpuUs, requests }) => (cpuUs ?? 0) / requests / 1000);
  const overheads = profiles.map(({ overheadRatio = Number.NaN }) => `${(100 * overheadRatio).toFixed(1)} %`);
  console.log(`${runtime}, ${ms?.toFixed(2)} ms of CPU per request, ${all} samples`);
  console.log(counts.map((count) => `${((100 * count) / all).toFixed(1)} %`).join(', '));
  console.log(`cost of sampling by start: ${overheads.join(', ')}`);
} finally {
  rmSync(folder, { recursive: true });
}
