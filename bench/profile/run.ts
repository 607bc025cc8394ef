/**
 * Known truth for `--profile`, with real runs: an app of 200 functions, of which one does a known share of the whole more. A
 * run each, appended to a file, and what was named.
 *
 *     node bench/profile/run.ts FILE SECONDS [RUNTIME]
 */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from '../../src/analyse/analyse.ts';
import type { Results } from '../../src/results/results.ts';
import { makeRandom } from '../../src/stats/random.ts';
import { makeFolder } from '../../test/fixtures/temporary.ts';
import { execute, runCli } from './tool.ts';

const FUNCTIONS = 200;
/** Rounds of loops in a request, some milliseconds. */
const ROUNDS = 400_000;
/** Shares that one function does more; 0: equal sides. */
const SHARES = [0.1, 0, 0.05, 0.03];

const [file, seconds, runtime = 'apache'] = process.argv.slice(2);
if (file === undefined || !(Number(seconds) > 0)) throw new Error('FILE and SECONDS are needed');
const end = Date.now() + 1000 * Number(seconds);
const seed = Date.now() % 1_000_000;
for (let i = 0; Date.now() < end; i++) {
  const line = compare(seed + i, SHARES[i % SHARES.length] as number);
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  console.log(JSON.stringify(line));
}

function compare(runSeed: number, share: number) {
  const random = makeRandom(runSeed);
  // Each has between 1 and 9 parts.
  const parts = Array.from({ length: FUNCTIONS }, () => 1 + Math.floor(9 * random()));
  const rounds = parts.map((part) => Math.round((part / parts.reduce((a, b) => a + b, 0)) * ROUNDS));
  const at = Math.floor(FUNCTIONS * random());
  const folder = makeFolder();
  try {
    mkdirSync(join(folder, 'public'));
    commit(folder, rounds, 'base');
    commit(
      folder,
      rounds.map((n, i) => (i === at ? n + Math.round(share * ROUNDS) : n)),
      'head',
    );
    const truth = { runtime, seed: runSeed, share, function: `work${at}` };
    return { at: new Date().toISOString(), ...truth, ...readRun(folder, truth.function) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function commit(folder: string, rounds: readonly number[], name: string): void {
  const functions = rounds.map(
    (n, i) =>
      `function work${i}(): int { $x = 0; for ($i = 0; $i < ${n}; $i++) { $x += $i & 3; } return $x; }`,
  );
  const calls = rounds.map((_, i) => `work${i}()`).join(' + ');
  writeFileSync(join(folder, 'work.php'), `<?php\n${functions.join('\n')}\n// ${name}\n`);
  writeFileSync(
    join(folder, 'public/index.php'),
    `<?php\nrequire __DIR__ . '/../work.php';\necho ${calls} > 0 ? 'done' : 'none';\n`,
  );
  const user = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'commit.gpgsign=false'];
  execute('git', ['init', '-q'], folder);
  execute('git', ['add', '.'], folder);
  execute('git', [...user, 'commit', '-q', '-m', name], folder);
}

function readRun(folder: string, wanted: string) {
  const stderr = runCli(folder, ['--compare-to', 'HEAD~1', '--runtimes', runtime]);
  const results = JSON.parse(readFileSync(join(folder, 'out/results.json'), 'utf8')) as Results;
  const [why] = analyse(results).why;
  if (!why) return { failed: stderr.split('\n').slice(-5).join(' ') };
  const named = why.culprits.map((culprit) => ({
    function: culprit.function?.name ?? 'autoloading',
    us: Math.round(culprit.change.us),
  }));
  const own = why.functions.find(({ name }) => name === wanted);
  return {
    ...{ starts: why.starts, samples: why.samples, perRequestUs: why.perRequestUs, overhead: why.overhead },
    ...{ named, first: named[0]?.function === wanted, seenUs: own && own.selfUs.variant - own.selfUs.base },
  };
}
