// Instructions of pages, counted by callgrind: what is counted, what is refused, and that nothing is left.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../src/results/results.ts';
import { readPart } from '../../src/run/instructions/callgrind.ts';
import { leftovers, makeProject, type Project, told } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  project.commit({
    '.gitignore': '/out-*\n',
    '.dockerignore': '.git\nout-*\n',
    'public/index.php': app(1000),
  });
  project.commit({ 'public/index.php': app(1005) });
});
afterAll(() => project.remove());
afterEach(async () => {
  expect(await leftovers()).toEqual([]);
  expect(project.temporaryFiles()).toEqual([]);
});

/** Units of work, and pages that cannot be counted: `broken` answers 500 nowhere but in php-cgi. */
const app = (units: number) => `<?php
function work(int $units): int
{
    for ($sum = 0, $i = 0; $i < $units; $i++) { $sum += strlen(str_repeat(strtoupper("unit $i"), 50)); }
    return $sum;
}
$path = strtok($_SERVER['REQUEST_URI'], '?');
if ($path === '/random') { work(random_int(100, 2000)); exit('random'); }
if ($path === '/broken' && PHP_SAPI === 'cgi-fcgi') { throw new Exception('not here'); }
if ($path === '/third') {
    $times = (int) @file_get_contents('/tmp/times') + 1;
    file_put_contents('/tmp/times', $times);
    if (PHP_SAPI === 'cgi-fcgi' && $times > 5) { http_response_code(503); }
    exit('third');
}
if ($path === '/moved') { header('X_Odd: 1'); header('Location: /', true, 302); exit; }
if ($path === '/install') { exit(file_put_contents('/tmp/installed', PHP_SAPI) ? 'done' : 'failed'); }
if ($path === '/installed' && !is_file('/tmp/installed')) { throw new Exception('not installed'); }
if ($path === '/list/') { echo $_SERVER['SCRIPT_NAME'], $_SERVER['HTTP_HOST'], $_SERVER['QUERY_STRING'], $_GET['a']; }
work($path === '/equal' ? 1000 : ${units});
echo 'done';
`;

const COUNT = ['--runtimes', 'nginx-fpm', '--count', 'instructions'];

describe('pages of two versions', () => {
  let results: Results;
  beforeAll(async () => {
    const paths = ['/', '/equal', '/list/?a=1', '/moved', '/random', '/broken', '/third'].join(',');
    const { code, stderr } = await project.bench(
      ...['out-count', ...COUNT, '--paths', paths, '--compare-to', 'HEAD~1'],
    ).done;
    expect(stderr).toContain('counting the instructions of /, /equal');
    expect(code, stderr).toBe(0);
    results = project.results('out-count');
    // On a machine that many share, a process takes a minute: 6 pages have 24.
  }, 1_800_000);

  const countsOf = (path: string) =>
    results.counts.filter(({ by, endpoint }) => by === 'instructions' && endpoint === path);
  const meanOf = (path: string, side: '' | ':base') => {
    const { values } = countsOf(path).find(({ variant }) => variant === `nginx-fpm@8.4${side}`) ?? {};
    const all = values?.find(({ name }) => name === 'instructions')?.perRequest ?? [];
    return all.reduce((a, b) => a + b, 0) / all.length;
  };

  it('have a number each, in which half a percent more work is half a percent', () => {
    const change = meanOf('/', '') / meanOf('/', ':base') - 1;
    expect(change).toBeGreaterThan(0.004);
    expect(change).toBeLessThan(0.006);
    expect(Math.abs(meanOf('/equal', '') / meanOf('/equal', ':base') - 1)).toBeLessThan(0.001);
    for (const { floorRatio, requests, failures, values } of results.counts) {
      expect({ requests, failures, repeats: values[0]?.perRequest.length }).toEqual({
        ...{ requests: 5, failures: 0, repeats: 2 },
      });
      expect(floorRatio).toBeLessThan(0.0005);
    }
  });

  it('name the functions that differ, and keep what callgrind wrote', () => {
    const [head, base] = countsOf('/').map(({ functions = [] }) => functions);
    const calls = (all: typeof head) => all?.find(({ name }) => name === '_emalloc')?.calls ?? 0;
    expect(calls(head)).toBeGreaterThan(calls(base));
    const file = join(project.folder, 'out-count/raw/instructions/nginx-fpm@8.4/callgrind.out._');
    expect(readPart(readFileSync(file, 'utf8'))?.instructions).toBeGreaterThan(1e6);
  });

  it('are asked for as servers ask: the front controller, the host, the query', () => {
    expect(countsOf('/list/?a=1')).toHaveLength(2);
  });

  it('may be redirects, each of which has its status', () => {
    expect(countsOf('/moved')).toHaveLength(2);
  });

  it.each([
    ['/random', 'equal counts of it differ by'],
    ['/broken', 'php-cgi answers HTTP 500 instead of HTTP 200'],
    ['/third', 'php-cgi answers HTTP 503 instead of HTTP 200 when it is asked again'],
  ])('%s is refused: %s', (path, reason) => {
    expect(countsOf(path)).toEqual([]);
    const refused = results.warnings.filter(({ code }) => code === 'not-counted');
    expect(refused.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(`${path} cannot be counted: ${reason}`),
    );
  });
});

it('a file without PHP is refused', async () => {
  project.commit({ 'public/robots.txt': 'User-agent: *\n' });
  await project.bench('out-file', ...COUNT, '--paths', '/robots.txt').done;
  const { counts, warnings } = project.results('out-file');
  expect(counts).toEqual([]);
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('/robots.txt cannot be counted: a file that the web server sends without PHP'),
  );
});

it('an app that its set-up installs over HTTP is counted, each version by itself', async () => {
  project.commit({ 'set-up.yml': 'set-up: curl -fsS "http://app.test:$PORT/install"\n' });
  const { code, stderr } = await project.bench(
    ...['out-set-up', ...COUNT, '--paths', '/installed', '--config', 'set-up.yml', '--compare-to', 'HEAD'],
  ).done;
  expect(code, stderr).toBe(0);
  const { counts, warnings } = project.results('out-set-up');
  expect(warnings.filter(({ code }) => code === 'not-counted')).toEqual([]);
  expect(counts.map(({ variant, endpoint }) => [variant, endpoint]).sort()).toEqual([
    ['nginx-fpm@8.4', '/installed'],
    ['nginx-fpm@8.4:base', '/installed'],
  ]);
}, 600_000);

it('a stop in the middle leaves nothing', async () => {
  const run = project.bench('out-stop', ...COUNT, '--paths', '/');
  await told(run, 'counting the instructions');
  run.kill('SIGINT');
  expect((await run.done).code).toBe(130);
  expect(project.results('out-stop').counts).toEqual([]);
  expect(existsSync(join(project.folder, 'out-stop/report.md'))).toBe(true);
});
