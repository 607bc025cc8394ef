// Headers of the configuration are in every request. The app answers 403 without them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasHyperfine, makeProject, noteColdStarts, type Project, slicesOf, variantOf } from './bench.ts';

const IDS = ['apache@8.4', 'nginx-fpm@8.4'];
const SECRET = 's3cret';
let project: Project;

beforeAll(async () => {
  project = await makeProject();
  project.write({
    'app/index.php': `<?php
$right = ($_SERVER['HTTP_AUTHORIZATION'] ?? '') === 'Bearer ${SECRET}' && ($_SERVER['HTTP_ACCEPT'] ?? '') === 'text/html, */*';
if (!$right) {
    http_response_code(403);
    error_log('without its headers: ' . $_SERVER['HTTP_USER_AGENT']);
    exit('forbidden');
}
echo 'page';
`,
    'journey.js': `import { request, nameEndpoints } from '../lib/bench.js';
nameEndpoints(['page']);
export const options = { vus: 1, iterations: 20 };
export default () => { request('page', '/'); };
`,
  });
});
afterAll(() => project.remove());
noteColdStarts();

const HEADERS = ['--headers', `Accept=text/html, */*,Authorization=Bearer ${SECRET}`];

const run = (out: string, ...flags: string[]) =>
  project.run(
    out,
    ...['--app', 'app', '--instances', '1', '--blocks', '1', '--warmup', '1s', '--timeout', '5s', '--wait'],
    ...(flags.includes('--runtimes') ? flags : ['--runtimes', 'apache,nginx-fpm', ...flags]),
  ).done;

test('check, warm-up, turns, cold starts and the recheck send them', async () => {
  const { code, stdout, stderr } = await run(
    'paths',
    ...[...HEADERS, '--paths', '/', '--load', 'vus(2, 1s)', ...(hasHyperfine ? ['--cold-start'] : [])],
  );
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const results = project.results('paths');
  expect(results.plan.headers).toEqual(['Accept: text/html, */*', 'Authorization']);
  for (const id of IDS) {
    const [slice] = slicesOf(results, id);
    expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
    expect(slice?.okCount).toBe(slice?.requests);
    if (hasHyperfine) expect(variantOf(results, id).coldStart?.timesMs).toHaveLength(10);
  }
  expect(readLogs('paths')).not.toContain('without its headers');
  const files = ['results.json', 'report.md', 'report.html', 'measurements.ndjson'];
  const written = files.map((name) => readFileSync(join(project.folder, 'paths', name), 'utf8'));
  expect([stdout, stderr, ...written].join('\n')).not.toContain(SECRET);
});

test('instructions are counted of the page that needs them', async () => {
  project.commit({});
  const { code, stderr } = await run(
    'count',
    ...[...HEADERS, '--paths', '/', '--load', 'vus(2, 1s)', '--compare-to', 'HEAD'],
    ...['--runtimes', 'nginx-fpm', '--count', 'instructions'],
  );
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { counts, warnings } = project.results('count');
  expect(warnings.filter(({ message }) => message.includes('cannot be counted'))).toEqual([]);
  expect(counts.filter(({ by }) => by === 'instructions')).not.toEqual([]);
  // On a machine that many share, a process takes a minute.
}, 1_800_000);

test('a k6 script sends them by `request`', async () => {
  const { code, stderr } = await run('script', ...HEADERS, '--journey', 'journey.js');
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  for (const id of IDS) {
    const [slice] = slicesOf(project.results('script'), id);
    expect(slice).toMatchObject({ requests: 20, okCount: 20 });
  }
});

test('without them the app refuses all', async () => {
  const { code } = await run('none', '--paths', '/', '--load', 'vus(2, 1s)');
  expect(code).toBe(3);
  for (const id of IDS) expect(variantOf(project.results('none'), id).failure?.reason).toContain('HTTP 403');
});

/** The logs of the servers and their app, check and warm-up included. */
function readLogs(out: string): string {
  const folder = join(project.folder, out, 'raw/logs/0');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}
