/**
 * Whether counts of equal versions differ: node bench/counts/run.ts [--pairs=10] [--each] [CLI flags…] Each pair is a
 * run of its own with MariaDB, PostgreSQL and Redis. All are on one page. With --each, each has a page, which takes
 * twice as long. Prints one line a count and the table of docs/evidence.md. Ends with 1 if a difference was reported,
 * or a count is missing.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { CountRow } from '../../src/analyse/counted.ts';
import { judgeCounts } from '../../src/analyse/judge/counts.ts';
import { Results } from '../../src/results/results.ts';
import { PATHS, writeApp } from './app.ts';

const PAIRS = /^--pairs=(\d+)$/;
const EACH = '--each';
const words = process.argv.slice(2);
const [, wanted] = PAIRS.exec(words.find((word) => PAIRS.test(word)) ?? '') ?? [];
const paths: readonly string[] = words.includes(EACH) ? PATHS.each : PATHS.together;
const given = words.filter((word) => !PAIRS.test(word) && word !== EACH);
const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'counts-'));

/** Counts of the one page. Names suffice, as no other page is counted. */
const OF_DATABASES = ['queries', 'rows-read', 'rows-written', 'temporary-tables-on-disk'];
const OF_CACHE = ['cache-commands', 'cache-hits', 'cache-misses'];
const OF_PHP = [
  'notices',
  'warnings',
  'deprecations',
  'included-files',
  'peak-memory',
  'opcache-misses',
  'response-bytes',
];
/** Counts that must exist, by path if there are several. */
const EXPECTED = words.includes(EACH)
  ? [
      ...['/mariadb', '/postgres'].flatMap((path) => OF_DATABASES.map((name) => `${path} ${name}`)),
      ...OF_CACHE.map((name) => `/redis ${name}`),
      ...OF_PHP,
    ]
  : [...OF_DATABASES, ...OF_CACHE, ...OF_PHP];

try {
  write(0);
  git('init');
  commit();
  const runs = Array.from({ length: Number(wanted ?? 10) }, (_, i) => comparePair(i + 1));
  const found = runs.map((rows) => EXPECTED.map((key) => rows.get(key) ?? null));
  show(found);
  const isSame = found.every((rows) => rows.every((row) => row?.change?.verdict === 'same'));
  if (!isSame) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function write(pair: number): void {
  for (const [path, text] of writeApp(pair)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function git(...args: string[]): void {
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
  execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' });
}

function commit(): void {
  git('add', '--all');
  git('commit', '--message', 'Begin');
}

/** Runs a pair and returns the counts of its head, by path and name. */
function comparePair(pair: number): Map<string, CountRow> {
  write(pair);
  const flags = [
    ...['--paths', paths.join(','), '--load', 'requests(20, 1)', '--warmup', '0s', '--blocks', '1'],
    ...['--instances', '1', '--count', 'services,php', '--compare-to', 'HEAD', '--out', 'results'],
  ];
  try {
    execFileSync('node', [join(root, 'src/cli.ts'), 'run', ...flags, ...given], {
      cwd: folder,
      stdio: ['ignore', 'ignore', pair === 1 ? 'inherit' : 'ignore'],
    });
  } catch {
    // Its load means nothing here, and so does its exit code.
  }
  const results = Results.parse(JSON.parse(readFileSync(join(folder, 'results/results.json'), 'utf8')));
  const rows = [...judgeCounts(results).values()].flat();
  for (const { endpoint, name, side, change } of rows) {
    const from = change && !change.from.constant ? ` (${change.from.low}…${change.from.high})` : '';
    const to = side.constant ? '' : ` (${side.low}…${side.high})`;
    console.log(
      [pair, endpoint ?? 'all', name, `${change?.from.perRequest}${from}`, `${side.perRequest}${to}`].join(
        '\t',
      ),
      change?.verdict,
      change?.reasons.join('; '),
    );
  }
  return new Map(rows.map((row) => [row.endpoint === null ? row.name : `${row.endpoint} ${row.name}`, row]));
}

function show(found: readonly (readonly (CountRow | null)[])[]): void {
  console.log(
    '\n| count | per request | pairs | constant | no change | other verdicts |\n| --- | --- | --: | --: | --: | --- |',
  );
  for (const [i, key] of EXPECTED.entries()) {
    const rows = found.flatMap((all) => all[i] ?? []);
    const values = rows.flatMap(({ side, change }) => [side.low, side.high, change?.from.low ?? side.low]);
    const range =
      values.length === 0 ? '' : [...new Set([Math.min(...values), Math.max(...values)])].join(' to ');
    const constant = rows.filter(({ side, change }) => side.constant && change?.from.constant).length;
    const verdicts = rows.map(({ change }) => change?.verdict ?? 'not compared');
    const others = verdicts.filter((verdict) => verdict !== 'same');
    const same = verdicts.length - others.length;
    console.log(`| \`${key}\` | ${range} | ${rows.length} | ${constant} | ${same} | ${others.join(', ')} |`);
  }
}
