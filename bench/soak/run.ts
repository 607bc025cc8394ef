/** Soaks real servers with and without a known leak and keeps the traces. See ./run. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Results } from '../../src/results/results.ts';
import { formatTrace, traceOf } from './trace.ts';

const root = resolve(import.meta.dirname, '../..');

/** Steady load of 21 s in ten steps, as the scenario has them. */
const SOAK = [
  ...['--runtimes', 'nginx-fpm,apache', '--scenarios', 'soak', '--duration-scale', '0.035'],
  ...['--warmup', '2s', '--instances', '1', '--blocks', '1', '--wait'],
];

/**
 * In front of the app. In shared memory, as a request's own is freed with it: there sessions and caches are lost that nobody
 * removes. Appended to one file, it is that many bytes a request and nothing else.
 */
const index = (bytes: number) => `<?php

declare(strict_types=1);

file_put_contents('/dev/shm/kept', str_repeat('x', ${bytes}), FILE_APPEND);

require __DIR__ . '/front.php';
`;

function main(argv: readonly string[]): void {
  const cut = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const { values, positionals } = parseArgs({
    args: argv.slice(0, cut),
    allowPositionals: true,
    options: { runs: { type: 'string', default: '10' }, leak: { type: 'string', default: '512' } },
  });
  const [file = join(import.meta.dirname, 'data/soaks.ndjson')] = positionals;
  const [runs, leak] = [Number(values.runs), Number(values.leak)];
  if (!(runs > 0) || !Number.isInteger(leak) || leak < 1)
    throw new Error('--runs and --leak are whole numbers');
  const folder = mkdtempSync(join(tmpdir(), 'bench-soak-'));
  try {
    makeApps(folder, leak);
    for (let i = 1; i <= runs; i++) soak(folder, file, leak, argv.slice(cut + 1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function makeApps(folder: string, leak: number): void {
  for (const name of ['tight', 'leaky'])
    cpSync(join(root, 'apps/plain'), join(folder, name), { recursive: true });
  const front = join(folder, 'leaky/public/index.php');
  renameSync(front, join(folder, 'leaky/public/front.php'));
  // It finds what it needs by its own folder, which has not changed.
  writeFileSync(front, index(leak));
}

/** A run that fails is printed and costs the others nothing; so is a server that was disturbed. */
function soak(folder: string, file: string, leak: number, extra: readonly string[]): void {
  const out = join(folder, 'results');
  const flags = ['run', '--app', 'tight=tight,leaky=leaky', ...SOAK, '--out', out, ...extra];
  const { status } = spawnSync(process.execPath, [join(root, 'dist/cli.mjs'), ...flags], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0 && status !== 3) {
    console.error(`failed with exit code ${status}`);
    process.exitCode = 1;
    return;
  }
  const results = Results.parse(JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')));
  rmSync(out, { recursive: true });
  const git = ['-C', root, 'log', '-1', '--format=%h', '--', 'dist', 'runtimes', 'scenarios', 'apps'];
  const commit = execFileSync('git', git, { encoding: 'utf8' }).trim();
  for (const slice of results.measurements) {
    if (slice.outcome !== 'ok') console.error(`${slice.variant}: ${slice.outcome}, ${slice.reason}`);
    else appendFileSync(file, formatTrace(traceOf(results, slice, leak, commit)));
  }
}

main(process.argv.slice(2));
