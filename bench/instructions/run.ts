/**
 * Runs `--count instructions` on pages whose work is known. Prints one line a page and the table of docs/evidence.md.
 * Usage: node bench/instructions/run.ts [--pages=FROM-TO] [CLI flags…]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { judgeCounts } from '../../src/analyse/judge/counts.ts';
import { Results } from '../../src/results/results.ts';
import { PAGES, writeApp } from './pages.ts';

const PART = /^--pages=(\d+)-(\d+)$/;
const [, from, to] = PART.exec(process.argv.find((word) => PART.test(word)) ?? '') ?? [];
const pages = PAGES.slice(Number(from ?? 0), Number(to ?? PAGES.length));
const given = process.argv.slice(2).filter((word) => !PART.test(word));
const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'instructions-'));
try {
  commit(0);
  commit(1);
  const flags = [
    ...['--runtimes', 'nginx-fpm', '--php', '8.4', '--paths', pages.map(({ path }) => path).join(',')],
    ...['--load', 'vus(1, 1s)', '--warmup', '0s', '--instances', '1', '--blocks', '1'],
    ...['--count', 'instructions', '--compare-to', 'HEAD~1', '--out', 'results'],
  ];
  try {
    execFileSync('node', [join(root, 'src/cli.ts'), 'run', ...flags, ...given], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } catch {
    // Its load means nothing here, and so does its exit code.
  }
  show(Results.parse(JSON.parse(readFileSync(join(folder, 'results/results.json'), 'utf8'))));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function commit(side: 0 | 1): void {
  for (const [path, text] of writeApp(side)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });
  if (side === 0) git('init');
  git('add', 'public', 'pages');
  git('commit', '--message', `side ${side}`);
}

function show(results: Results): void {
  const rows = [...judgeCounts(results).values()].flat().filter(({ by }) => by === 'instructions');
  const table = {
    injected: { named: 0, of: 0, changes: [] as number[] },
    equal: { named: 0, of: 0, changes: [] as number[] },
  };
  const floors = results.counts.flatMap(({ floorRatio }) => floorRatio ?? []);
  for (const { path, isInjected } of pages) {
    const row = rows.find(({ endpoint }) => endpoint === path);
    const group = table[isInjected ? 'injected' : 'equal'];
    if (!row?.change) {
      console.log(`${path}\tnot counted`);
      continue;
    }
    const { verdict, ratio } = row.change;
    const percent = 100 * ((ratio ?? 1) - 1);
    const count = results.counts.find(
      ({ endpoint, variant }) => endpoint === path && variant === row.variant,
    );
    group.of++;
    group.changes.push(percent);
    if (verdict === 'more' || verdict === 'fewer') group.named++;
    const floor = 100 * (count?.floorRatio ?? Number.NaN);
    console.log(
      [path, Math.round(row.side.perRequest), percent.toFixed(4), floor.toFixed(4), verdict].join('\t'),
    );
  }
  console.log('\n| pages | counted | named | change |\n| --- | --: | --: | --- |');
  for (const [name, { named, of, changes }] of Object.entries(table)) {
    const range =
      changes.length > 0 ? `${Math.min(...changes).toFixed(4)} to ${Math.max(...changes).toFixed(4)} %` : '';
    console.log(`| ${name} | ${of} | ${named} | ${range} |`);
  }
  console.log(`\nlargest floor: ${(100 * Math.max(...floors)).toFixed(4)} %`);
}
