/** runtimes/_shared/worker.php, in the PHP of the command line, without a server around it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findComplaint } from '../../src/engine/complaint.ts';
import { DIFFERENCES, LEFT } from './differences.ts';
import { imageFor, root, runToEnd } from './docker.ts';
import { type Answer, drive, type Sent } from './worker-driver.ts';

/** Answers of the app in the folder, and the text on stderr. */
const ask = (app: string, requests: readonly Sent[], env: Record<string, string> = {}) =>
  drive(imageFor('php:8.4-cli'), requests, { env, flags: ['--volume', `${app}:/app:ro`] });

const leak = join(root, 'test/apps/leak');
const state = (answer: Answer | undefined) => JSON.parse(answer?.body ?? '');

/** Writes an app, uses it, removes it. */
async function withApp<T>(files: Record<string, string>, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-app-'));
  chmodSync(folder, 0o755);
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('an app that stays in memory', () => {
  it('finds of the request before it nothing', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { answers } = await ask(leak, [
      { uri: '/state?x=1' },
      {
        ...{ uri: '/leave?secret=1', method: 'POST', body: 'password=1' },
        headers: { ...form, Cookie: 'token=1', Authorization: 'Bearer 1' },
      },
      { uri: '/state?x=1' },
      { uri: '/throw' },
      { uri: '/state?x=1' },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 200, 500, 200]);
    expect(state(answers[2])).toEqual(state(answers[0]));
    expect(state(answers[4])).toEqual(state(answers[0]));
    expect(answers[2]?.headers).toEqual(answers[0]?.headers);
  });

  it('differs from php-fpm as docs/runtimes.md says', async () => {
    const cookie = { Cookie: 'PHPSESSID=known' };
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const basic = { Authorization: 'Basic YW5uOnNlY3JldA==', Host: 'localhost:8080' };
    const { answers } = await ask(join(root, 'test/apps/differs'), [
      { uri: '/throw' },
      { uri: '/warning' },
      { uri: '/server', headers: basic },
      { uri: '/body', method: 'POST', headers: form, body: 'word=x' },
      { uri: '/headers' },
      { uri: '/session' },
      { uri: '/session', headers: cookie },
      { uri: '/destroy', headers: cookie },
      { uri: '/leave' },
      { uri: '/state' },
    ]);
    const [thrown, warned, server, body, own, fresh, known, destroyed, , left] = answers;
    const sent = (answer: Answer | undefined, header: string, otherwise: string) =>
      answer?.headers[header] ? 'sent' : otherwise;
    const seen = {
      exception: String(thrown?.status),
      warning: String(warned?.status),
      cwd: `\`${state(server).cwd}\``,
      'server port': state(server).port,
      credentials: state(server).user === 'ann' ? 'set' : 'unset',
      input: state(body).input === 0 ? 'empty' : 'the body',
      headers: sent(own, 'Set-Cookie', 'dropped'),
      'session cookie': sent(fresh, 'Set-Cookie', 'not sent'),
      'session again': sent(known, 'Set-Cookie', 'not sent'),
      'session destroyed': sent(destroyed, 'Set-Cookie', 'not sent'),
      'session cache': sent(fresh, 'Cache-Control', 'dropped'),
      left: state(left).length === LEFT.length ? 'all' : state(left).join(', '),
    };
    const keys = Object.keys(seen) as (keyof typeof seen)[];
    expect(seen).toEqual(Object.fromEntries(keys.map((key) => [key, DIFFERENCES[key].cells.workerman])));
    expect(state(body).post).toBe(1);
  });

  it('reads a form of POST alone, as PHP does', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { answers } = await ask(leak, [{ method: 'PUT', headers, body: 'a=1' }]);
    expect(state(answers[0])).toMatchObject({ post: [], request: { post: [], body: 'a=1' } });
  });

  it('gets what PHP has in its superglobals', async () => {
    const { answers } = await ask(leak, [
      {
        ...{ uri: '/state?a[]=1&a[]=2&b=%26', method: 'POST', body: 'c=3&b=4&a[1]=5' },
        headers: {
          ...{ host: 'example.org:8080', 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' },
          ...{ 'X-Two': ['1', '2'], Proxy: 'evil', cookie: 'd=5; e%20=a%2Bb+c; d=6; f[g]=7; h=i&j=k' },
        },
      },
    ]);
    expect(state(answers[0])).toMatchObject({
      get: { a: ['1', '2'], b: '&' },
      post: { c: '3', b: '4', a: { 1: '5' } },
      cookie: { d: '5', 'e%20': 'a+b+c', f: { g: '7' }, h: 'i&j=k' },
      server: {
        ...{
          REQUEST_METHOD: 'POST',
          REQUEST_URI: '/state?a[]=1&a[]=2&b=%26',
          QUERY_STRING: 'a[]=1&a[]=2&b=%26',
        },
        ...{ HTTP_HOST: 'example.org:8080', SERVER_NAME: 'example.org', SERVER_PORT: '8080' },
        ...{ HTTP_X_TWO: '1, 2', CONTENT_TYPE: 'application/x-www-form-urlencoded; charset=UTF-8' },
        ...{ SCRIPT_NAME: '/index.php', DOCUMENT_ROOT: '/app/public', SERVER_PROTOCOL: 'HTTP/1.1' },
      },
      request: { headers: { host: 'example.org:8080', 'x-two': '1, 2' }, path: '/state' },
    });
    expect(JSON.stringify(state(answers[0])['request variables'])).toBe('{"a":["1","5"],"b":"4","c":"3"}');
    expect(state(answers[0]).server).not.toHaveProperty('HTTP_PROXY');
    expect(state(answers[0]).server).not.toHaveProperty('argv');
  });

  it('may print, in front of what it returns', async () => {
    const { answers } = await ask(leak, [{ uri: '/leave' }, { uri: '/' }]);
    expect(answers[0]?.body).toBe('printed, buffered, TURNED, returned\n');
    expect(answers[1]).toMatchObject({
      ...{ status: 200, body: '', sent: [200] },
      headers: { 'Set-Cookie': ['a=1', 'b=2; Path=/'], 'Content-Type': ['text/html; charset=UTF-8'] },
    });
  });

  it.each([
    ['all buffers', 'while (ob_get_level()) ob_end_clean();', ', returned'],
    ['all buffers by a flush', 'while (ob_get_level()) ob_end_flush();', 'printed, returned'],
    ['none, but flushes', 'ob_flush(); flush(); echo "flushed";', 'printedflushed, returned'],
  ])('may close %s', async (_, code, body) => {
    const handler = `<?php return function ($request) {
      echo 'printed';
      if ($request['path'] === '/close') { ${code} }
      return ['body' => ', returned'];
    };`;
    await withApp({ 'handler.php': handler }, async (folder) => {
      const { answers, stderr } = await ask(folder, [{ uri: '/' }, { uri: '/close' }, { uri: '/' }]);
      expect(answers.map((answer) => answer.body)).toEqual(['printed, returned', body, 'printed, returned']);
      expect(answers[2]?.level).toBe(answers[0]?.level);
      expect(stderr).not.toContain('printed');
    });
  });

  it('ends its process if it prints without a buffer', async () => {
    const handler =
      '<?php return function () { while (ob_get_level()) ob_end_clean(); echo "lost"; return ["body" => ""]; };';
    await withApp({ 'handler.php': handler }, async (folder) => {
      const { code, stderr } = await ask(folder, [{}]);
      expect(code).toBe(255);
      expect(stderr).toContain('The app has printed after it closed all output buffers');
      expect(stderr).not.toContain('exit()');
    });
  });

  it('ends its process if it calls exit, and the log shows in which request', async () => {
    const { code, stderr } = await ask(leak, [{ uri: '/' }, { uri: '/exit?secret=1' }]);
    expect(code).toBe(1);
    expect(findComplaint(stderr)).toBe(
      'The app has called exit() in GET /exit, which ends a process that keeps the app in memory',
    );
  });

  it('prints more than a buffer holds, in order', async () => {
    const handler = `<?php return function () {
      foreach (range(1, 20_000) as $number) echo "$number ";
      return ['body' => 'end'];
    };`;
    await withApp({ 'handler.php': handler }, async (folder) => {
      const { answers } = await ask(folder, [{}, {}]);
      const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1} `);
      expect(answers.map(({ body }) => body === `${numbers.join('')}end`)).toEqual([true, true]);
    });
  });

  it('gets uploaded files in the shape of PHP', async () => {
    const rest = { type: 'text/plain', tmp_name: '', error: 4, size: 0 };
    const files = {
      one: { name: 'photos/../a', ...rest },
      many: [
        { name: 'C:\\b', ...rest },
        { name: 'c', ...rest },
      ],
      deep: { x: { y: { name: 'd', full_path: 'e/d', ...rest } }, z: { name: 'e/', ...rest } },
    };
    const { answers } = await ask(leak, [{ method: 'POST', files }]);
    const file = (name: string, full_path = name) => ({ name, full_path, ...rest });
    expect(state(answers[0])).toMatchObject({
      files: {
        one: file('a', 'photos/../a'),
        many: {
          name: ['b', 'c'],
          full_path: ['C:\\b', 'c'],
          type: ['text/plain', 'text/plain'],
          error: [4, 4],
        },
        deep: { name: { x: { y: 'd' }, z: '' }, size: { x: { y: 0 }, z: 0 } },
      },
      request: {
        files: {
          one: file('a', 'photos/../a'),
          many: [file('b', 'C:\\b'), file('c')],
          deep: { x: { y: file('d', 'e/d') }, z: file('', 'e/') },
        },
      },
    });
    expect(Object.keys(state(answers[0]).files.one)).toEqual(Object.keys(file('a')));
  });

  it('has no files but those of POST, also where a server that speaks PSR-7 reads others', async () => {
    const script = `
      namespace Psr\\Http\\Message { interface ServerRequestInterface {} }
      namespace {
        require '/shared/worker.php';
        final class File {
          function __call($name, $arguments) {
            return ['getError' => 0, 'getStream' => 'first', 'getClientFilename' => 'a.txt', 'getSize' => 5][$name] ?? null;
          }
        }
        final class Message implements Psr\\Http\\Message\\ServerRequestInterface {
          function __construct(private string $method) {}
          function __call($name, $arguments) {
            return ['getMethod' => $this->method, 'getRequestTarget' => '/', 'getUploadedFiles' => ['one' => new File()]][$name] ?? [];
          }
          function getBody() { return ''; }
        }
        foreach (['PUT', 'POST'] as $method) {
          $files = PhpRuntimeBench\\request_of_psr7(new Message($method))['files'];
          $found[$method] = [array_column($files, 'name'), count(glob(sys_get_temp_dir() . '/php*'))];
        }
        echo json_encode($found);
      }`;
    const { stdout } = await runToEnd(
      ...['--entrypoint', 'php', '--volume', `${join(root, 'runtimes/_shared')}:/shared:ro`],
      ...[imageFor('php:8.4-cli'), '-r', script],
    );
    // The names, and how many temporary files there are.
    expect(JSON.parse(stdout)).toEqual({ PUT: [[], 0], POST: [['a.txt'], 1] });
  });

  it.each([
    ['Basic YW5uOmE6Yg==', { PHP_AUTH_USER: 'ann', PHP_AUTH_PW: 'a:b' }],
    ['Basic nothing', {}],
    ['digest username="ann", qop=auth', { PHP_AUTH_DIGEST: 'username="ann", qop=auth' }],
    ['Bearer x', {}],
  ])('gets the credentials of %s', async (Authorization, expected) => {
    const { answers } = await ask(leak, [{ headers: { Authorization } }]);
    const found = Object.entries(state(answers[0]).server).filter(([name]) => name.startsWith('PHP_AUTH_'));
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('may name its sessions itself', async () => {
    const handler = `<?php return function () {
      session_name('shop');
      session_start();
      return ['body' => (string) ($_SESSION['visits'] = 1 + ($_SESSION['visits'] ?? 0))];
    };`;
    await withApp({ 'handler.php': handler }, async (folder) => {
      const headers = { Cookie: 'shop=known' };
      const { answers } = await ask(folder, [{ headers }, { headers }, {}, { headers }]);
      expect(answers.map(({ body }) => body)).toEqual(['1', '2', '1', '3']);
      expect(answers.map((answer) => answer.headers['Set-Cookie']?.length ?? 0)).toEqual([0, 0, 1, 0]);
    });
  });

  it('has a session for each client', async () => {
    const [first] = (await ask(leak, [{ uri: '/session' }])).answers;
    const cookie = first?.headers['Set-Cookie']?.[0] ?? '';
    expect(cookie).toMatch(/^PHPSESSID=[\w,-]{20,}; path=\/$/);
    const { answers } = await ask(leak, [
      { uri: '/session', headers: { Cookie: 'PHPSESSID=known' } },
      { uri: '/session' },
      { uri: '/session', headers: { Cookie: 'PHPSESSID=known' } },
      { uri: '/session', headers: { Cookie: 'PHPSESSID=../etc' } },
    ]);
    expect(answers.map(({ body }) => body)).toEqual(['1', '1', '2', '1']);
    expect(answers.map(({ headers }) => headers['Set-Cookie']?.length ?? 0)).toEqual([0, 1, 0, 1]);
    expect(answers[3]?.headers['Set-Cookie']).not.toEqual(answers[1]?.headers['Set-Cookie']);
  });

  it('may have a partitioned session cookie', async () => {
    // The parameter is PHP 8.5's, and this PHP may be older.
    const handler = `<?php namespace PhpRuntimeBench;
    function session_get_cookie_params(): array { return ['partitioned' => true] + \\session_get_cookie_params(); }
    return function () { session_start(); return ['body' => '']; };`;
    await withApp({ 'handler.php': handler }, async (folder) => {
      const { answers } = await ask(folder, [{}]);
      expect(answers[0]?.headers['Set-Cookie']?.[0]).toMatch(/; Partitioned$/);
    });
  });

  it('answers 500 where it throws, and the log says why', async () => {
    const { answers, stderr } = await ask(leak, [{ uri: '/throw' }, { uri: '/' }]);
    expect(answers[0]).toMatchObject({ status: 500, body: '', sent: [500] });
    expect(answers[1]?.status).toBe(200);
    expect(stderr).toContain('Uncaught LogicException: thrown on purpose');
  });

  it('serves facts only when asked to', async () => {
    const uri = '/.php-runtime-bench/facts';
    const [facts] = (await ask(leak, [{ uri }], { BENCH_FACTS: '1', BENCH_SERVER: 'x/1' })).answers;
    expect(facts?.headers['Content-Type']).toEqual(['application/json']);
    expect(JSON.parse(facts?.body ?? '')).toMatchObject({ sapi: 'cli', server: 'x/1' });
    expect((await ask(leak, [{ uri }])).answers[0]?.body).toBe('');
  });

  it('is handed the path of a proxy’s request, decoded', async () => {
    const { answers } = await ask(leak, [
      { uri: 'http://example.org?x=1' },
      { uri: 'http://example.org/%73tate' },
    ]);
    expect(answers[0]?.status).toBe(200);
    expect(state(answers[1]).request).toMatchObject({ path: '/state', uri: '/%73tate' });
  });

  it('writes nothing to stdout when it loads', async () => {
    const files = { 'handler.php': '<?php echo "hello"; return fn () => ["body" => "x"];' };
    await withApp(files, async (folder) => {
      const { answers, stderr } = await ask(folder, [{}]);
      expect(answers[0]).toMatchObject({ status: 200, body: 'x' });
      expect(stderr).toContain('hello');
    });
  });

  it.each(['lib/packages/', '/app/lib/packages'])('has its packages in %s', async (vendor) => {
    const files = {
      'composer.json': JSON.stringify({ config: { 'vendor-dir': vendor } }),
      'lib/packages/autoload.php': '<?php function greet() { return "hello"; }',
      'handler.php': '<?php return fn () => ["body" => greet()];',
    };
    await withApp(files, async (folder) => {
      const { answers, stderr } = await ask(folder, [{}]);
      expect(answers[0], stderr).toMatchObject({ status: 200, body: 'hello' });
    });
  });

  it.each([
    ['has no handler.php', {}, /has no handler\.php/],
    [
      'returns no function',
      { 'handler.php': '<?php return 1;' },
      /handler\.php returns int: expected a callable/,
    ],
    [
      'is Laravel',
      { 'composer.json': '{"require":{"laravel/framework":"*"}}' },
      /No adapter for apps of the kind 'laravel'/,
    ],
  ])('is refused where it %s', async (_, files, message) => {
    await withApp(files as Record<string, string>, async (folder) => {
      const { code, stderr } = await ask(folder, [{}]);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(message);
    });
  });
});
