/** A Symfony app on the runtimes that keep it in memory: the answers of Apache, and nothing of one request in the next. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from './app-images.ts';
import {
  type Answer,
  ask,
  findMissingBase,
  type Request,
  removeAll,
  root,
  type Server,
  serve,
  startArena,
  stop,
} from './docker.ts';

interface Row {
  runtime: string;
  env?: Record<string, string>;
  reboots?: boolean;
  /** Its own adapter for Symfony writes cookies without SameSite, and those that it deletes without a value. */
  adapts?: boolean;
}

/** With one worker, so that it is the same process that serves all requests. */
const ROWS: readonly Row[] = [
  { runtime: 'reactphp', reboots: true },
  { runtime: 'workerman', reboots: true },
  { runtime: 'php-pm', adapts: true },
  { runtime: 'swoole', reboots: true },
  { runtime: 'roadrunner', reboots: true },
  { runtime: 'frankenphp', env: { MODE: 'worker' }, reboots: true },
];
const rows = ROWS.filter(({ runtime }) => findMissingBase(runtime, '8.4') === null);
for (const { runtime } of ROWS) {
  const base = findMissingBase(runtime, '8.4');
  if (base) it(runtime, ({ skip }) => skip(`base image ${base} is not available here`));
}

let arena: string;
let apache: Server;
let images: Awaited<ReturnType<typeof buildApp>>;
/** An image that could not be built fails the tests of its runtime, and leaves those of the others. */
async function start(runtime: string, env: Record<string, string> = {}): Promise<Server> {
  const image = images.get(runtime);
  if (!image || 'failure' in image) throw new Error(image?.failure);
  return serve(arena, image.tag, {
    ...{ APP_KIND: 'symfony', APP_ENV: 'prod', APP_DEBUG: '0' },
    ...env,
  });
}

beforeAll(async () => {
  if (rows.length === 0) return;
  const runtimes = ['apache', ...rows.map(({ runtime }) => runtime)];
  images = await buildApp(join(root, 'test/apps/symfony-leak'), runtimes);
  arena = await startArena();
  apache = await start('apache');
});
afterAll(removeAll);

const upload = (name: string, content: string): Request => ({
  path: '/upload',
  headers: ['Content-Type: multipart/form-data; boundary=x'],
  body: [
    ...['--x', `Content-Disposition: form-data; name="one"; filename="${name}"`, '', content],
    ...['--x', 'Content-Disposition: form-data; name="word"', '', 'hello', '--x--', ''],
  ].join('\r\n'),
});

/** The parts of answers that must be the same on all runtimes. */
const comparable = (answers: readonly Answer[]) =>
  answers.map(({ status, headers, body }) => ({
    status,
    type: headers['content-type']?.toLowerCase(),
    body: body.replaceAll(/:\d{5}/g, ':port'),
  }));

describe.each(rows)('$runtime', ({ runtime, env = {}, reboots = false, adapts = false }) => {
  let server: Server;
  beforeAll(async () => {
    server = await start(runtime, { WORKERS: '1', ...env });
  });
  afterAll(() => stop(server));

  const fresh = (requests: readonly (string | Request)[]) => ask(server, requests, { fresh: true });

  it('answers as Apache does', async () => {
    const requests = [
      ...['/', '/?x=1&y[]=2', '/a%20b', '/nope', '/stream', '/index.php/stream', '/throw', '/upload'],
      ...[upload('a.txt', 'first'), upload('', '')],
      { path: '/', body: '{"a":1}', headers: ['Content-Type: application/json'] },
    ];
    const expected = comparable(await ask(apache, requests));
    expect(expected.map(({ status }) => status)).toEqual([
      ...[200, 200, 404, 404, 200, 200, 500, 405, 200, 200, 200],
    ]);
    expect(expected[8]?.body).toBe('a.txt: first{"word":"hello"}');
    expect(expected[9]?.body).toBe('no file');
    expect(comparable(await ask(server, requests))).toEqual(expected);
  });

  it('takes nothing from one request to the next', async () => {
    const [before, left, after, , last] = await fresh([
      '/state?x=1',
      {
        ...{ path: '/leave?secret=1', body: 'password=1' },
        headers: ['Cookie: token=1; PHPSESSID=known', 'Authorization: Bearer 1', 'X-Secret: 1'],
      },
      '/state?x=1',
      { path: '/throw', headers: ['X-Secret: 1', 'Cookie: PHPSESSID=known'] },
      '/state?x=1',
    ]);
    expect(left).toMatchObject({ status: 200, body: 'left' });
    expect(left?.headers['set-cookie']).toMatch(/^(secret|other|PHPSESSID)=/);
    const first = JSON.parse(before?.body ?? '');
    expect(first).toMatchObject({
      ...{ notes: [], locale: 'en', query: { x: '1' }, form: [], cookies: [], main: [true, true] },
      session: [false, 1, expect.anything()],
    });
    // The same process, too.
    expect(JSON.parse(after?.body ?? '')).toEqual(first);
    expect(JSON.parse(last?.body ?? '')).toEqual(first);
  });

  const cookieOf = (answer: Answer | undefined) => answer?.headers['set-cookie']?.split(';')[0] ?? '';

  it('sends the cookies that Apache does', async () => {
    const cookiesOf = async (from: Server) => {
      const [first] = await ask(from, ['/session'], { fresh: true });
      const headers = [`Cookie: ${cookieOf(first)}`];
      const more = ['/nothing', { path: '/session', headers }, { path: '/logout', headers }];
      const answers = [first, ...(await ask(from, more, { fresh: true }))];
      return answers.map((answer) =>
        (answer?.headers['set-cookie'] ?? '')
          .replaceAll(/=[\w,-]{20,};/g, '=id;')
          .replaceAll(/expires=[^;]*;/gi, ''),
      );
    };
    const expected = await cookiesOf(apache);
    const namesOf = (all: readonly string[]) => all.map((lines) => lines.slice(0, 10));
    expect(namesOf(expected)).toEqual(['PHPSESSID=', '', '', 'PHPSESSID=']);
    const sent = await cookiesOf(server);
    if (adapts) expect(namesOf(sent)).toEqual(namesOf(expected));
    else expect(sent).toEqual(expected);
  });

  it('has a session for each client', async () => {
    const [first, second] = await fresh(['/session', '/session']);
    expect([first?.body, second?.body]).toEqual(['1', '1']);
    expect(cookieOf(first)).toMatch(/^PHPSESSID=[\w,-]{20,}$/);
    expect(cookieOf(second)).not.toBe(cookieOf(first));
    const headers = [`Cookie: ${cookieOf(first)}`];
    const [again, other] = await fresh([{ path: '/session', headers }, '/session']);
    expect([again?.body, other?.body]).toEqual(['2', '1']);
  });

  it('keeps its kernel', async () => {
    expect((await fresh(['/count', '/count'])).map(({ body }) => body)).toEqual(['1', '2']);
  });

  const rebootTest = reboots ? it : null;
  rebootTest?.('has reboot', async () => {
    const rebooting = await start(runtime, { WORKERS: '1', ...env, REBOOT: 'true' });
    try {
      const answers = await ask(rebooting, ['/count', '/count', '/count'], { fresh: true });
      expect(answers.map(({ body }) => body)).toEqual(['1', '1', '1']);
    } finally {
      await stop(rebooting);
    }
  });
});
