/**
 * Known truth for `--profile`, with real runs: an app of 200 functions, of which one does a known share of the whole more. A
 * run each, appended to a file, and what was named.
 *
 *     node bench/profile/run.ts FILE SECONDS [RUNTIME [plain|symfony]] [--share=0.03] [--trials=1] [--budget=3m]
 *     node bench/profile/run.ts --table FILE…
 *
 * Starts no trial after SECONDS, or after so many trials. Without a share, the shares take turns. A trial measures both versions
 * for the budget first: its verdict is what named functions are compared with. The second form prints what such files show.
 */
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyse } from '../../src/analyse/analyse.ts';
import type { Results } from '../../src/results/results.ts';
import { makeRandom } from '../../src/stats/random.ts';
import { makeFolder } from '../../test/fixtures/temporary.ts';
import { commitWork, type Kind, writeApp } from './app.ts';
import { runCli } from './tool.ts';
import { type Found, formatTrials, type Trial } from './trials.ts';

const FUNCTIONS = 200;
/** Rounds of loops in a request, some milliseconds. */
const ROUNDS = 400_000;
/** Shares that one function does more; 0: equal sides. */
const SHARES = [0.1, 0, 0.05, 0.03];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: 'string' },
    trials: { type: 'string', default: 'Infinity' },
    budget: { type: 'string', default: '3m' },
    table: { type: 'boolean' },
  },
});
if (values.table) {
  const lines = positionals.flatMap((name) => readFileSync(name, 'utf8').trim().split('\n'));
  console.log(formatTrials(lines.map((line) => JSON.parse(line) as Trial)));
  process.exit(0);
}
const [file, seconds, runtime = 'apache', kind = 'plain'] = positionals;
const shares = values.share === undefined ? SHARES : [Number(values.share)];
if (file === undefined || !(Number(seconds) > 0)) throw new Error('FILE and SECONDS are needed');
if (!shares.every((share) => share >= 0 && share <= 1)) throw new Error('--share is from 0 to 1');
if (!(Number(values.trials) > 0)) throw new Error('--trials is at least 1');
if (kind !== 'plain' && kind !== 'symfony') throw new Error('the app is plain or symfony');
const seed = Date.now() % 1_000_000;
const folder = makeFolder();
try {
  writeApp(folder, kind);
  const end = Date.now() + 1000 * Number(seconds);
  for (let i = 0; Date.now() < end && i < Number(values.trials); i++) {
    const line = compare(seed + i, shares[i % shares.length] as number, kind);
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    console.log(JSON.stringify(line));
  }
} finally {
  rmSync(folder, { recursive: true });
}

function compare(runSeed: number, share: number, app: Kind): Trial {
  const began = performance.now();
  const random = makeRandom(runSeed);
  // Each has between 1 and 9 parts.
  const parts = Array.from({ length: FUNCTIONS }, () => 1 + Math.floor(9 * random()));
  const rounds = parts.map((part) => Math.round((part / parts.reduce((a, b) => a + b, 0)) * ROUNDS));
  const at = Math.floor(FUNCTIONS * random());
  commitWork(folder, rounds, `base ${runSeed}`);
  commitWork(
    folder,
    rounds.map((n, i) => (i === at ? n + Math.round(share * ROUNDS) : n)),
    `head ${runSeed}`,
  );
  const truth = { runtime, app, seed: runSeed, share, function: `work${at}` };
  const found = readRun(truth.function);
  const took = Math.round((performance.now() - began) / 1000);
  return { at: new Date().toISOString(), ...truth, ...found, seconds: took };
}

function readRun(wanted: string): Found {
  const out = join(folder, 'out');
  const flags = ['--compare-to', 'HEAD~1', '--runtimes', runtime];
  const stderr = runCli(folder, flags, '/work', ['--budget', values.budget]);
  const results = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as Results;
  // It is not to be committed with the next trial.
  rmSync(out, { recursive: true });
  const [why] = analyse(results).why;
  if (!why) return { failed: stderr.split('\n').slice(-5).join(' ') };
  const named = why.culprits.map((culprit) => ({
    function: culprit.function?.name ?? 'autoloading',
    us: Math.round(culprit.change.us),
  }));
  const own = why.functions.find(({ name }) => name === wanted);
  return {
    ...{ starts: why.starts, samples: why.samples, perRequestUs: why.perRequestUs },
    ...{ overhead: why.overhead, every: why.every, changeUs: why.changeUs, isSure: why.isSure },
    ...{ named, first: named[0]?.function === wanted },
    ...(own && { seenUs: own.selfUs.variant - own.selfUs.base }),
  };
}
