/** Several k6 processes by hand, each with its share of one load, against a server that logs every request. */
import { join } from 'node:path';
import { parseLoad } from '../../src/config/parts/load.ts';
import type { Scenario } from '../../src/config/types.ts';
import { realHost } from '../../src/host.ts';
import type { Batch } from '../../src/plan/timeline/slices.ts';
import { cutIntoBatches, planSlices } from '../../src/plan/timeline/timeline.ts';
import { journeyModule, type K6Summary, makeK6Plan } from '../../src/run/load/k6.ts';
import { segmentFlags } from '../../src/run/load/segments.ts';
import { docker, imageFor, label, root, tryDocker } from './docker.ts';

/** Answers after 2 to 12 ms, by the request's own number, and logs each with the port of the client. */
const SERVER = `<?php
usleep(2000 + 10000 * (crc32((string) $_SERVER['REMOTE_PORT']) % 997) / 997);
echo 'ok';
`;

export interface Site {
  container: string;
  port: number;
  /** Requests that it has answered. */
  count(): Promise<number>;
}

/** Serves in an arena until the containers of the test are removed. */
export async function serveSlowly(arena: string, port: number): Promise<Site> {
  const container = await docker(
    ...['run', '--detach', '--label', label, '--network', `container:${arena}`],
    ...['--env', 'PHP_CLI_SERVER_WORKERS=8', '--entrypoint', 'sh', imageFor('php:8.4-cli')],
    ...['-c', `printf %s "$1" >/tmp/index.php; exec php -S 0.0.0.0:${port} /tmp/index.php`, 'sh', SERVER],
  );
  for (let tries = 0; tries < 200; tries++) {
    const script = `exit(@fsockopen('127.0.0.1', ${port}) ? 0 : 1);`;
    if ((await tryDocker('exec', container, 'php', '-r', script)).code === 0) break;
    await realHost.sleep(50);
  }
  return {
    ...{ container, port },
    async count() {
      const { stdout, stderr } = await tryDocker('logs', container);
      return `${stdout}${stderr}`.match(/ Accepted$/gm)?.length ?? 0;
    },
  };
}

/** One slice of one variant, `a`, without warm-up. */
export function makeBatch(load: string, given: Partial<Scenario> = {}): Batch {
  const scenario: Scenario = {
    ...{ name: 'test', title: '', journey: { kind: 'paths', paths: ['/x'] }, load: parseLoad(load) },
    ...{ timeoutMs: 5000, warmupMs: 0, blocks: 1, reuse: true, slo: {} },
    ...given,
  };
  const one = () => ['a'];
  const orders = { warmup: one, block: one, round: one, duets: new Map() };
  const slices = planSlices(scenario, orders, () => false).map((slice, number) => ({ ...slice, number }));
  const [batch] = cutIntoBatches(scenario, slices, 100);
  if (!batch) throw new Error('no load');
  return batch;
}

export interface Generated {
  summary: K6Summary;
  /** When all were to begin, unix ms. */
  startAtMs: number;
  /** Every latency that it measured, ms. */
  latencies: number[];
  /** All that it printed, as a pod's log has it. */
  printed: string;
}

/** Runs so many k6 at once; they begin at one moment. */
export async function generate(arena: string, batch: Batch, port: number, n: number): Promise<Generated[]> {
  const folders = Array.from({ length: n }, (_, i) => `/tmp/generator-${n}-${batch.scenario.name}-${i}`);
  await Promise.all(folders.map((folder) => furnish(arena, folder, journeyModule(batch.scenario))));
  const startAtMs = Date.now() + START_MS;
  const plan = JSON.stringify({ ...makeK6Plan(batch, { a: port }, { host: 'test.local' }), startAtMs });
  const run = async (folder: string, i: number) => ({
    ...(await runOne(arena, folder, plan, i, n)),
    startAtMs,
  });
  return Promise.all(folders.map(run));
}

/** On a busy machine k6 takes its time to read the scripts. One that is ready later begins later. */
const START_MS = 8000;

async function furnish(arena: string, folder: string, journey: string): Promise<void> {
  await docker('exec', arena, 'sh', '-c', 'rm -rf "$1" && mkdir -p "$1"', 'sh', folder);
  for (const name of ['lib', 'journeys'])
    await docker('cp', join(root, 'scenarios', name), `${arena}:${folder}/`);
  await docker('exec', arena, 'sh', '-c', 'printf %s "$2" >"$1/journey.js"', 'sh', folder, journey);
}

async function runOne(
  arena: string,
  folder: string,
  plan: string,
  i: number,
  n: number,
): Promise<Omit<Generated, 'startAtMs'>> {
  const script = 'printf %s "$1" >plan.json; shift; exec k6 run --quiet --address "" --out csv=all.csv "$@"';
  const { code, stdout, stderr } = await tryDocker(
    ...['exec', '--workdir', folder, arena, 'sh', '-c', script, 'sh', plan, ...segmentFlags(i, n)],
    'lib/main.js',
  );
  if (code !== 0) throw new Error(`k6: exit code ${code}\n${stderr}`);
  const rows = await docker('exec', '--workdir', folder, arena, 'grep', '^http_req_duration,', 'all.csv');
  const latencies = rows.split('\n').map((row) => Number(row.split(',')[2]));
  return { summary: JSON.parse(stdout), latencies, printed: `${stderr}${stdout}` };
}
