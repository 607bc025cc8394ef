import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastLines, removeContainers } from '../../engine/docker.ts';
import { UserError } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { COLD_STARTS } from '../../plan/timeline/pass-seconds.ts';
import type { ColdStart } from '../../results/results.ts';
import { fileNameOf } from '../../text/file-name.ts';
import { expectMachines } from '../verify/requests.ts';
import { type Job, listPresent, type World } from '../world.ts';
import { createArguments, frontOf, type WantedServer, wantedOf } from './servers.ts';
import { sentBy } from './target.ts';

/**
 * hyperfine times the span from the request to start the container, and its proxy if there is one, to the first answer
 * of status 2xx. The client starts first: it waits for the server, not the server for it. All names are environment
 * variables: text of others is never part of a script.
 */
const MEASURED = `
docker container exec "$COLD_ARENA" timeout 60 sh -c '
  command -v wget >/dev/null || exit 127
  unset http_proxy
  url=$1 lines=$2 IFS="
"
  set -f --
  for line in $lines; do set -- "$@" --header "$line"; done
  until wget -q -T 10 -O /dev/null "$@" "$url" 2>/dev/null; do sleep 0.01; done
' sh "$COLD_URL" "$COLD_HEADERS" &
asked=$!
test -z "$COLD_FRONT" || docker container start "$COLD_FRONT" >/dev/null &
docker container start "$COLD_NAME" >/dev/null && wait $! && wait $asked`;

/** Every start is of containers that have not run before; making and removing them is not timed. */
const PREPARE = `
renew() {
  docker container rm --force --volumes "$1" >/dev/null 2>&1
  next=$(docker container ls --all --quiet --filter "name=$COLD_NAME-next-[0-9]*$2$" | head -n 1)
  docker container rename "$next" "$1"
}
renew "$COLD_NAME" '' && { test -z "$COLD_FRONT" || renew "$COLD_FRONT" -front; }`;

/** The version of hyperfine; UserError where there is none, or where it would time the way to the engine as well. */
export async function findHyperfine(host: Host, isRemote: boolean): Promise<string> {
  if (isRemote) {
    throw new UserError('does not work with an engine on another machine', {
      where: { name: 'cold-start' },
      found: 'hyperfine runs here, so the times would contain the connection',
      hint: 'run php-runtime-bench on that machine, or leave `cold-start` out',
    });
  }
  const found = await host.exec('hyperfine', ['--version']).catch(() => null);
  if (found?.code === 0) return found.stdout.trim();
  throw new UserError('needs hyperfine, which is not on PATH', {
    where: { name: 'cold-start' },
    hint: 'install it, on Debian, Ubuntu and GitHub runners with: sudo apt-get install hyperfine; otherwise see https://github.com/sharkdp/hyperfine#installation',
  });
}

/**
 * Times fresh starts of every variant that still takes part, one variant after the other, with the machine to itself.
 *
 * @param tool the version of hyperfine
 * @param out the output folder, into which hyperfine itself writes
 */
export async function measureColdStarts(world: World, tool: string, out: string): Promise<void> {
  const { engine, job, sink } = world;
  const path = pathOf(job);
  for (const variant of listPresent(job)) {
    const outcome = job.outcomes.get(variant.id);
    const what = wantedOf(job.images, variant);
    if (!outcome || !what) continue;
    engine.signal.throwIfAborted();
    sink.at(`cold start of ${variant.label}`, 1);
    try {
      const timesMs = await timeStarts(world, what, path, out);
      outcome.coldStart = { tool, path, timesMs } satisfies ColdStart;
    } catch (error) {
      // The others', and all that was measured before, are not lost with it. A machine that failed is no fault of the variant.
      await expectMachines(engine, error);
      sink.warn({
        code: 'cold-start',
        message: `${variant.label}: no cold start: ${(error as Error).message}`,
        remedy: `check that GET ${path} answers 200 directly after a start, without a redirect to its full URL`,
        variant: variant.id,
      });
    }
  }
}

/** Each start may take a minute. */
const LIMIT_MS = 1_800_000;

/** Times the starts of one variant, in ms. Errors: what hyperfine or the engine printed. */
async function timeStarts(world: World, what: WantedServer, path: string, out: string): Promise<number[]> {
  const { engine, job, sink } = world;
  const { host, headers } = sentBy(job.config);
  const { variant, front } = what;
  const port = job.plan.instances[0]?.ports[variant.id] as number;
  const name = `php-runtime-bench-${engine.run}-cold-${port}`;
  try {
    for (let i = 0; i < COLD_STARTS.timed + COLD_STARTS.before; i++) {
      // As in production: with facts, many servers first look up their version.
      for (const next of createArguments(world, what, `${name}-next-${i}`, port, { facts: false })) {
        await engine.docker.run(['container', 'create', ...next]);
      }
    }
    // It makes the file itself, but no folder.
    const file = `raw/cold-start/${fileNameOf(variant.id)}.json`;
    await sink.keepRaw(file, '');
    const exported = join(out, file);
    const { code, stderr } = await engine.host.exec(
      'hyperfine',
      [
        ...[
          '--style',
          'none',
          '--shell',
          'sh',
          '--warmup',
          `${COLD_STARTS.before}`,
          '--runs',
          `${COLD_STARTS.timed}`,
        ],
        ...['--prepare', PREPARE, '--export-json', exported, MEASURED],
      ],
      {
        signal: engine.signal,
        timeoutMs: LIMIT_MS,
        env: {
          COLD_ARENA: engine.arena.name,
          COLD_NAME: name,
          COLD_FRONT: front === undefined ? '' : frontOf(name),
          COLD_URL: `http://127.0.0.1:${port}${path}`,
          COLD_HEADERS: Object.entries({ ...headers, Host: host })
            .map(([header, value]) => `${header}: ${value}`)
            .join('\n'),
        },
      },
    );
    if (code !== 0) throw new Error(lastLines(stderr, 1) || `hyperfine ended with exit code ${code}`);
    return readTimes(await readFile(exported, 'utf8'));
  } finally {
    const left = await engine.docker.try(['container', 'ls', '--all', '--quiet', '--filter', `name=${name}`]);
    const ids = left.stdout.split('\n').filter(Boolean);
    await removeContainers(engine.docker, ids);
  }
}

/** The first path of the load; without one, the start page. */
function pathOf({ plan }: Job): string {
  const [first] = plan.scenarios.flatMap(({ journey }) => (journey.kind === 'paths' ? journey.paths : []));
  return first ?? '/';
}

function readTimes(json: string): number[] {
  const times: number[] = JSON.parse(json).results[0].times;
  return times.map((seconds) => Math.round(seconds * 10_000) / 10);
}
