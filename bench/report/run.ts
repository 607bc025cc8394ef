// Cost of `report`: time, CPU time and peak memory of the command as users run it, and the size of the page.
//   node bench/report/run.ts [CLI]     prints the table of docs/reading-the-report.md; CLI: dist/cli.mjs unless given
import { spawnSync } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizes } from '../../test/fixtures/results/sizes.ts';
import { makeFolder } from '../../test/fixtures/temporary.ts';

const ROUNDS = 3;
const cli = process.argv[2] ?? join(import.meta.dirname, '../../dist/cli.mjs');

/** Runs the command, and prints at its end what it took. */
const WATCH = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, kib: maxRSS }));
});`;

function measure(folder: string, watch: string) {
  const began = performance.now();
  const args = ['--import', watch, cli, 'report', folder, '--format', 'html'];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(stderr);
  const { cpuMs, kib } = JSON.parse(stderr.slice(stderr.lastIndexOf('{'))) as { cpuMs: number; kib: number };
  return { wallMs: performance.now() - began, cpuMs, mib: kib / 1024, bytes: Buffer.byteLength(stdout) };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
console.log(
  '| run | results.json | time | CPU time | peak memory | report.html |\n|---|--:|--:|--:|--:|--:|',
);
for (const [name, make] of Object.entries(sizes)) {
  const folder = makeFolder();
  try {
    const watch = join(folder, 'watch.mjs');
    writeFileSync(watch, WATCH);
    writeFileSync(join(folder, 'results.json'), JSON.stringify(make()));
    const rounds = Array.from({ length: ROUNDS }, () => measure(folder, watch));
    // The least time: other work on the machine can only add to it. The most memory.
    const least = (of: (round: (typeof rounds)[number]) => number) => Math.min(...rounds.map(of));
    const cells = [
      ...[name, megabytes(statSync(join(folder, 'results.json')).size), seconds(least((r) => r.wallMs))],
      ...[seconds(least((r) => r.cpuMs)), `${Math.round(Math.max(...rounds.map((r) => r.mib)))} MiB`],
      megabytes(rounds[0]?.bytes ?? 0),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
