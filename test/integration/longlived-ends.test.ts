/**
 * No request is lost when a process of a runtime that keeps the app in memory ends: by a signal, or after so many
 * requests.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Column, DIFFERENCES, type End, UNSEEN } from './differences.ts';
import {
  buildRuntime,
  docker,
  logs,
  removeAll,
  root,
  type Server,
  serve,
  startArena,
  stop,
} from './docker.ts';
import { buildRow, FPM, LONG_LIVED, type LongLivedRow, missingFor, OCTANE } from './longlived-rows.ts';

const all = [FPM, ...LONG_LIVED, ...OCTANE];
const isSeen = ({ runtime }: LongLivedRow) => DIFFERENCES['max-requests'].cells[runtime as Column] !== UNSEEN;
const rows = all.filter((row) => missingFor(row) === null && isSeen(row));
for (const row of all.filter((one) => !rows.includes(one))) {
  const base = missingFor(row);
  it(row.runtime, ({ skip }) =>
    skip(base ? `base image ${base} is not available here` : 'it was never seen'),
  );
}

let arena: string;
/** The client's container: the server's own is about to end. */
let client: Server;
const images = new Map<string, Promise<string>>();
const plain = join(root, 'apps/plain');

/** Built once, when the first test asks. */
function imageOf(row: LongLivedRow): Promise<string> {
  const image = images.get(row.runtime) ?? buildRow(row, plain);
  images.set(row.runtime, image);
  return image;
}

beforeAll(async () => {
  arena = await startArena();
  client = await serve(arena, await buildRuntime('nginx-fpm', '8.4', plain));
});
afterAll(removeAll);

// Sockets of its own: curl sends a request again where a kept connection is closed.
const COMMON = `
[, $port] = $argv;
function connect() { return stream_socket_client("tcp://127.0.0.1:$GLOBALS[port]"); }
function send($socket, $path) { @fwrite($socket, "GET $path HTTP/1.1\\r\\nHost: test\\r\\n\\r\\n"); }
/** Its head, or an empty text where there is none. */
function receive($socket) {
  for ($head = ''; !str_ends_with($head, "\\r\\n\\r\\n"); $head .= $byte) {
    $byte = @fread($socket, 1);
    if ($byte === '' || $byte === false) return '';
  }
  if (preg_match('/content-length: *(\\d+)/i', $head, $found)) stream_get_contents($socket, (int) $found[1]);
  else for ($body = ''; !str_ends_with($body, "0\\r\\n\\r\\n"); $body .= $line) {
    if (($line = fgets($socket)) === false) break; // Chunked, or until it closes.
  }
  return $head;
}
function status($head) { return (int) substr($head, 9, 3); }
`;

const run = async (script: string, ...args: (string | number)[]) =>
  JSON.parse(await docker('exec', client.container, 'php', '-r', COMMON + script, ...args.map(String)));

// One worker, busy with the first until the signal comes, and for less than a stop may take. The second waits on a connection
// that is kept, the third on one that nobody has accepted. Once all are sent, the client listens on a port of its own.
const WAITING = `
[, , $mark] = $argv;
$kept = connect();
send($kept, '/json');
$first = receive($kept);
$closes = stripos($first, 'connection: close') !== false;
$busy = connect();
send($busy, '/io?ms=7000');
usleep(300_000);
if ($closes) $kept = connect();
send($kept, '/io?ms=10');
$new = connect();
send($new, '/json');
$sent = stream_socket_server("tcp://127.0.0.1:$mark");
echo json_encode(array_map(fn ($socket) => status(receive($socket)), ['busy' => $busy, 'kept' => $kept, 'new' => $new]));
`;

/** That port. */
const MARK = 17_000;
/** Waits for that in the server's container, to signal its first process: a busy engine would take seconds. */
const signalling = (signal: string) => `
  until grep -q ':${MARK.toString(16).toUpperCase()} 00000000:0000 0A ' /proc/net/tcp; do sleep 0.05; done
  sleep 0.5
  kill -${signal.replace('SIG', '')} 1`;

// Four clients that keep their connections, until there are so many answers.
const KEPT = `
[, , $wanted] = $argv;
[$answered, $lost, $opened] = [0, 0, 0];
$sockets = [];
while ($answered + $lost < $wanted) {
  for ($i = 0; $i < 4; $i++) {
    if (!isset($sockets[$i])) { $sockets[$i] = connect(); $opened++; }
    send($sockets[$i], '/json');
  }
  for ($i = 0; $i < 4; $i++) {
    $head = receive($sockets[$i]);
    status($head) === 200 ? $answered++ : $lost++;
    if ($head === '' || stripos($head, 'connection: close') !== false) { fclose($sockets[$i]); unset($sockets[$i]); }
  }
}
echo json_encode(['lost' => $lost, 'opened' => $opened]);
`;

// How long each answer takes, in seconds.
const TIMES = `
$times = [];
foreach (json_decode($argv[2]) as $path) {
  $socket = connect();
  $began = microtime(true);
  send($socket, $path);
  if (status(receive($socket)) !== 200) die("no answer");
  $times[] = microtime(true) - $began;
}
echo json_encode($times);
`;

describe.each(rows)('$runtime', (row) => {
  const { runtime, env } = row;
  const { stop: how } = parse(readFileSync(join(root, 'runtimes', runtime, 'runtime.yaml'), 'utf8'));

  const cells = (key: End) => DIFFERENCES[key].cells[runtime as Column] ?? 'answered';

  it('answers who waits when it is stopped, or drops them where docs/runtimes.md says so', async () => {
    const server = await serve(arena, await imageOf(row), env);
    try {
      await docker('exec', '--detach', server.container, 'sh', '-c', signalling(how.signal));
      const { busy, kept, new: late } = await run(WAITING, server.port, MARK);
      const word = (status: number) => (status === 200 ? 'answered' : 'dropped');
      expect([word(kept), word(late)]).toEqual([cells('stop kept'), cells('stop new')]);
      if (how['in-flight'] === 'finishes') expect(busy).toBe(200);
      expect(await docker('wait', server.container)).toBe('0');
    } finally {
      await stop(server);
    }
  });

  it('loses no request of a kept connection when it replaces a process', async () => {
    const server = await serve(arena, await imageOf(row), { ...env, WORKERS: '2', MAX_REQUESTS: '20' });
    try {
      const { lost, opened } = await run(KEPT, server.port, 800);
      expect({ lost, log: await logs(server) }).toMatchObject({
        lost: Number(DIFFERENCES['max-requests'].cells['nginx-fpm']),
      });
      // Replaced they were, where it is the processes that hold connections.
      if (['reactphp', 'workerman'].includes(runtime)) expect(opened).toBeGreaterThan(20);
    } finally {
      await stop(server);
    }
  });

  const slowEnd = runtime.endsWith('roadrunner') ? it : null;
  slowEnd?.('answers the last request of a process after its end', async () => {
    const image = await buildRow(row, join(root, 'test/apps/differs'));
    const server = await serve(arena, image, { ...env, WORKERS: '2', MAX_REQUESTS: '2' });
    try {
      // `serve` has asked one of the two once.
      const paths = ['/linger', '/linger', '/linger', '/linger'];
      const seconds: number[] = await run(TIMES, server.port, JSON.stringify(paths));
      expect(seconds.filter((took) => took >= 2)).not.toEqual([]);
    } finally {
      await stop(server);
    }
  });
});
