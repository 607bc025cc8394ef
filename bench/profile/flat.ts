/**
 * Whether a function has its share of the samples wherever in a request it runs: ten equal functions, one behind the other.
 *
 *     node bench/profile/flat.ts [RUNTIME [ROUNDS]]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Results } from '../../src/results/results.ts';
import { runCli } from './tool.ts';

const FUNCTIONS = 10;
const [runtime = 'apache', rounds = '12000'] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'php-runtime-bench-flat-'));
try {
  const names = Array.from({ length: FUNCTIONS }, (_, i) => `work${i}`);
  const loop = `$x = 0; for ($i = 0; $i < ${Number(rounds)}; $i++) { $x += $i & 3; } return $x;`;
  const functions = names.map((name) => `function ${name}(): int { ${loop} }`).join('\n');
  const calls = names.map((name) => `${name}()`).join(' + ');
  mkdirSync(join(folder, 'public'));
  writeFileSync(
    join(folder, 'public/index.php'),
    `<?php\n${functions}\necho ${calls} > 0 ? 'done' : 'none';\n`,
  );
  runCli(folder, ['--runtimes', runtime]);
  const { profiles } = JSON.parse(readFileSync(join(folder, 'out/results.json'), 'utf8')) as Results;
  const counts = names.map((name) =>
    profiles
      .flatMap(({ frames, tree }) => tree.filter(([, frame]) => frames[frame]?.name === name))
      .reduce((sum, [, , self]) => sum + self, 0),
  );
  const all = counts.reduce((sum, count) => sum + count, 0);
  const [ms] = profiles.map(({ cpuUs, requests }) => (cpuUs ?? 0) / requests / 1000);
  console.log(`${runtime}, ${ms?.toFixed(2)} ms of CPU per request, ${all} samples`);
  console.log(counts.map((count) => `${((100 * count) / all).toFixed(1)} %`).join(', '));
} finally {
  rmSync(folder, { recursive: true });
}
