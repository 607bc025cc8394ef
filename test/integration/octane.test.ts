/** Laravel by Octane, on each of its servers: the answers of Apache, every option, and nothing of one client for the next. */
import { appendFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realHost } from '../../src/host.ts';
import { buildApp } from './app-images.ts';
import {
  type Answer,
  ask,
  askOnce,
  docker,
  findMissingBase,
  logs,
  processes,
  removeAll,
  type Server,
  serve,
  startArena,
  stop,
  threads,
} from './docker.ts';
import { copyLaravel, LARAVEL_ENV } from './octane-app.ts';

interface Row {
  runtime: string;
  sapi: string;
  server: RegExp;
  /** The command line of a process that answers requests, or the name of such a thread. */
  worker: RegExp;
  threads?: boolean;
  /** A worker that has run out of memory is not replaced. */
  ails?: boolean;
  /** Others that are called so. */
  spare?: number;
  options: readonly string[];
}

const COMMON = ['workers', 'max-requests', 'memory-limit'];
const ROWS: readonly Row[] = [
  {
    ...{ runtime: 'octane-roadrunner', sapi: 'cli', server: /^octane \+ roadrunner\/2025\.1\.\d+$/ },
    ...{ worker: /\/vendor\/bin\/roadrunner-worker$/, options: [...COMMON, 'jit'] },
  },
  {
    ...{ runtime: 'octane-frankenphp', sapi: 'frankenphp', server: /^octane \+ frankenphp\/1\.\d+\.\d+$/ },
    ...{ worker: /^php-[0-9a-f]+$/, threads: true, spare: 1 },
    options: [...COMMON, 'jit', 'keep-alive', 'gzip', 'access-log'],
  },
  {
    ...{ runtime: 'octane-swoole', sapi: 'cli', server: /^octane \+ swoole\/6\.\d+\.\d+$/ },
    ...{ worker: /worker process/, spare: 1, ails: true, options: [...COMMON, 'task-workers', 'gzip'] },
  },
];
const rows = ROWS.filter(({ runtime }) => findMissingBase(runtime, '8.4') === null);
for (const { runtime } of ROWS) {
  const base = findMissingBase(runtime, '8.4');
  if (base) it(runtime, ({ skip }) => skip(`base image ${base} is not available here`));
}

const factsPath = '/.php-runtime-bench/facts';
const images = new Map<string, string>();
let arena: string;

const start = (runtime: string, env: Record<string, string> = {}) =>
  serve(arena, images.get(runtime) ?? '', { ...LARAVEL_ENV, ...env });

async function using<T>(server: Promise<Server>, use: (server: Server) => Promise<T>): Promise<T> {
  const started = await server;
  try {
    return await use(started);
  } finally {
    await stop(started);
  }
}

/** The bundled app with Octane, and with what shows what becomes of the options. */
function makeApp(): string {
  const folder = copyLaravel('octane');
  appendFileSync(
    join(folder, 'routes/api.php'),
    `
Route::get('/test/rows', fn () => array_map(fn (int $id) => ['id' => $id, 'name' => "Row $id"], range(1, (int) request('n', 2))));
Route::get('/test/count', fn () => ['count' => $GLOBALS['test'] = ($GLOBALS['test'] ?? 0) + 1]);
Route::get('/test/wait', function () { usleep(6_000_000); return ['waited' => true]; });
Route::get('/test/fill', fn () => ['length' => strlen(str_repeat('x', (int) request('mb') << 20))]);
`,
  );
  return folder;
}

beforeAll(async () => {
  if (rows.length === 0) return;
  const app = makeApp();
  const built = await buildApp(app, ['apache', ...rows.map(({ runtime }) => runtime)]);
  rmSync(dirname(app), { recursive: true });
  for (const [runtime, image] of built) {
    if ('failure' in image) throw new Error(image.failure);
    images.set(runtime, image.tag);
  }
  arena = await startArena();
});
afterAll(removeAll);

/** Whether somebody is connected to a server, as another one in the arena sees it. */
async function isConnected({ port }: Server, observer: Server): Promise<boolean> {
  const sockets = await docker('exec', observer.container, 'cat', '/proc/net/tcp', '/proc/net/tcp6');
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  return new RegExp(`^ *\\d+: [0-9A-F]+:${local} [0-9A-F]+:[0-9A-F]+ 01 `, 'm').test(sockets);
}

const comparable = (answers: readonly Answer[]) =>
  answers.map(({ status, headers, body }) => ({ status, type: headers['content-type'], body }));

const ACCOUNT = JSON.stringify({ name: 'Ada', email: 'ada@example.org', password: 'a long secret' });
const JSON_HEADERS = ['Content-Type: application/json', 'Accept: application/json'];

describe.each(rows)('$runtime', (row) => {
  const { runtime, options } = row;
  const test = (option: string, body: () => Promise<void>) => {
    if (options.includes(option)) it(`has ${option}`, body);
  };
  const readFacts = async (server: Server) => JSON.parse((await askOnce(server, factsPath)).body);

  it('answers as Apache does', async () => {
    const requests = [
      ...['/test/rows', '/test/rows?n=3', '/nope', '/user'].map((path) => ({
        path,
        headers: ['Accept: application/json'],
      })),
      { path: '/login', headers: JSON_HEADERS, body: '{"email":"x"}' },
    ];
    const [apache, octane] = await Promise.all(
      ['apache', runtime].map((name) => using(start(name), (server) => ask(server, requests))),
    );
    expect(comparable(octane ?? [])).toEqual(comparable(apache ?? []));
    expect(octane?.map(({ status }) => status)).toEqual([200, 200, 404, 401, 422]);
  });

  it('says what it is, when asked to', async () => {
    await using(start(runtime, { BENCH_FACTS: '1' }), async (server) => {
      const facts = await readFacts(server);
      expect(facts).toMatchObject({
        sapi: row.sapi,
        zts: row.threads ?? false,
        opcache: { enabled: true },
      });
      expect(facts.server).toMatch(row.server);
      expect((await askOnce(server, '/')).status).toBe(200);
      expect(await docker('exec', server.container, 'stat', '--format', '%U', '/app')).toBe('www-data');
    });
    await using(start(runtime), async (server) =>
      expect((await askOnce(server, factsPath)).status).toBe(404),
    );
  });

  it('keeps who one client is from the next', async () => {
    await using(start(runtime, { WORKERS: '1' }), async (server) => {
      const made = await askOnce(server, { path: '/register', headers: JSON_HEADERS, body: ACCOUNT });
      expect(made.status).toBe(201);
      const headers = [...JSON_HEADERS, `Authorization: Bearer ${JSON.parse(made.body).token}`];
      const answers = await ask(server, [
        { path: '/user', headers },
        { path: '/user', headers: JSON_HEADERS },
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 401]);
      expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ email: 'ada@example.org' });
    });
  });

  test('workers', async () => {
    const names = async (server: Server) =>
      row.threads ? [...new Set((await threads(server)).values())] : processes(server);
    await using(start(runtime, { WORKERS: '3' }), async (server) => {
      const count = async () => (await names(server)).filter((name) => row.worker.test(name)).length;
      await expect.poll(count).toBe(3 + (row.spare ?? 0));
    });
  });

  test('max-requests', async () => {
    const counts = (MAX_REQUESTS: string, requests = 6) =>
      using(start(runtime, { WORKERS: '1', MAX_REQUESTS }), async (server) => {
        const answers = await ask(server, Array(requests).fill('/test/count'), { fresh: true });
        return Math.max(...answers.map(({ body }) => JSON.parse(body).count));
      });
    expect(await counts('2')).toBeLessThanOrEqual(2);
    // Octane's own default is 500.
    expect(await counts('0', 600)).toBe(600);
  });

  test('memory-limit', async () => {
    await using(start(runtime, { MEMORY_LIMIT: '64M', BENCH_FACTS: '1', WORKERS: '2' }), async (server) => {
      expect((await readFacts(server)).ini.memory_limit).toBe('64M');
      expect((await askOnce(server, '/test/fill?mb=100')).status).not.toBe(200);
      await expect.poll(() => logs(server)).toContain('Allowed memory size');
      if (row.ails) return;
      await expect.poll(async () => (await askOnce(server, '/test/fill?mb=2')).status).toBe(200);
    });
  });

  test('jit', async () => {
    await using(start(runtime, { JIT: 'tracing', BENCH_FACTS: '1' }), async (server) => {
      expect((await readFacts(server)).opcache.jit).toMatchObject({ on: true, kind: 'tracing' });
    });
  });

  test('keep-alive', async () => {
    const connects = (KEEP_ALIVE: string, waitMs: number) =>
      using(start(runtime, { KEEP_ALIVE }), async (server) =>
        (await ask(server, ['/', '/', { path: '/', waitMs }])).map((answer) => answer.connects),
      );
    expect(await connects('3000ms', 6000)).toEqual([1, 0, 1]);
    expect(await connects('0s', 0)).toEqual([1, 1, 1]);
  });

  test('gzip', async () => {
    const request = { path: '/test/rows?n=100', headers: ['Accept-Encoding: gzip'] };
    const packed = await using(start(runtime, { GZIP: 'true' }), (server) => askOnce(server, request));
    expect(packed.headers['content-encoding']).toBe('gzip');
    const unpacked = await using(start(runtime), (server) => askOnce(server, request));
    expect(gunzipSync(packed.bytes).toString()).toBe(unpacked.body);
  });

  test('access-log', async () => {
    await using(start(runtime, { ACCESS_LOG: 'true' }), async (server) => {
      await askOnce(server, '/?n=1');
      await expect.poll(() => logs(server)).toMatch(/"uri":"\/\?n=1".*"status":200/);
    });
    await using(start(runtime, { ACCESS_LOG: 'false' }), async (server) => {
      await askOnce(server, '/?n=1');
      // Artisan passes on what the server says twice a second.
      await realHost.sleep(1200);
      expect(await logs(server)).not.toContain('GET');
    });
  });

  it.runIf(runtime === 'octane-frankenphp')(
    'looks for no other files than Octane has it look for',
    async () => {
      await using(start(runtime), async ({ container, port }) => {
        const read = `echo file_get_contents('http://127.0.0.1:${port + 1000}/config/');`;
        const config = await docker('exec', container, 'php', '-r', read);
        expect([...config.matchAll(/"try_files":(\[.*?\])/g)].map(([, files]) => files)).toEqual([
          '["{http.request.uri.path}","frankenphp-worker.php"]',
        ]);
      });
    },
  );

  it('finishes what is in flight when it is stopped', async () => {
    await using(start('apache'), async (observer) => {
      await using(start(runtime), async (server) => {
        const answer = ask(server, ['/test/wait'], { from: observer.container });
        await expect.poll(() => isConnected(server, observer)).toBe(true);
        await docker('kill', '--signal', 'SIGTERM', server.container);
        expect((await answer)[0]).toMatchObject({ status: 200, body: '{"waited":true}' });
        expect(await docker('wait', server.container)).toBe('0');
      });
    });
  });

  it('shares a network namespace with others of its kind', async () => {
    await using(start(runtime), (one) =>
      using(start(runtime), async (other) => {
        for (const server of [one, other]) expect((await askOnce(server, '/')).status).toBe(200);
      }),
    );
  });
});
