/** Docker functions for the integration tests: build, start, ask, remove. Everything started has the test's label. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { type Finished, realHost } from '../../src/host.ts';

export const root = resolve(import.meta.dirname, '../..');

/** `BENCH_IMAGES` names the file that says which image takes an official one's place. */
const images: Record<string, string> = process.env.BENCH_IMAGES
  ? parse(readFileSync(process.env.BENCH_IMAGES, 'utf8'))
  : {};

/** The image that takes an official one's place, or that one. */
export const imageFor = (base: string): string => images[base] ?? base;

const id = `test-${randomBytes(4).toString('hex')}`;
// Not the label of a run: what carries that and has no run is swept by the next one.
export const label = `php-runtime-bench.test=${id}`;
const built: string[] = [];

/** Runs docker; throws with what it said when it fails. */
export async function docker(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await tryDocker(...args);
  if (code !== 0) throw new Error(`docker ${args.join(' ')}: exit code ${code}\n${stdout}${stderr}`);
  return stdout.trim();
}

/** Runs docker, whatever becomes of it. */
export function tryDocker(...args: string[]): Promise<Finished> {
  return realHost.exec('docker', args);
}

/**
 * Runs a container to its end and reads its logs. `docker run --rm` does not do: it sometimes loses what a container
 * that ends at once has written.
 */
export async function runToEnd(...args: string[]): Promise<Finished> {
  const container = await docker('run', '--detach', '--label', label, '--network', 'none', ...args);
  const code = Number(await docker('wait', container));
  const written = await tryDocker('logs', container);
  await docker('rm', '--volumes', container);
  return { ...written, code };
}

const basesOf = (runtime: string, php: string): string[] =>
  parse(readFileSync(resolve(root, 'runtimes', runtime, 'runtime.yaml'), 'utf8')).base.map((base: string) =>
    base.replace('{php}', php),
  );

/** A base image of a runtime that is not available here, since `BENCH_IMAGES` names none in its place; null: all can. */
export function findMissingBase(runtime: string, php: string): string | null {
  if (!process.env.BENCH_IMAGES) return null;
  // The stand-in for Composer finds no packages but Debian's.
  const standIn = 'php-runtime-bench-standin/composer:2';
  return basesOf(runtime, php).find((base) => !images[base] || images[base] === standIn) ?? null;
}

/** Flags of a build: what takes the place of a runtime's base images. */
export function basesIn(runtime: string, php: string): string[] {
  const mapped = basesOf(runtime, php).filter((base) => images[base]);
  return mapped.flatMap((base) => ['--build-context', `${base}=docker-image://${images[base]}`]);
}

/** Builds a runtime with an app's folder and returns the image's name. */
export async function buildRuntime(runtime: string, php: string, app: string): Promise<string> {
  const image = `php-runtime-bench-${id}/${runtime}:${php}-${built.length}`;
  await docker(
    ...['buildx', 'build', '--quiet', '--load', '--provenance=false', '--tag', image],
    ...['--build-arg', `PHP_VERSION=${php}`],
    ...['--build-context', `shared=${resolve(root, 'runtimes/_shared')}`, '--build-context', `app=${app}`],
    ...basesIn(runtime, php),
    resolve(root, 'runtimes', runtime),
  );
  built.push(image);
  return image;
}

/** Starts the container whose network namespace the servers share. */
export function startArena(): Promise<string> {
  const k6 = images['grafana/k6:2.2.0'] ?? 'grafana/k6:2.2.0';
  return docker('run', '--detach', '--label', label, '--entrypoint', 'sleep', k6, 'infinity');
}

export interface Server {
  container: string;
  port: number;
}

let nextPort = 18080;

/** Starts a server in the arena on a port of its own, without waiting for it. `flags` are docker run's. */
export async function launch(
  arena: string,
  image: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Server> {
  const port = nextPort++;
  const all = { PORT: String(port), DOCROOT: 'public', ...env };
  const container = await docker(
    ...['run', '--detach', '--label', label, '--network', `container:${arena}`, ...flags],
    ...Object.entries(all).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    image,
  );
  return { container, port };
}

/** Starts a server and waits until it answers 200. */
export async function serve(...how: Parameters<typeof launch>): Promise<Server> {
  const server = await launch(...how);
  await waitUntilReady(server);
  return server;
}

/** Waits until the server answers 200. */
export async function waitUntilReady(server: Server): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const finished = await tryDocker(
      ...['exec', server.container, 'php', '-r', client],
      JSON.stringify([{ url: `http://127.0.0.1:${server.port}/` }]),
    );
    if (finished.code === 0 && JSON.parse(finished.stdout)[0].status === 200) return;
    await realHost.sleep(50);
  }
  throw new Error(`the server did not become ready:\n${await logs(server)}`);
}

export interface Request {
  path: string;
  headers?: string[];
  /** Makes it a POST. */
  body?: string;
  /** Before the request. */
  waitMs?: number;
}

export interface Answer {
  /** 0: no answer. */
  status: number;
  /** Names in lower case. One that was sent more than once has its values in lines. */
  headers: Record<string, string>;
  /** As received, still encoded. */
  bytes: Buffer;
  body: string;
  /** Connections opened for this request: 0 when one was kept. */
  connects: number;
}

// PHP is in every server's image, curl is not.
const client = `
$curl = curl_init();
$answers = [];
foreach (json_decode($argv[1], true) as $request) {
  usleep(1000 * ($request['waitMs'] ?? 0));
  $headers = [];
  curl_setopt_array($curl, [
    CURLOPT_URL => $request['url'], CURLOPT_HTTPHEADER => $request['headers'] ?? [], CURLOPT_RETURNTRANSFER => true,
    CURLOPT_PATH_AS_IS => true, CURLOPT_TIMEOUT => 20, CURLOPT_FORBID_REUSE => $request['fresh'] ?? false,
    CURLOPT_HEADERFUNCTION => function ($curl, $line) use (&$headers) {
      if (str_contains($line, ':')) {
        [$name, $value] = explode(':', $line, 2);
        $name = strtolower($name);
        $headers[$name] = (isset($headers[$name]) ? "$headers[$name]\\n" : '') . trim($value);
      }
      return strlen($line);
    },
  ]);
  if (isset($request['body'])) curl_setopt($curl, CURLOPT_POSTFIELDS, $request['body']);
  else curl_setopt($curl, CURLOPT_HTTPGET, true);
  $body = curl_exec($curl);
  $answers[] = [
    'status' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE), 'headers' => (object) $headers,
    'body' => base64_encode((string) $body), 'connects' => curl_getinfo($curl, CURLINFO_NUM_CONNECTS),
  ];
}
echo json_encode($answers);
`;

/**
 * Asks a server, one request after the other. Connections are kept where the server does, unless `fresh`.
 * `from` is the container that the client runs in, for when the server's own is about to end.
 */
export async function ask(
  server: Server,
  requests: readonly (string | Request)[],
  { fresh = false, from = server.container }: { fresh?: boolean; from?: string } = {},
): Promise<Answer[]> {
  const list = requests.map((request) => {
    const { path, ...rest } = typeof request === 'string' ? { path: request } : request;
    return { ...rest, fresh, url: `http://127.0.0.1:${server.port}${path}` };
  });
  const answers: { status: number; headers: Record<string, string>; body: string; connects: number }[] =
    JSON.parse(await docker('exec', from, 'php', '-r', client, JSON.stringify(list)));
  return answers.map(({ body, ...rest }) => {
    const bytes = Buffer.from(body, 'base64');
    return { ...rest, bytes, body: bytes.toString() };
  });
}

/** Asks one thing. */
export async function askOnce(server: Server, request: string | Request): Promise<Answer> {
  const [answer] = await ask(server, [request]);
  if (!answer) throw new Error('no answer');
  return answer;
}

/** Asks the same `count` times at once, as `askInOrder` does, and returns how many answers were 200. */
export async function askAtOnce(server: Server, path: string, count: number): Promise<number> {
  return (await askInOrder(server, Array(count).fill(path))).length;
}

/**
 * Asks all paths at once, each on a connection of its own, and returns their indices in the order of the answers. Only
 * answers with 200 are in it. Requests are 100 ms apart: with pm=ondemand php-fpm starts one process at most for a burst.
 */
export async function askInOrder(server: Server, paths: readonly string[]): Promise<number[]> {
  const script = `
    [, $port, $paths] = $argv;
    $sockets = $answered = [];
    foreach (json_decode($paths) as $index => $path) {
      $sockets[$index] = stream_socket_client("tcp://127.0.0.1:$port");
      fwrite($sockets[$index], "GET $path HTTP/1.1\\r\\nHost: test\\r\\nConnection: close\\r\\n\\r\\n");
      usleep(100_000);
    }
    while ($sockets) {
      [$ready, $none] = [$sockets, null];
      if (!stream_select($ready, $none, $none, 60)) break;
      foreach ($ready as $index => $socket) {
        if (str_starts_with(stream_get_contents($socket), 'HTTP/1.1 200 ')) $answered[] = $index;
        unset($sockets[$index]);
      }
    }
    echo json_encode($answered);
  `;
  const argv = [String(server.port), JSON.stringify(paths)];
  return JSON.parse(await docker('exec', server.container, 'php', '-r', script, ...argv));
}

/** The output of the server on stderr. */
export async function logs(server: Server): Promise<string> {
  return (await tryDocker('logs', server.container)).stderr;
}

/** The command lines of its processes. */
export async function processes(server: Server): Promise<string[]> {
  const table = await docker('top', server.container, '-o', 'pid,args');
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().replace(/^\d+ +/, ''));
}

/** The names of its threads by their number. */
export async function threads(server: Server): Promise<Map<number, string>> {
  const table = await docker('top', server.container, '-L', '-o', 'pid,lwp,comm');
  const lines = table.split('\n').slice(1);
  return new Map(
    lines.map((line) => {
      const [, lwp, ...name] = line.trim().split(/\s+/);
      return [Number(lwp), name.join(' ')];
    }),
  );
}

export async function stop(...servers: Server[]): Promise<void> {
  await docker('rm', '--force', ...servers.map((server) => server.container));
}

/** Removes all containers and images that this test file has made. */
export async function removeAll(): Promise<void> {
  const containers = await docker('ps', '--all', '--quiet', '--filter', `label=${label}`);
  if (containers) await docker('rm', '--force', '--volumes', ...containers.split('\n'));
  if (built.length > 0) await docker('rmi', '--force', ...built);
}
