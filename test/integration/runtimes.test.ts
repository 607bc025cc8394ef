import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  askAtOnce,
  askInOrder,
  askOnce,
  buildRuntime,
  docker,
  launch,
  logs,
  processes,
  removeAll,
  root,
  runToEnd,
  type Server,
  serve,
  startArena,
  stop,
  threads,
  tryDocker,
  waitUntilReady,
} from './docker.ts';
import { folderOf, missing, rows } from './rows.ts';

const all = rows.flatMap((row) => row.php.map((php) => ({ ...row, php })));
const plain = resolve(root, 'apps/plain');
const factsPath = '/.php-runtime-bench/facts';

const images = new Map<string, string>();
let arena: string;

const imageOf = (runtime: string, php = rows.find((row) => row.runtime === runtime)?.last) =>
  images.get(`${runtime} ${php}`) ?? '';
const start = (runtime: string, env?: Record<string, string>, flags?: string[]) =>
  serve(arena, imageOf(runtime), env, flags);

beforeAll(async () => {
  arena = await startArena();
  for (const { runtime, php } of all)
    images.set(`${runtime} ${php}`, await buildRuntime(runtime, php, plain));
});

afterAll(removeAll);

/** Starts a server, uses it, removes it. */
async function using<T>(server: Promise<Server>, use: (server: Server) => Promise<T>): Promise<T> {
  const started = await server;
  try {
    return await use(started);
  } finally {
    await stop(started);
  }
}

async function readFacts(server: Server) {
  return JSON.parse((await askOnce(server, factsPath)).body);
}

type Row = (typeof rows)[number];

/** Asks `$count` times for a page that waits for a file, each once the one before has a process. Prints how many are answered. */
const ASK_SLOWLY = `
  [, $port, $count] = $argv;
  $page = '<?php touch("/tmp/asked-$_GET[i]"); while (!is_file("/tmp/go")) usleep(10_000);';
  file_put_contents('/app/public/slow.php', $page);
  for ($i = 1; $i <= $count; $i++) {
    $sockets[] = $socket = stream_socket_client("tcp://127.0.0.1:$port");
    fwrite($socket, "GET /slow.php?i=$i HTTP/1.1\\r\\nHost: test\\r\\nConnection: close\\r\\n\\r\\n");
    while (!is_file("/tmp/asked-$i")) usleep(10_000);
  }
  echo count(array_filter($sockets, fn ($one) => str_starts_with(stream_get_contents($one), 'HTTP/1.1 200 ')));
`;

/** Processes or threads that run PHP. */
async function countWorkers(server: Server, row: Row): Promise<number> {
  // A thread that Go starts from one of PHP's has the same name.
  const all = row.threads ? [...new Set((await threads(server)).values())] : await processes(server);
  const found = all.filter((name) => row.worker.test(name)).length;
  // The parent of Apache's children is called like them.
  return row.sapi === 'apache2handler' ? found - 1 : found;
}

/** Counts workers while five requests are in work, however long that takes. */
async function countAtWork(server: Server, row: Row): Promise<number> {
  const { container, port } = server;
  const answered = docker('exec', container, 'php', '-r', ASK_SLOWLY, String(port), '5');
  const isLast = async () => (await tryDocker('exec', container, 'test', '-e', '/tmp/asked-5')).code === 0;
  await expect.poll(isLast).toBe(true);
  const count = await countWorkers(server, row);
  await docker('exec', container, 'touch', '/tmp/go');
  expect(await answered).toBe('5');
  return count;
}

for (const { runtime, missing: base } of missing)
  it(runtime, ({ skip }) => skip(`base image ${base} is not available here`));

const rowOf = (runtime: string) => rows.find((row) => row.runtime === runtime) as Row;

/** Runtimes without a feature have no tests of it. */
function describeIf(has: unknown, name: string, body: () => void) {
  if (has) describe(name, body);
}

describe('answers', () => {
  const servers: Server[] = [];
  beforeAll(async () => {
    for (const { runtime, php } of all)
      servers.push(await serve(arena, imageOf(runtime, php), { BENCH_FACTS: '1' }));
  });
  afterAll(() => stop(...servers));

  const paths = [
    ...['/json', '/json?n=0', '/json?n=1000', '/loop', '/cpu?ms=2.5', '/io?ms=5', '/mem?mb=2'],
    ...['/status?code=503', '/status?code=204', '/nope', '/nope/', '/index.php/nope', '/nope.php'],
    ...['/cpu?ms=x', '/cpu?ms=-1', '/cpu?ms=10001', '/cpu?ms[]=1', '/json?n=1.5', '/status?code=100'],
  ];

  it('are the same on all', async () => {
    const [first, ...others] = await Promise.all(
      servers.map(async (server) =>
        (await ask(server, paths)).map(({ status, headers, body }, index) => ({
          path: paths[index],
          status,
          // The server's own page, not the app's.
          ...(paths[index] !== '/nope.php' && {
            type: status === 204 ? '' : headers['content-type']?.replace(/;.*/, ''),
            body,
          }),
        })),
      ),
    );
    for (const other of others) expect(other).toEqual(first);
    expect(first?.map(({ status }) => status)).toEqual([
      ...[200, 200, 200, 200, 200, 200, 200],
      ...[503, 204, 404, 404, 404, 404],
      ...[400, 400, 400, 400, 400, 400],
    ]);
    expect(first?.[1]?.body).toBe('{"type":"json","items":[]}');
    expect(JSON.parse(first?.[2]?.body ?? '').items).toHaveLength(1000);
    expect(first?.[3]?.body?.split('\n')[999]).toBe('Hello, World! 1000');
    expect(first?.[13]?.body).toBe(`{"error":"ms: expected a number from 0 to 10000, found 'x'"}`);
  });

  it.each(all.map((variant, index) => ({ ...variant, index })))(
    'say where they come from: $runtime on $php',
    async ({ runtime, php, sapi, server: name, threads = false, index }) => {
      const server = servers[index] as Server;
      const headers = ['X-Test: yes', 'Authorization: Bearer 1'];
      const answers = await ask(server, [{ path: '/', headers }, '/phpinfo']);
      expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({
        type: runtime,
        headers: { 'x-test': 'yes', authorization: 'Bearer 1' },
      });
      expect(answers[0]?.headers).not.toHaveProperty('x-powered-by');
      expect(answers[1]?.body).toContain('opcache.enable');

      const facts = await readFacts(server);
      expect(facts).toMatchObject({
        zts: threads,
        debug: false,
        sapi,
        opcache: { enabled: true, jit: { on: false, kind: 'off' } },
        ini: { memory_limit: '128M', 'opcache.validate_timestamps': '0', 'opcache.enable_cli': '1' },
      });
      expect(facts.php).toMatch(new RegExp(`^${php.replace('.', '\\.')}\\.\\d+`));
      expect(facts.server).toMatch(name);
      expect(facts.extensions).toContain('json');
    },
  );

  it('have the same php.ini and extensions', async () => {
    const facts = await Promise.all(servers.map(readFacts));
    const own = all.flatMap(({ ownIni = [] }) => ownIni);
    // One image adds what another is built with: mysqlnd is in each official image, but not in Debian's PHP.
    const added = all.flatMap(({ ownExtensions = [] }) => ownExtensions);
    const comparable = facts.map(({ ini, extensions }) => ({
      // E_ALL has lost a bit in 8.4.
      ini: Object.entries(ini).filter(([name]) => name !== 'error_reporting' && !own.includes(name)),
      // In the official images, only mod_php lacks readline. Debian's PHP has it everywhere.
      extensions: extensions.filter(
        (name: string) => !/^(apache2handler|cgi-fcgi|readline)$/.test(name) && !added.includes(name),
      ),
    }));
    for (const other of comparable) expect(other).toEqual(comparable[0]);
  });
});

describe('the document root', () => {
  const those = rows.filter(({ files }) => files);
  const files: Record<string, string> = {
    'public/index.php':
      '<?php header("Content-Type: text/plain"); echo "front: ", json_encode([$_SERVER["SCRIPT_NAME"], $_SERVER["PATH_INFO"] ?? "", $_SERVER["REQUEST_URI"], $_GET, getenv("APP_ENV"), $_ENV["APP_ENV"]]);',
    'public/other.php': '<?php echo "other: ", $_SERVER["SCRIPT_NAME"], $_SERVER["PATH_INFO"] ?? "";',
    'public/hello.txt': 'hello',
    'public/style.css': 'a {}',
    'public/script.js': '1',
    'public/with-html/index.html': 'html',
    'public/with-php/index.php': '<?php echo "inner";',
    'public/empty/file.txt': 'file',
    'packages/blog/index.php': '<?php echo "linked";',
    'public/.htaccess': 'Header set X-Htaccess yes',
    'public/.env': 'SECRET=1',
    'public/.git/config': 'secret',
    'public/.well-known/security.txt': 'known',
    'public/.well-known/.htaccess': '# secret',
    'web root/index.php': '<?php echo "other root";',
  };
  const paths = [
    ...[
      '/',
      '/a/b?x[]=1',
      '/a%20b',
      '/hello.txt',
      '/style.css',
      '/script.js',
      '/other.php',
      '/other.php/a/b',
    ],
    ...['/with-html/', '/with-php/', '/empty/', '/empty/file.txt', '/index.php/x', '/blog/'],
    ...['/.well-known/security.txt', '/.well-known/change-password'],
  ];
  const hidden = [
    '/.htaccess',
    '/.env',
    '/.git/config',
    '/.well-known/.htaccess',
    '/.none',
    '/empty/.none',
    factsPath,
  ];
  let app: string;
  const servers: Server[] = [];

  beforeAll(async () => {
    app = mkdtempSync(join(tmpdir(), 'bench-app-'));
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(app, file)), { recursive: true });
      writeFileSync(join(app, file), content);
    }
    symlinkSync('../packages/blog', join(app, 'public/blog'));
    for (const { runtime, last } of those) {
      servers.push(await serve(arena, await buildRuntime(runtime, last, app), { APP_ENV: 'test' }));
    }
  });
  afterAll(async () => {
    rmSync(app, { recursive: true });
    await stop(...servers);
  });

  it('serves files, and the front controller for the rest', async () => {
    const [first, ...others] = await Promise.all(
      servers.map(async (server) =>
        (await ask(server, paths)).map(({ status, headers, body }, index) => ({
          path: paths[index],
          status,
          // Of files, Caddy says that they are UTF-8, and nginx and Apache call JavaScript as it was called before RFC 9239.
          type: headers['content-type']?.toLowerCase().replace(/;.*/, '').replace('application/j', 'text/j'),
          body,
        })),
      ),
    );
    for (const other of others) expect(other).toEqual(first);
    expect(first?.every(({ status }) => status === 200)).toBe(true);
    expect(first?.[1]?.body).toBe('front: ["\\/index.php","","\\/a\\/b?x[]=1",{"x":["1"]},"test","test"]');
    expect(first?.[7]?.body).toBe('other: /other.php/a/b');
  });

  it('refuses alike', async () => {
    for (const server of servers) {
      const answers = await ask(server, [...hidden, '/missing.php']);
      expect(answers.map(({ status }) => status)).toEqual([...hidden.map(() => 403), 404]);
    }
  });

  it('redirects to a folder at the address that the client used', async () => {
    for (const server of servers) {
      const request = { path: '/with-html', headers: ['Host: app.test'] };
      const { status, headers } = await askOnce(server, request);
      const { href } = new URL(headers.location ?? '', 'http://app.test');
      expect({ status, href }).toEqual({ status: 301, href: 'http://app.test/with-html/' });
    }
  });

  it.each(those.map(({ runtime, manifest }, index) => ({ runtime, manifest, index })))(
    'has a .htaccess file that is obeyed where the manifest says so: $runtime',
    async ({ manifest, index }) => {
      const { headers } = await askOnce(servers[index] as Server, '/');
      expect(headers['x-htaccess']).toBe(manifest.htaccess ? 'yes' : undefined);
    },
  );

  it.each(those.map(({ runtime }, index) => ({ runtime, index })))(
    'is at the place that is stated: $runtime',
    async ({ index }) => {
      const container = servers[index]?.container ?? '';
      const image = await docker('inspect', '--format', '{{.Config.Image}}', container);
      await using(serve(arena, image, { DOCROOT: 'web root' }), async (server) => {
        expect((await askOnce(server, '/x')).body).toBe('other root');
      });
    },
  );
});

/** Values that `common_options` refuses on all runtimes. */
const COMMON_BAD: readonly [string, string, RegExp][] = [
  ['PORT', '80', /integer from 1024 to 64535/],
  ['DOCROOT', '../etc', /relative to the app/],
  ['DOCROOT', '/app', /relative to the app/],
  ['DOCROOT', 'nope', /exists in the app/],
  ['DOCROOT', 'a"; b', /letters/],
  ['WORKERS', '0', /integer from 1 to 4096/],
  ['WORKERS', 'many', /integer from 1 to 4096/],
  ['WORKERS', '', /integer from 1 to 4096/],
  ['WORKERS', '99999999999999999999', /integer from 1 to 4096/],
  ['MAX_REQUESTS', '-1', /integer from 0/],
  ['KEEP_ALIVE', '5', /duration such as/],
  ['KEEP_ALIVE', '1d', /duration such as/],
  ['KEEP_ALIVE', '61m', /at most 60m/],
  ['GZIP', 'yes', /one of true, false/],
  ['ACCESS_LOG', '1', /one of true, false/],
  ['MEMORY_LIMIT', '128MB', /size such as/],
  ['MEMORY_LIMIT', '-1', /size such as/],
  ['JIT', 'on', /one of off, function, tracing/],
];

describe.each(rows)('$runtime', (row) => {
  const { runtime, manifest, logLine } = row;
  const { options } = manifest;
  /** A test of an option, where it has that. */
  const test = (option: string, body: () => Promise<void>) => {
    if (Object.hasOwn(options, option)) it(`has ${option}`, body);
  };

  it('has the same defaults and bounds in its manifest and its entry point', () => {
    const script = ['serve', '../_shared/fpm.sh', '../_shared/options.sh']
      .map((file) => readFileSync(join(folderOf(runtime), file), 'utf8'))
      .join('\n');
    const dockerfile = readFileSync(join(folderOf(runtime), 'Dockerfile'), 'utf8');
    for (const { env, type, at, default: value, min, max, values = [] } of Object.values(options)) {
      if (at === 'build') {
        expect(dockerfile).toContain(`\nARG ${env}=${value}\n`);
        continue;
      }
      const line = new RegExp(`^ *(?:integer|boolean|one_of|duration|size) ${env} (.*)$`, 'm').exec(
        script,
      )?.[1];
      const [found, ...rest] = line?.split(' ') ?? [];
      expect(found, env).toBe(String(value));
      if (type === 'integer') expect(rest, env).toEqual([String(min), String(max)]);
      if (type === 'enum') expect([...rest].sort(), env).toEqual([...values].sort());
    }
  });

  test('workers', async () => {
    await using(start(runtime, { WORKERS: '3' }), async (server) => {
      await expect.poll(() => countWorkers(server, row)).toBe(3);
    });
    await using(start(runtime), async (server) => {
      await expect.poll(() => countWorkers(server, row)).toBe(16);
    });
  });

  test('max-requests', async () => {
    const pids = async (env: Record<string, string>) =>
      using(start(runtime, { WORKERS: '1', ...env }), async (server) => {
        if (!row.threads) {
          const answers = await ask(server, Array(6).fill('/'), { fresh: true });
          return new Set(answers.map(({ body }) => JSON.parse(body).pid)).size;
        }
        let [found, ended] = [await threads(server), 0];
        for (let requests = 0; requests < 6; requests++) {
          await askOnce(server, '/');
          const before = [...found].filter(([, name]) => row.worker.test(name));
          found = await threads(server);
          ended += before.filter(([number]) => !found.has(number)).length;
        }
        return ended + 1;
      });
    expect(await pids({ MAX_REQUESTS: '2' })).toBeGreaterThanOrEqual(3);
    expect(await pids({ MAX_REQUESTS: '0' })).toBe(1);
  });

  test('gzip', async () => {
    const request = { path: '/json', headers: ['Accept-Encoding: gzip'] };
    const small = { ...request, path: '/json?n=1' };
    const packed = await using(start(runtime, { GZIP: 'true' }), (server) =>
      ask(server, [request, '/json', small, { ...request, path: '/loop' }, { ...request, path: '/phpinfo' }]),
    );
    // With a charset.
    for (const answer of packed.slice(3)) expect(answer.headers['content-encoding']).toBe('gzip');
    expect(packed[2]?.headers['content-encoding'], packed[2]?.body).toBe('gzip');
    expect(packed[0]?.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed[0]?.bytes ?? '').toString()).toBe(packed[1]?.body);
    expect(packed[1]?.headers).not.toHaveProperty('content-encoding');
    const unpacked = await using(start(runtime), (server) => askOnce(server, request));
    expect(unpacked.headers).not.toHaveProperty('content-encoding');
  });

  test('access-log', async () => {
    await using(start(runtime, { ACCESS_LOG: 'true' }), async (server) => {
      await askOnce(server, '/json?n=1');
      // It is written once the answer is out.
      await expect.poll(() => logs(server)).toMatch(logLine);
    });
    await using(start(runtime), async (server) => {
      // The large one without waiting for the server's consent.
      const headers = ['Expect:', 'Content-Type: text/plain'];
      const large = { path: '/json?n=2', body: 'a'.repeat(50_000), headers };
      expect((await ask(server, ['/json?n=1', large])).map(({ status }) => status)).toEqual([200, 200]);
      // A line may be written after the answer, but not after the end.
      await docker('stop', server.container);
      // Requests from before it was ready may be among its errors.
      expect(await logs(server)).not.toContain('/json');
    });
  });

  test('memory-limit', async () => {
    // The option wins over what the app says of itself.
    const BENCH_INI = 'date.timezone = Asia/Tokyo\nmemory_limit = 32M';
    await using(start(runtime, { MEMORY_LIMIT: '64M', BENCH_INI, BENCH_FACTS: '1' }), async (server) => {
      const { ini } = await readFacts(server);
      expect(ini).toMatchObject({ memory_limit: '64M', 'date.timezone': 'Asia/Tokyo' });
      expect((await ask(server, ['/mem?mb=40', '/mem?mb=100'])).map(({ status }) => status)).toEqual([
        200,
        row.outOfMemory ?? 500,
      ]);
      await expect.poll(() => logs(server)).toContain('Allowed memory size');
    });
  });

  test('static', async () => {
    const app = mkdtempSync(join(tmpdir(), 'bench-app-'));
    mkdirSync(join(app, 'public'));
    writeFileSync(join(app, 'public/index.php'), '<?php echo "the app";');
    writeFileSync(join(app, 'public/hello.txt'), 'the file');
    writeFileSync(join(app, 'handler.php'), '<?php return fn () => ["body" => "the app"];');
    const image = await buildRuntime(runtime, row.last, app);
    rmSync(app, { recursive: true });
    for (const [STATIC, expected] of [
      ['true', 'the file'],
      ['false', 'the app'],
    ] as const) {
      await using(serve(arena, image, { STATIC }), async (server) => {
        const answers = await ask(server, ['/hello.txt', '/other.txt']);
        expect(answers.map(({ body }) => body)).toEqual([expected, 'the app']);
      });
    }
  });

  test('jit', async () => {
    for (const kind of ['function', 'tracing']) {
      await using(start(runtime, { JIT: kind, BENCH_FACTS: '1' }), async (server) => {
        expect((await readFacts(server)).opcache.jit).toMatchObject({ on: true, kind });
      });
    }
  });

  it('serves facts only when asked to', async () => {
    await using(start(runtime), async (server) => {
      const { status, headers } = await askOnce(server, factsPath);
      // It is a dotfile, or a path that the app does not have.
      if (row.files) expect(status).toBe(403);
      else expect([status, headers['content-type']]).toEqual([404, 'application/json']);
    });
  });

  const bad = [...(row === rows[0] ? COMMON_BAD : COMMON_BAD.slice(0, 1)), ...(row.bad ?? [])];
  it.each(bad)('refuses %s=%j', async (name, value, message) => {
    const { code, stdout, stderr } = await runToEnd('--env', `${name}=${value}`, imageOf(runtime));
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 64, stdout: '', lines: 2 });
    expect(stderr).toMatch(message);
    expect(stderr.startsWith(`${runtime}: ${name}='${value}': expected `)).toBe(true);
  });

  it('takes zeros in front and other units', async () => {
    const env = { WORKERS: '010', KEEP_ALIVE: '1m', MEMORY_LIMIT: '1G', MAX_REQUESTS: '00' };
    await using(start(runtime, env), async (server) => {
      await expect.poll(() => countWorkers(server, row)).toBe(10);
    });
  });

  it('runs as another user than root, without a health check', async () => {
    const image = JSON.parse(await docker('image', 'inspect', imageOf(runtime)))[0].Config;
    // Undefined, or turned off where the base image has one.
    expect(image.Healthcheck ?? { Test: ['NONE'] }).toEqual({ Test: ['NONE'] });
    expect(image.StopSignal).toBe(manifest.stop.signal);
    expect(image.Labels).toHaveProperty(['org.opencontainers.image.title']);
    await using(start(runtime), async (server) => {
      const users = (await docker('top', server.container, '-o', 'pid,uid')).split('\n').slice(1);
      expect(new Set(users.map((line) => line.trim().split(/\s+/)[1]))).toEqual(new Set(['33']));
      // An app may make folders in its root: a cache, a log.
      expect(await docker('exec', server.container, 'stat', '--format', '%U', '/app')).toBe('www-data');
    });
  });

  it.each(Object.entries(row.pair ?? {}))('ends when %s does', async (program, command) => {
    await using(start(runtime), async (server) => {
      const table = (await docker('top', server.container, '-o', 'pid,args')).split('\n').slice(1);
      const found = table
        .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line))
        .find((line) => command.test(line?.[2] ?? ''));
      expect(found?.[1]).toMatch(/^\d+$/);
      process.kill(Number(found?.[1]), 'SIGKILL');
      expect(await docker('wait', server.container)).toBe('70');
      expect(await logs(server)).toContain(
        `${runtime}: ${program} has ended (exit code 137), so the container ends, too`,
      );
    });
  });

  it('shares a network namespace with others of its kind', async () => {
    const listens = options.listen ? ['unix', 'unix', 'tcp', 'tcp'] : ['', ''];
    const servers: Server[] = [];
    try {
      for (const [index, LISTEN] of listens.entries()) {
        // A mark of its own: the host name of the container would be the arena's.
        const mark = { APP_ENV: `mark ${index}` };
        servers.push(await start(runtime, LISTEN ? { LISTEN, ...mark } : mark));
      }
      for (const [index, server] of servers.entries()) {
        expect(JSON.parse((await askOnce(server, '/')).body)).toMatchObject({ env: `mark ${index}` });
        expect((await askOnce(server, '/loop')).status).toBe(200);
      }
    } finally {
      await stop(...servers);
    }
  });
});

// Each takes seconds of waiting: all wait at once.
describe.concurrent('with time', () => {
  const kept = rows.filter(({ manifest }) => Object.hasOwn(manifest.options, 'keep-alive'));
  it.for(kept)('$runtime has keep-alive', async ({ runtime }, { expect }) => {
    const connects = async (env: Record<string, string>, waitMs: number) =>
      using(start(runtime, env), async (server) => {
        const answers = await ask(server, ['/loop', '/json', { path: '/json', waitMs }]);
        return { opened: answers.map((answer) => answer.connects), header: answers[0]?.headers.connection };
      });
    expect((await connects({}, 0)).opened).toEqual([1, 0, 0]);
    expect((await connects({ KEEP_ALIVE: '3000ms' }, 6000)).opened).toEqual([1, 0, 1]);
    expect(await connects({ KEEP_ALIVE: '0s' }, 0)).toEqual({ opened: [1, 1, 1], header: 'close' });
  });

  const finishing = rows.filter(({ manifest }) => manifest.stop['in-flight'] === 'finishes');
  it.for(finishing)(
    '$runtime finishes what is in flight when it is stopped',
    async ({ runtime, manifest }, { expect }) => {
      await using(start(runtime), async (observer) => {
        await using(start(runtime), async (server) => {
          // It is in flight until a busy engine has passed the signal on, and done before the 10 s that a stop takes at most.
          const answer = ask(server, ['/io?ms=6000'], { from: observer.container });
          await expect.poll(() => connectionsTo(server, observer)).toBeGreaterThan(0);
          await docker('kill', '--signal', manifest.stop.signal, server.container);
          expect((await answer)[0]).toMatchObject({ status: 200, body: '{"type":"io","ms":6000}' });
          expect(await docker('wait', server.container)).toBe('0');
        });
      });
    },
  );
});

describe('nginx-fpm', () => {
  const row = rows.find(({ runtime }) => runtime === 'nginx-fpm') as Row;

  it.each([
    ['tcp', true],
    ['unix', false],
  ])('has listen=%s', async (LISTEN, expected) => {
    await using(start('nginx-fpm', { LISTEN }), async (server) => {
      expect(await listensOn(server, server.port)).toBe(true);
      expect(await listensOn(server, server.port + 1000)).toBe(expected);
    });
  });

  it.each([
    ['static', 8, 8],
    ['dynamic', 2, 5],
    ['ondemand', 0, 5],
  ])('has pm=%s', async (PM, atFirst, least) => {
    await using(launch(arena, imageOf('nginx-fpm'), { PM, WORKERS: '8' }), async (server) => {
      // Nobody has asked yet. A request in flight when it looks, once a second, may start one more.
      await expect.poll(() => countWorkers(server, row), { timeout: 30_000 }).toBe(atFirst);
      await waitUntilReady(server);
      const count = await countAtWork(server, row);
      expect(count).toBeGreaterThanOrEqual(least);
      expect(count).toBeLessThanOrEqual(8);
    });
  });

  it('has min-spare and max-spare', async () => {
    const env = { PM: 'dynamic', WORKERS: '20', MIN_SPARE: '3', MAX_SPARE: '4' };
    await using(launch(arena, imageOf('nginx-fpm'), env), async (server) => {
      await expect.poll(() => countWorkers(server, row), { timeout: 30_000 }).toBe(3);
      await waitUntilReady(server);
      expect(await askAtOnce(server, '/io?ms=500', 10)).toBe(10);
      // It looks once a second, and ends one process at a time.
      await expect.poll(() => countWorkers(server, row), { timeout: 30_000 }).toBeLessThanOrEqual(5);
    });
    for (const [name, value] of [
      ['MIN_SPARE', '5'],
      ['MAX_SPARE', '21'],
    ] as const) {
      const bad = launch(arena, imageOf('nginx-fpm'), { ...env, [name]: value });
      await using(bad, async (server) => {
        expect(await docker('wait', server.container)).toBe('64');
        expect(await logs(server)).toContain(`nginx-fpm: ${name}='${value}': expected at most `);
      });
    }
  });

  it('has an nginx worker for each CPU that it may use', async () => {
    await using(start('nginx-fpm', {}, ['--cpuset-cpus', '0']), async (server) => {
      expect((await processes(server)).filter((line) => line.startsWith('nginx: worker'))).toHaveLength(1);
    });
  });

  it('opens as many descriptors as its connections need, where the engine starts with 1,024', async () => {
    const flags = ['--ulimit', 'nofile=1024:16384'];
    const limits = 'grep -h "open files" $(grep -l "^nginx$" /proc/[0-9]*/comm | sed s/comm$/limits/)';
    await using(start('nginx-fpm', {}, flags), async ({ container }) => {
      const lines = (await docker('exec', container, 'sh', '-c', limits)).split('\n');
      expect(new Set(lines.map((line) => line.split(/\s+/)[3]))).toEqual(new Set(['1024', '16384']));
    });
  });

  it('does not start where its port is taken', async () => {
    await using(start('nginx-fpm'), async (holder) => {
      const env = { PORT: String(holder.port) };
      await using(launch(arena, imageOf('nginx-fpm'), env), async (server) => {
        expect(await docker('wait', server.container)).toBe('70');
        expect(await logs(server)).toContain('Address already in use');
      });
    });
  });
});

describe('apache-fpm', () => {
  it('answers more clients than it has threads while all keep their connections', async () => {
    const script = `
      [, $port, $count] = $argv;
      $sockets = [];
      for ($answered = 0; $answered < $count; $answered++) {
        $sockets[] = $socket = stream_socket_client("tcp://127.0.0.1:$port");
        stream_set_timeout($socket, 10);
        fwrite($socket, "GET /json?n=1 HTTP/1.1\\r\\nHost: test\\r\\n\\r\\n");
        if (!str_starts_with((string) fgets($socket), 'HTTP/1.1 200 ')) break;
      }
      echo $answered;
    `;
    const flags = ['--cpuset-cpus', '0', '--ulimit', 'nofile=1024:16384'];
    await using(start('apache-fpm', { KEEP_ALIVE: '60s' }, flags), async ({ container, port }) => {
      const client = ['sh', '-c', 'ulimit -n 16384; exec php -r "$@"', 'sh', script, String(port), '1200'];
      expect(await docker('exec', container, ...client)).toBe('1200');
    });
  });
});

describeIf(rowOf('frankenphp'), 'frankenphp', () => {
  const row = rows.find(({ runtime }) => runtime === 'frankenphp') as Row;

  it('has mode=worker, with a thread for other scripts', async () => {
    await using(start('frankenphp', { MODE: 'worker', WORKERS: '3', STATIC: 'false' }), async (server) => {
      await expect.poll(() => countWorkers(server, row)).toBe(4);
      expect(await askAtOnce(server, '/io?ms=500', 3)).toBe(3);
    });
  });

  it('collects cycles after each request in mode=worker', async () => {
    const app = mkdtempSync(join(tmpdir(), 'bench-app-'));
    mkdirSync(join(app, 'public'));
    const leaky = '$a = new stdClass; $a->a = $a; return ["body" => (string) gc_status()["runs"]];';
    writeFileSync(join(app, 'handler.php'), `<?php return function () { ${leaky} };`);
    const image = await buildRuntime('frankenphp', row.last, app);
    rmSync(app, { recursive: true });
    await using(serve(arena, image, { MODE: 'worker', WORKERS: '1', STATIC: 'false' }), async (server) => {
      const [first, second] = (await ask(server, ['/', '/'])).map(({ body }) => Number(body));
      expect(second).toBeGreaterThan(first ?? 0);
    });
  });

  it('has max-threads', async () => {
    const count = (env: Record<string, string>) =>
      using(start('frankenphp', { WORKERS: '1', ...env }), async (server) => {
        expect(await askAtOnce(server, '/io?ms=500', 6)).toBe(6);
        return countWorkers(server, row);
      });
    expect(await count({})).toBe(1);
    const found = await count({ MAX_THREADS: '4' });
    expect(found).toBeGreaterThan(1);
    expect(found).toBeLessThanOrEqual(4);
  });

  it('replaces its workers', async () => {
    const env = { MODE: 'worker', WORKERS: '1', MAX_REQUESTS: '2' };
    await using(start('frankenphp', env), async (server) => {
      const before = await threads(server);
      const answers = await ask(server, Array(6).fill('/json?n=1'));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      const after = await threads(server);
      expect([...before].filter(([number]) => !after.has(number))).not.toEqual([]);
    });
  });
});

describe('nginx-apache', () => {
  /** Connections to Apache that are open while nobody asks. */
  const idle = async (server: Server) =>
    (await sockets(server)).filter(({ port, state }) => port === server.port + 1000 && state === '01').length;

  it.each([
    [{}, 1],
    [{ UPSTREAM_KEEP_ALIVE: 'false' }, 0],
    // There would be none for others.
    [{ WORKERS: '1' }, 0],
  ])('keeps connections to Apache: %j', async (env, expected) => {
    await using(start('nginx-apache', env), async (server) => {
      expect((await ask(server, ['/json', '/json', '/json'])).map(({ status }) => status)).toEqual([
        200, 200, 200,
      ]);
      await expect.poll(() => idle(server)).toBeGreaterThanOrEqual(expected);
      await expect.poll(() => idle(server)).toBeLessThanOrEqual(expected * 2);
    });
  });

  it('keeps some children for new connections', async () => {
    await using(start('nginx-apache', { WORKERS: '4' }), async (server) => {
      expect(await askAtOnce(server, '/io?ms=300', 12)).toBe(12);
      await expect.poll(() => idle(server)).toBeLessThanOrEqual(2);
    });
  });

  it('passes the address of the client to Apache', async () => {
    await using(start('nginx-apache'), async (server) => {
      const { body } = await askOnce(server, { path: '/', headers: ['X-Forwarded-For: 10.1.2.3'] });
      expect(JSON.parse(body).headers).not.toHaveProperty('x-forwarded-for');
    });
  });
});

describeIf(rowOf('swoole'), 'swoole', () => {
  const row = rowOf('swoole');

  it.each(['process', 'base'])('has mode=%s', async (MODE) => {
    await using(start('swoole', { MODE, WORKERS: '2' }), async (server) => {
      await expect.poll(() => countWorkers(server, row)).toBe(2);
      const masters = (await processes(server)).filter((line) => line.startsWith('swoole: master'));
      expect(masters).toHaveLength(MODE === 'process' ? 1 : 0);
    });
  });

  it('gives a request to the worker that is idle', async () => {
    await using(start('swoole', { WORKERS: '2' }), async (server) => {
      expect(await askInOrder(server, ['/io?ms=6000', '/json', '/json', '/json'])).toEqual([1, 2, 3, 0]);
    });
  });

  it.each([
    ['true', [1, 0]],
    ['false', [0, 1]],
  ])('has coroutines=%s', async (COROUTINES, expected) => {
    await using(start('swoole', { COROUTINES, WORKERS: '1' }), async (server) => {
      expect(await askInOrder(server, ['/io?ms=6000', '/json'])).toEqual(expected);
    });
  });

  it('has no coroutines for Symfony', async () => {
    const env = { COROUTINES: 'true', APP_KIND: 'symfony' };
    await using(launch(arena, imageOf('swoole'), env), async (server) => {
      expect(await docker('wait', server.container)).toBe('64');
      expect(await logs(server)).toContain("swoole: COROUTINES='true': expected false for Symfony");
    });
  });

  it.each([{ MODE: 'base' }, { MODE: 'process', COROUTINES: 'true' }, { MODE: 'base', COROUTINES: 'true' }])(
    'finishes what is in flight when it is stopped: %j',
    async (env) => {
      await using(start('swoole'), async (observer) => {
        await using(start('swoole', env), async (server) => {
          const answer = ask(server, ['/io?ms=6000'], { from: observer.container });
          await expect.poll(() => connectionsTo(server, observer)).toBeGreaterThan(0);
          await docker('kill', '--signal', 'SIGTERM', server.container);
          expect((await answer)[0]?.body).toBe('{"type":"io","ms":6000}');
          expect(await docker('wait', server.container)).toBe('0');
        });
      });
    },
  );

  it.each(['process', 'base'])('replaces a worker that had a fatal error: mode=%s', async (MODE) => {
    await using(start('swoole', { MODE, WORKERS: '1' }), async (server) => {
      const answers = await ask(server, ['/', '/mem?mb=1000', '/', '/mem?mb=1000', '/'], { fresh: true });
      expect(answers.map(({ status }) => status)).toEqual([200, 500, 200, 500, 200]);
      const pids = [0, 2, 4].map((index) => JSON.parse(answers[index]?.body ?? '').pid);
      expect(new Set(pids).size).toBe(3);
    });
  });
});

describeIf(rowOf('unit'), 'unit', () => {
  const row = rowOf('unit');

  it('has pm=dynamic, spare and idle-timeout', async () => {
    const env = { PM: 'dynamic', WORKERS: '8', SPARE: '2', IDLE_TIMEOUT: '1s' };
    await using(start('unit', env), async (server) => {
      await expect.poll(() => countWorkers(server, row)).toBe(2);
      const count = await countAtWork(server, row);
      expect(count).toBeGreaterThanOrEqual(5);
      expect(count).toBeLessThanOrEqual(8);
      await expect.poll(() => countWorkers(server, row)).toBe(2);
    });
    await using(launch(arena, imageOf('unit'), { ...env, SPARE: '9' }), async (server) => {
      expect(await docker('wait', server.container)).toBe('64');
      expect(await logs(server)).toContain("unit: SPARE='9': expected at most WORKERS (8)");
    });
  });

  it('does not start where its port is taken', async () => {
    await using(start('unit'), async (holder) => {
      await using(launch(arena, imageOf('unit'), { PORT: String(holder.port) }), async (server) => {
        expect(await docker('wait', server.container)).toBe('70');
        expect(await logs(server)).toMatch(/Address already in use[\s\S]*unit: cannot listen on port/);
      });
    });
  });

  it('ends when unitd does', async () => {
    await using(start('unit'), async (server) => {
      const line = (await docker('top', server.container, '-o', 'pid,args'))
        .split('\n')
        .find((candidate) => candidate.includes('unit: main'));
      process.kill(Number(line?.trim().split(' ')[0]), 'SIGKILL');
      expect(await docker('wait', server.container)).toBe('70');
      expect(await logs(server)).toContain('unit: unitd has ended, so the container ends, too');
    });
  });
});

/** Local port and state of each TCP socket in the arena. */
async function sockets(server: Server): Promise<{ port: number; state: string }[]> {
  // Servers in Go listen on both kinds of address by one socket.
  const table = await docker('exec', server.container, 'cat', '/proc/net/tcp', '/proc/net/tcp6');
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '']) => local.includes(':'))
    .map(([, local = '', , state = '']) => ({ port: Number.parseInt(local.split(':')[1] ?? '', 16), state }));
}

const listensOn = async (server: Server, port: number) =>
  (await sockets(server)).some((socket) => socket.port === port && socket.state === '0A');

const connectionsTo = async (server: Server, observer: Server) =>
  (await sockets(observer)).filter((socket) => socket.port === server.port && socket.state === '01').length;
