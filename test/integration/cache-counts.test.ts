// Counts of what Redis and Valkey do per request: exact numbers on both sides, none for equal pages.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { realHost } from '../../src/host.ts';
import type { Results } from '../../src/results/results.ts';
import { findImages, leftovers, makeProject, type Project } from './bench.ts';

const { code: noCompose } = await realHost.exec('docker', ['compose', 'version']);
const [, mapped] = await findImages();

/** AUTH and SELECT belong to the connection and are no work of the app. */
const page = (reads: number) => `<?php
$cache = fsockopen('cache', 6379);
function ask(string ...$words)
{
    global $cache;
    $parts = array_map(fn ($word) => '$' . strlen($word) . "\\r\\n$word\\r\\n", $words);
    fwrite($cache, '*' . count($words) . "\\r\\n" . implode($parts));
    $line = rtrim(fgets($cache));
    if ($line[0] === '-') { throw new Exception($line); }
    if ($line[0] !== '$') { return substr($line, 1); }
    return $line === '$-1' ? null : substr(fread($cache, substr($line, 1) + 2), 0, -2);
}
ask('AUTH', 'secret');
ask('SELECT', '1');
ask('PING');
ask('SET', 'article', 'Wheelbarrow');
$reads = strtok($_SERVER['REQUEST_URI'], '?') === '/equal' ? 1 : ${reads};
for ($i = 0; $i < $reads; $i++) { echo ask('GET', 'article'), "\\n"; }
if (ask('GET', 'never') !== null) { http_response_code(500); }
`;

/** It asks the server each second, which is none of the app's either. */
const compose = (image: string, kind: string) => `
services:
  cache:
    image: ${image}
    command: ${kind}-server --requirepass secret
    environment: { ${kind.toUpperCase()}_PASSWORD: secret }
    healthcheck: { test: ['CMD-SHELL', '${kind}-cli -a secret ping && ${kind}-cli -a secret config get save'], interval: 1s }
`;
const IMAGES = { redis: 'redis:8', valkey: 'valkey/valkey:8' };
type Kind = keyof typeof IMAGES;
const INDEX = 'app/public/index.php';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  for (const kind of Object.keys(IMAGES) as Kind[]) {
    project.write({
      [`${kind}.yaml`]: compose(IMAGES[kind], kind),
      [`${kind}.bench.yml`]: `app: app\nruntimes: apache\nservices: ${kind}.yaml\n`,
    });
  }
  project.commit({ '.gitignore': '/out-*\n', [INDEX]: page(1) });
});
afterAll(() => project.remove());
afterEach(async () => expect(await leftovers()).toEqual([]));

/** Compares what is in the folder with its commit, path by path. */
async function compare(kind: Kind, paths: string, gates: readonly string[]) {
  const load = ['--load=requests(20, 1)', '--warmup=0s', '--timeout=10s', '--blocks=1', '--instances=1'];
  const { code, stdout, stderr } = await project.run(
    ...([`out-${kind}`, ...load, '--paths', paths, '--config', `${kind}.bench.yml`] as const),
    ...['--compare-to', 'HEAD', '--wait', ...gates.flatMap((gate) => ['--fail-on', gate])],
  ).done;
  return { code, stdout, stderr, results: project.results(`out-${kind}`) };
}

/** All that was counted, each number once. */
function countsOf({ counts }: Results, side: 'head' | 'base', path: string | null) {
  const found: Record<string, number[]> = {};
  for (const { variant, endpoint, values } of counts) {
    if (variant.endsWith(':base') !== (side === 'base') || endpoint !== path) continue;
    for (const { name, perRequest } of values)
      found[name] = [...new Set([...(found[name] ?? []), ...perRequest])];
  }
  return found;
}

async function needImage(kind: Kind, skip: (why: string) => void) {
  if (noCompose !== 0) skip('docker has no compose plugin here');
  const image = mapped && String(parse(readFileSync(mapped, 'utf8'))[IMAGES[kind]]);
  if (image && (await realHost.exec('docker', ['image', 'inspect', image])).code !== 0)
    skip(`${IMAGES[kind]} is not available here`);
}

const LIMIT_MS = 900_000;

test('on Redis more reads of the cache are reported with the exact numbers, and an equal page has none', {
  timeout: LIMIT_MS,
}, async ({ skip }) => {
  await needImage('redis', skip);
  project.write({ [INDEX]: page(10) });
  const gates = ['cache-commands more', 'cache-misses more'];
  const { code, stdout, stderr, results } = await compare('redis', '/,/equal', gates);
  expect(results.warnings.filter((warning) => warning.code === 'count')).toEqual([]);
  // Nothing separates the keys of the two versions.
  expect(results.warnings.map((warning) => warning.code)).toContain('shared-cache');
  const few = { 'cache-commands': [3], 'cache-hits': [1], 'cache-misses': [1] };
  const many = { 'cache-commands': [12], 'cache-hits': [10], 'cache-misses': [1] };
  expect(countsOf(results, 'base', '/'), stderr).toEqual(few);
  expect(countsOf(results, 'head', '/')).toEqual(many);
  expect(countsOf(results, 'base', '/equal')).toEqual(few);
  expect(countsOf(results, 'head', '/equal')).toEqual(few);
  // Two starts of two versions, with two paths.
  expect(results.counts).toHaveLength(8);
  for (const count of results.counts) expect(count).toMatchObject({ requests: 20, failures: 0 });
  expect(code).toBe(1);
  expect(stdout).toContain('Cache commands on / 3 → 12 per request');
  expect(stdout).toContain('Cache hits on / 1 → 10 per request');
  expect(stdout).toContain('limit cache-commands more exceeded');
  expect(stdout).not.toContain('Cache misses');
  expect(stdout).not.toContain('on /equal');
});

test('on Valkey a page that asks the same later, while others run, has no other counts', {
  timeout: LIMIT_MS,
}, async ({ skip }) => {
  await needImage('valkey', skip);
  // Requests of the warm-up that wait longer than the timeout must not ask while the repeats are counted.
  const wait =
    "<?php $alone = fopen('/tmp/alone', 'c');\nif (!flock($alone, LOCK_EX | LOCK_NB)) { sleep(8); }\n";
  project.write({ [INDEX]: page(1).replace('<?php\n', wait) });
  const gates = ['cache-commands more', 'cache-hits more', 'cache-misses more'];
  const { code, stdout, stderr, results } = await compare('valkey', '/', gates);
  const few = { 'cache-commands': [3], 'cache-hits': [1], 'cache-misses': [1] };
  expect(countsOf(results, 'base', null), stderr).toEqual(few);
  expect(countsOf(results, 'head', null)).toEqual(few);
  expect(code).toBe(0);
  expect(stdout).not.toContain('Counts:');
  expect(results.warnings.filter((warning) => warning.code === 'count')).toEqual([]);
});
