/** Differences from php-fpm if the app stays in memory, observed on each runtime: the table in docs/runtimes.md. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Column, DIFFERENCES, type End, LEFT } from './differences.ts';
import {
  type Answer,
  ask,
  askOnce,
  docker,
  removeAll,
  root,
  type Server,
  serve,
  startArena,
} from './docker.ts';
import { buildRow, FPM, LONG_LIVED, missingFor, OCTANE } from './longlived-rows.ts';

const columns = Object.keys(DIFFERENCES.exit.cells) as Column[];
const all = [FPM, ...LONG_LIVED, ...OCTANE];
const known = all.filter(({ runtime }) => columns.includes(runtime as Column));
const rows = known.filter((row) => missingFor(row) === null);
for (const row of all.filter((one) => !rows.includes(one))) {
  const base = missingFor(row);
  it(row.runtime, ({ skip }) =>
    skip(base ? `base image ${base} is not available here` : 'it was never seen'),
  );
}

let arena: string;
beforeAll(async () => {
  arena = await startArena();
});
afterAll(removeAll);

const statusOf = ({ status }: Answer) => (status === 0 ? 'no answer' : String(status));
const sentOr = (answer: Answer, header: string, otherwise: string) =>
  answer.headers[header] === undefined ? otherwise : 'sent';

/** A form of so many MB, sent from inside: an argument could not hold it. */
async function sendForm(server: Server, megabytes: number): Promise<string> {
  const script = `
    $curl = curl_init("http://127.0.0.1:$argv[1]/body");
    curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 60, CURLOPT_HTTPHEADER => ['Expect:'],
      CURLOPT_POSTFIELDS => 'word=' . str_repeat('x', $argv[2] << 20)]);
    $body = curl_exec($curl);
    echo json_encode([curl_getinfo($curl, CURLINFO_RESPONSE_CODE), json_decode((string) $body, true)['post'] ?? 0]);
  `;
  const argv = ['php', '-d', 'memory_limit=-1', '-r', script, String(server.port), String(megabytes)];
  const [status, length] = JSON.parse(await docker('exec', server.container, ...argv));
  if (status !== 200) return status === 0 ? 'no answer' : String(status);
  return length === megabytes << 20 ? '200, whole' : length === 0 ? '200, empty' : `200, ${length} bytes`;
}

/** What becomes of a file of so many MB. */
async function sendFile(server: Server, megabytes: number): Promise<{ error: number; uploaded: boolean }> {
  const script = `
    $file = new CURLStringFile(str_repeat('x', $argv[2] << 20), 'a.txt', 'text/plain');
    $curl = curl_init("http://127.0.0.1:$argv[1]/upload");
    curl_setopt_array($curl, [CURLOPT_TIMEOUT => 60, CURLOPT_HTTPHEADER => ['Expect:'], CURLOPT_POSTFIELDS => ['file' => $file]]);
    curl_exec($curl);
  `;
  const argv = ['php', '-d', 'memory_limit=-1', '-r', script, String(server.port), String(megabytes)];
  return JSON.parse(await docker('exec', server.container, ...argv));
}

const cookieOf = (answer: Answer) => answer.headers['set-cookie']?.split(';')[0] ?? '';
const asKnown = async (server: Server, path: string) => {
  const cookie = cookieOf(await askOnce(server, '/session'));
  return askOnce(server, { path, headers: [`Cookie: ${cookie}`] });
};
const serverVariables = async (server: Server) => {
  const headers = ['X-Two: 1', 'X-Two: 2', 'Authorization: Basic YW5uOnNlY3JldA=='];
  return JSON.parse((await askOnce(server, { path: '/server', headers })).body);
};

/** Observes the cell of a server in each row of the table. */
const OBSERVED: Record<Exclude<keyof typeof DIFFERENCES, End>, (server: Server) => Promise<string>> = {
  exit: async (server) => {
    const [answer] = await ask(server, ['/exit'], { fresh: true });
    await expect.poll(async () => (await askOnce(server, '/')).status).toBe(200);
    return statusOf(answer as Answer);
  },
  print: async (server) => {
    const [answer] = await ask(server, ['/print'], { fresh: true });
    await expect.poll(async () => (await askOnce(server, '/')).status).toBe(200);
    if (answer?.status !== 200) return 'ends the process';
    return answer.body === 'printed' ? 'sent' : 'not sent';
  },
  shutdown: async (server) => {
    const [, , answer] = await ask(server, ['/register', '/', '/registered'], { fresh: true });
    return answer?.body === 'ran' ? 'after the response' : 'when the process ends';
  },
  exception: async (server) => statusOf(await askOnce(server, '/throw')),
  warning: async (server) => statusOf(await askOnce(server, '/warning')),
  left: async (server) => {
    const [, answer] = await ask(server, ['/leave', '/state'], { fresh: true });
    const left: string[] = JSON.parse(answer?.body ?? '');
    return left.length === 0 ? 'nothing' : left.length === LEFT.length ? 'all' : left.join(', ');
  },
  cwd: async (server) => {
    const { cwd } = await serverVariables(server);
    return cwd === '/app/public' ? 'document root' : `\`${cwd}\``;
  },
  'body 1 MB': (server) => sendForm(server, 1),
  'body 7 MB': (server) => sendForm(server, 7),
  'body 9 MB': (server) => sendForm(server, 9),
  'field name': async (server) => {
    const [name] = JSON.parse((await askOnce(server, { path: '/names', body: 'a.b=1' })).body);
    return `\`${name}\``;
  },
  'upload 3 MB': async (server) => ((await sendFile(server, 3)).error === 1 ? 'refused' : 'taken'),
  uploaded: async (server) => String((await sendFile(server, 1)).uploaded),
  input: async (server) => {
    const { input } = JSON.parse((await askOnce(server, { path: '/body', body: 'word=x' })).body);
    return input === 6 ? 'the body' : input === 0 ? 'empty' : `${input} bytes`;
  },
  headers: async (server) => {
    const answer = await askOnce(server, '/headers');
    const both = [sentOr(answer, 'x-own', 'dropped'), sentOr(answer, 'set-cookie', 'dropped')];
    return [...new Set(both)].join(' and ');
  },
  'session cookie': async (server) => sentOr(await askOnce(server, '/session'), 'set-cookie', 'not sent'),
  'session again': async (server) => sentOr(await asKnown(server, '/session'), 'set-cookie', 'not sent'),
  'session destroyed': async (server) => sentOr(await asKnown(server, '/destroy'), 'set-cookie', 'not sent'),
  // Laravel has a Cache-Control of its own.
  'session cache': async (server) => sentOr(await askOnce(server, '/session'), 'pragma', 'dropped'),
  'repeated header': async (server) => {
    const { two } = await serverVariables(server);
    return Array.isArray(two) ? 'nothing' : `\`${two.replace(/\d/g, '')}\``;
  },
  'server port': async (server) => (await serverVariables(server)).port,
  credentials: async (server) => ((await serverVariables(server)).user === 'ann' ? 'set' : 'unset'),
};

describe.each(rows)('$runtime', (row) => {
  const { runtime, env } = row;
  it('differs from php-fpm as docs/runtimes.md says', async () => {
    const image = await buildRow(row, join(root, 'test/apps/differs'));
    const server = await serve(arena, image, env);
    const seen: Record<string, string> = {};
    const expected: Record<string, string> = {};
    // Rows that leave state behind or end the process come last.
    const keys = Object.keys(OBSERVED) as (keyof typeof OBSERVED)[];
    const rough = ['body 9 MB', 'print', 'exit', 'left'];
    for (const key of [
      ...keys.filter((one) => !rough.includes(one)),
      ...keys.filter((one) => rough.includes(one)),
    ]) {
      seen[key] = await OBSERVED[key](server);
      expected[key] = DIFFERENCES[key].cells[runtime as Column];
    }
    expect(seen).toEqual(expected);
  });
});
