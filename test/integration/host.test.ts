// Every request carries the same Host header. The app answers under its own name only, and redirects under any other.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  hasHyperfine,
  makeProject,
  noteColdStarts,
  type Project,
  root,
  slicesOf,
  variantOf,
} from './bench.ts';

const ID = 'apache@8.4';
const PAGE_BYTES = 5000 * 'page '.length;
let project: Project;

beforeAll(async () => {
  project = await makeProject();
  cpSync(join(root, 'test/fixtures/apps/canonical'), join(project.folder, 'app'), { recursive: true });
  project.commit({});
});
afterAll(() => project.remove());
noteColdStarts();

const run = (out: string, ...flags: string[]) =>
  project.run(
    out,
    ...['--app', 'app', '--runtimes', 'apache', '--instances', '1', '--blocks', '1', '--warmup', '1s'],
    ...['--timeout', '5s', '--wait', ...flags],
  ).done;

test('check, warm-up, turns and duets see the page that is behind its name', async () => {
  const { code, stderr } = await run(
    'paths',
    ...['--env', 'CANONICAL=app.test', '--paths', '/', '--load', 'vus(2, 1s)', '--compare-to', 'HEAD'],
  );
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const results = project.results('paths');
  for (const id of [ID, `${ID}:base`]) {
    const [slice] = slicesOf(results, id);
    expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
    expect(slice?.bytesReceived).toBeGreaterThan((slice?.requests as number) * PAGE_BYTES);
  }
  expect(results.duets.length).toBeGreaterThan(0);
  expect(results.warnings.map(({ code: name }) => name)).not.toContain('redirect');
  expect(readLogs('paths')).not.toContain('asked as');
});

test('a page that is under another name only is refused, not measured as its redirect', async () => {
  const { code, stderr } = await run(
    'elsewhere',
    ...['--env', 'CANONICAL=bench.test', '--paths', '/', '--load', 'vus(2, 1s)'],
  );
  expect({ code, stderr }).toMatchObject({ code: 3 });
  expect(stderr.replace(/\s+/g, ' ')).toContain(
    "GET / redirects to http://bench.test/, another address. If that is the app's own name, set `host: bench.test`",
  );
  expect(project.results('elsewhere').measurements).toEqual([]);
});

test('probes of a search for the capacity are at that name, too', async () => {
  const { code, stderr } = await run(
    'capacity',
    // As many clients as in the load that it begins with: it ends near by.
    ...['--env', 'CANONICAL=app.test', '--paths', '/', '--load', 'vus(2, 1s)'],
    ...['--capacity', '--max-vus', '2'],
  );
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const [search] = project.results('capacity').searches;
  expect(search?.probes.length).toBeGreaterThan(1);
  for (const probe of search?.probes ?? []) {
    expect(probe.requests).toBeGreaterThan(0);
    expect(probe).not.toHaveProperty('others');
  }
  expect(search?.probes.some(({ held, failures }) => held && failures === 0)).toBe(true);
  expect(readLogs('capacity')).not.toContain('asked as');
}, 600_000);

test('a k6 script and cold starts are at the name that is given, whatever the site of that name is', async () => {
  const { code, stderr } = await run(
    'script',
    ...['--env', 'CANONICAL=www.example.com:8081', '--host', 'www.example.com:8081'],
    ...['--journey', join(root, 'test/fixtures/journeys/redirects.js')],
    ...(hasHyperfine ? ['--cold-start'] : []),
  );
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const results = project.results('script');
  expect(results.plan.host).toBe('www.example.com:8081');
  const [slice] = slicesOf(results, ID);
  // Of each iteration the last request is refused.
  expect(slice).toMatchObject({ iterations: 20, requests: 80, okCount: 60 });
  expect(slice?.bytesReceived).toBeGreaterThan(20 * PAGE_BYTES);
  if (hasHyperfine) expect(variantOf(results, ID).coldStart?.timesMs).toHaveLength(10);
  expect(readLogs('script')).not.toContain('asked as');
});

test('an app that asks itself by its name is refused, and reaches itself by PORT', async () => {
  const own = await makeProject();
  try {
    own.write({
      'app/index.php': `<?php
if ($_SERVER['REQUEST_URI'] === '/inner') { echo 'inner of ' . $_SERVER['HTTP_HOST']; exit; }
$named = stream_context_create(['http' => ['header' => 'Host: app.test']]);
$byName = @file_get_contents('http://app.test/inner');
error_log('by name: ' . ($byName === false ? error_get_last()['message'] : $byName));
error_log('by port: ' . file_get_contents('http://127.0.0.1:' . getenv('PORT') . '/inner', false, $named));
echo 'page';
`,
    });
    const { code, stderr } = await own.run(
      'self',
      ...['--app', 'app', '--runtimes', 'apache,nginx-fpm', '--paths', '/', '--load', 'requests(4, 1)'],
      ...['--instances', '1', '--blocks', '1', '--warmup', '0s', '--wait'],
    ).done;
    expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
    const logs = join(own.folder, 'self/raw/logs/0');
    expect(readdirSync(logs)).toHaveLength(2);
    for (const name of readdirSync(logs)) {
      const log = readFileSync(join(logs, name), 'utf8');
      expect(log).toMatch(/by name: .*Connection refused/);
      expect(log).toContain('by port: inner of app.test');
    }
  } finally {
    await own.remove();
  }
});

/** The logs of the server and its app, check and warm-up included. */
function readLogs(out: string): string {
  const folder = join(project.folder, out, 'raw/logs/0');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}
