/**
 * Runtimes that keep the app in memory: the same answers as where each request starts anew, and nothing of one request in
 * the next. A row is all that another one needs here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  ask,
  askOnce,
  buildRuntime,
  docker,
  logs,
  type Request,
  removeAll,
  root,
  type Server,
  serve,
  startArena,
  stop,
  tryDocker,
} from './docker.ts';
import { LONG_LIVED, missingFor, type LongLivedRow as Row } from './longlived-rows.ts';

const rows = LONG_LIVED.filter((row) => missingFor(row) === null);
for (const row of LONG_LIVED) {
  const base = missingFor(row);
  if (base) it(row.runtime, ({ skip }) => skip(`base image ${base} is not available here`));
}

let arena: string;
let apache: Server;
const app = (name: string) => join(root, name);
const start = async ({ runtime, php, env }: Row, folder: string, more: Record<string, string> = {}) =>
  serve(arena, await buildRuntime(runtime, php, folder), { ...env, ...more });

beforeAll(async () => {
  arena = await startArena();
  if (rows.length > 0) apache = await serve(arena, await buildRuntime('apache', '8.4', app('apps/plain')));
});
afterAll(removeAll);

it('has a row for each runtime that keeps an app in memory by worker.php', () => {
  const names = readdirSync(join(root, 'runtimes')).filter((name) => {
    const file = join(root, 'runtimes', name, 'Dockerfile');
    try {
      return !name.startsWith('_') && readFileSync(file, 'utf8').includes(' worker.php ');
    } catch {
      return false; // Another one with other defaults.
    }
  });
  expect(LONG_LIVED.map(({ runtime }) => runtime).sort()).toEqual(names.sort());
});

/** Sends bytes and returns those that come back until the connection ends. */
const exchange = ({ container, port }: Server, request: string) => {
  const script = `
    $socket = stream_socket_client('tcp://127.0.0.1:' . $argv[1]);
    fwrite($socket, $argv[2]);
    echo stream_get_contents($socket);
  `;
  return docker('exec', container, 'php', '-r', script, String(port), request);
};

/** The parts of answers that must be the same on all runtimes. */
const comparable = (answers: readonly Answer[]) =>
  answers.map(({ status, headers, body }) => ({
    status,
    type: status === 204 ? '' : headers['content-type']?.toLowerCase().replace(/; /, ';'),
    body,
  }));

describe.each(rows)('$runtime', (row) => {
  describe('with the plain app', () => {
    let server: Server;
    beforeAll(async () => {
      server = await start(row, app('apps/plain'));
    });
    afterAll(() => stop(server));

    it('answers as Apache does', async () => {
      const paths = [
        ...['/json', '/json?n=0', '/json?n=1000', '/loop', '/cpu?ms=2.5', '/io?ms=5', '/mem?mb=2'],
        ...['/status?code=503', '/status?code=204', '/nope', '/nope/', '/a%20b', '/index.php/nope'],
        ...[
          '/cpu?ms=x',
          '/cpu?ms=-1',
          '/cpu?ms[]=1',
          '/json?n=1.5',
          '/json?n=1&n=2',
          '/json?',
          '/json?n=%31',
        ],
      ];
      expect(comparable(await ask(server, paths))).toEqual(comparable(await ask(apache, paths)));
    });

    it('sends statuses that have no name', async () => {
      const answers = await ask(server, ['/status?code=419', '/status?code=451', '/status?code=599']);
      expect(answers.map(({ status }) => status)).toEqual([419, 451, 599]);
    });

    it('hands on the headers', async () => {
      const request = { path: '/', headers: ['X-Test: yes', 'Accept-Language: a', 'Accept-Language: b'] };
      const { headers } = JSON.parse((await askOnce(server, request)).body);
      expect(headers).toMatchObject({
        'x-test': 'yes',
        'accept-language': expect.stringMatching(/^a, ?b$/),
      });
    });

    it('answers HEAD without a body', async () => {
      const answer = await exchange(server, 'HEAD /loop HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1\.[01] 200 OK\r\n/);
      expect(answer).not.toContain('Hello');
    });
  });

  describe('with an app that leaves behind what it can', () => {
    let server: Server;
    beforeAll(async () => {
      server = await start(row, app('test/apps/leak'));
    });
    afterAll(() => stop(server));

    const fresh = (requests: readonly (string | Request)[]) => ask(server, requests, { fresh: true });

    it('takes nothing from one request to the next', async () => {
      const [before, left, after, failed, last] = await fresh([
        '/state?x=1',
        {
          ...{ path: '/leave?secret=1', body: 'password=1' },
          headers: ['Cookie: token=1', 'Authorization: Bearer 1', 'X-Secret: 1'],
        },
        '/state?x=1',
        { path: '/throw', headers: ['X-Secret: 1'] },
        '/state?x=1',
      ]);
      expect(left).toMatchObject({ status: 201, body: 'printed, buffered, TURNED, returned\n' });
      expect(failed?.status).toBe(500);
      const first = JSON.parse(before?.body ?? '');
      expect(first).toMatchObject({
        get: { x: '1' },
        post: [],
        cookie: [],
        files: [],
        session: [false, 1, ''],
      });
      // The same process, too.
      expect(JSON.parse(after?.body ?? '')).toEqual(first);
      expect(JSON.parse(last?.body ?? '')).toEqual(first);
      const own = ({ headers: { date, ...rest } }: Answer) => rest;
      expect(own(after as Answer)).toEqual(own(before as Answer));
      await expect.poll(() => logs(server)).toContain('thrown on purpose');
    });

    it('has a session for each client', async () => {
      const cookieOf = (answer: Answer | undefined) => answer?.headers['set-cookie']?.split(';')[0] ?? '';
      const [first, second] = await fresh(['/session', '/session']);
      expect([first?.body, second?.body]).toEqual(['1', '1']);
      expect(cookieOf(first)).toMatch(/^PHPSESSID=[\w,-]{20,}$/);
      expect(cookieOf(second)).not.toBe(cookieOf(first));
      const [again, other] = await fresh([
        { path: '/session', headers: [`Cookie: ${cookieOf(first)}`] },
        '/session',
      ]);
      expect([again?.body, other?.body]).toEqual(['2', '1']);
    });

    it('reads what is uploaded', async () => {
      const part = (disposition: string, content: string) =>
        `--x\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`;
      const body =
        `${part('name="one"; filename="photos/../a.txt"', 'first')}${part('name="many[]"; filename="b.txt"', 'second')}--x
Content-Disposition: form-data; name="word"\r\n\r\nhello\r\n--x--\r\n`.replace('--x\n', '--x\r\n');
      const headers = ['Content-Type: multipart/form-data; boundary=x'];
      const answer = await askOnce(server, { path: '/upload', body, headers });
      expect(answer.body).toContain('a.txt (text/plain, 5): first');
      expect(answer.body).toContain('b.txt');
      expect(answer.body).toContain('{"word":"hello"}');
      const { files } = JSON.parse((await askOnce(server, { path: '/state', body, headers })).body);
      expect([files.one.name, files.many.name]).toEqual(['a.txt', ['b.txt']]);
      // RoadRunner keeps no folders.
      expect(files.one.full_path).toBe(row.runtime === 'roadrunner' ? 'a.txt' : 'photos/../a.txt');
      expect(files.many.full_path).toEqual(['b.txt']);
    });

    it('takes a body of 1 MB', async () => {
      const body = `word=${'x'.repeat(1 << 20)}`;
      const headers = ['Content-Type: application/x-www-form-urlencoded', 'Expect:'];
      const answer = await tryDocker(
        ...['exec', server.container, 'php', '-r'],
        `$curl = curl_init('http://127.0.0.1:${server.port}/upload');
        curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 20,
          CURLOPT_HTTPHEADER => ${JSON.stringify(headers)}, CURLOPT_POSTFIELDS => 'word=' . str_repeat('x', ${body.length - 5})]);
        echo strlen(curl_exec($curl));`,
      );
      expect(answer.stdout).toBe(String('{"word":""}'.length + (1 << 20)));
    });

    it('sends the length of what it sends, not that of the app', async () => {
      const zipped = await start(row, app('test/apps/leak'), { GZIP: 'true' });
      try {
        const [text, packed] = await ask(zipped, [
          '/length',
          { path: '/length', headers: ['Accept-Encoding: gzip'] },
        ]);
        expect(text?.body).toBe('x'.repeat(1000));
        const { bytes = Buffer.from(''), headers } = packed ?? {};
        const unpacked = headers?.['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
        expect(unpacked.toString()).toBe('x'.repeat(1000));
        const request = ['HEAD /length HTTP/1.1', 'Host: test', 'Connection: close', '', ''].join('\r\n');
        const lengths = (await exchange(zipped, request)).match(/^content-length:.*/gim) ?? [];
        expect(lengths.length).toBeLessThanOrEqual(1);
      } finally {
        await stop(zipped);
      }
    });

    it('lives on when the app ends its process', async () => {
      await fresh(['/exit']);
      await expect.poll(async () => (await fresh(['/state']))[0]?.status, { interval: 200 }).toBe(200);
    });
  });

  it('serves a PSR-15 handler', async () => {
    const server = await start(row, app('test/apps/psr15'), { APP_KIND: 'psr15' });
    try {
      const [get, post] = await ask(server, [
        { path: '/a%20b?x[]=1&y=2', headers: ['X-Test: yes', 'Cookie: c=1; d=2'] },
        { path: '/', body: 'a=1&b[]=2' },
      ]);
      expect(get).toMatchObject({
        status: 202,
        headers: { 'content-type': 'application/json', 'x-two': 'one' },
      });
      expect(get?.headers['set-cookie']).toContain('b=2');
      expect(JSON.parse(get?.body ?? '')).toEqual({
        ...{ method: 'GET', target: '/a%20b?x%5B%5D=1&y=2', host: '127.0.0.1', query: { x: ['1'], y: '2' } },
        ...{
          cookies: { c: '1', d: '2' },
          header: 'yes',
          form: null,
          files: [],
          body: '',
          client: '127.0.0.1',
        },
      });
      expect(JSON.parse(post?.body ?? '')).toMatchObject({
        ...{ method: 'POST', query: [], cookies: [], form: { a: '1', b: ['2'] } },
        body: row.form ?? 'a=1&b[]=2',
      });
    } finally {
      await stop(server);
    }
  });

  it('says why an app cannot be loaded', async () => {
    const image = await buildRuntime(row.runtime, row.php, app('apps/plain'));
    const env = Object.entries({ ...row.env, APP_KIND: 'nope' }).flatMap(([name, value]) => [
      ...['--env', `${name}=${value}`],
    ]);
    const container = await docker('run', '--detach', '--network', 'none', ...env, image);
    try {
      const problem = async () => {
        const { stdout, stderr } = await tryDocker('logs', container);
        return stdout + stderr;
      };
      await expect.poll(problem, { interval: 200 }).toContain("No adapter for apps of the kind 'nope'");
      if (row.ends) expect(await docker('wait', container)).toBe('70');
    } finally {
      await docker('rm', '--force', container);
    }
  });
});
