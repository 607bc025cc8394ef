import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { tCritical } from '../../src/analyse/student.ts';
import { parseLoad } from '../../src/config/load.ts';
import type { Scenario } from '../../src/config/types.ts';
import { realHost } from '../../src/host.ts';
import { compileLoad } from '../../src/plan/load.ts';
import type { Batch, Slice } from '../../src/plan/plan.ts';
import { expectationOf, see } from '../../src/run/checked.ts';
import { journeyModule, type K6Summary, k6Environment, makeK6Plan, sliceId } from '../../src/run/k6.ts';

const root = resolve(import.meta.dirname, '../..');
const HOST = 'app.test';
const PORT = 18080;
const TURNS = 50;
const TURN_MS = 200;
const VUS = 16;
const STANDINS = 'php-runtime-bench-standin';

/** As PHP sends them: with a length or without, small and large, compressed. */
const PAGES = [
  { name: 'small', characters: 300, file: '/small', gzip: false },
  { name: '25 kB', characters: 25_000, file: '/large', gzip: false },
  { name: '25 kB, gzip', characters: 25_000, file: '/packed', gzip: true },
] as const;
const NGINX = `
worker_processes 1; daemon off; pid /tmp/nginx.pid; error_log /dev/null;
events { worker_connections 512; }
http {
  access_log off; default_type text/html; keepalive_requests 1000000;
  client_body_temp_path /tmp/1; proxy_temp_path /tmp/2; fastcgi_temp_path /tmp/3; uwsgi_temp_path /tmp/4; scgi_temp_path /tmp/5;
  open_file_cache max=10 inactive=600s;
  server { listen ${PORT}; root /tmp/pages; location = /packed { gzip_static always; } }
}`;

async function docker(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await realHost.exec('docker', args);
  if (code !== 0) throw new Error(`docker ${args.slice(0, 2).join(' ')}: ${stderr}`);
  return stdout.trim();
}

async function imageOf(official: string): Promise<string> {
  const { code } = await realHost.exec('docker', ['image', 'inspect', official]);
  return code === 0 ? official : `${STANDINS}/${official.split('/').at(-1)}`;
}

function textOf(characters: number): string {
  const words = 'Wheelbarrow galvanised watering pruning secateurs greenhouse trellis compost'.split(' ');
  const items = Array.from({ length: characters }, (_, i) => `<li>${words[(i * 7) % 8]} ${i}</li>`);
  return items.join('\n').slice(0, characters);
}

/** A block: turns with the comparison and without it, in pairs of random order. */
function planBlock(scenario: Scenario, block: number): Slice[] {
  const turns: number[][] = [[], []];
  for (let turn = 0; turn < TURNS; turn += 2) {
    const first = Math.random() < 0.5 ? 0 : 1;
    turns[first]?.push(turn);
    turns[1 - first]?.push(turn + 1);
  }
  const durationMs = (TURNS * TURN_MS) / 2;
  const startMs = block * (TURNS * TURN_MS + 500);
  const load = parseLoad(`vus(${VUS}, ${durationMs}ms)`);
  return ['checked', 'plain'].map((variant, i) => ({
    ...{ number: 2 * block + i, variant, block, warmup: false, startMs, durationMs, duet: null },
    ...{ turns: turns[i] as number[], turnMs: TURN_MS, steps: compileLoad(load, scenario) },
  }));
}

/** Requests with the comparison ÷ requests without it, of each block. */
async function measure(k6: string, page: (typeof PAGES)[number], blocks: number): Promise<number[]> {
  const scenario: Scenario = {
    ...{ name: 'watch', title: '', journey: { kind: 'paths', paths: [page.file] } },
    ...{ load: parseLoad(`vus(${VUS}, 1s)`), timeoutMs: 2000, warmupMs: 0, blocks: 1, reuse: true, slo: {} },
  };
  const slices = Array.from({ length: blocks }, (_, block) => planBlock(scenario, block)).flat();
  const batch: Batch = { scenario, slices, drainMs: 100 };
  const body = textOf(page.characters);
  const seen = see(undefined, { status: 200, error: '', type: 'text/html', location: '', body });
  const checked = { [page.file]: expectationOf(seen, true) };
  const plan = makeK6Plan(batch, { checked: PORT, plain: PORT }, HOST, (variant) =>
    variant === 'checked' ? checked : null,
  );
  const script =
    'cd /tmp/bench && cat >plan.json && printf %s "$1" >journey.js && exec k6 run --quiet --address "" lib/main.js';
  const env = Object.entries(k6Environment(1, 8 * 2 ** 30)).flatMap(([name, value]) => [
    '--env',
    `${name}=${value}`,
  ]);
  const { code, stdout, stderr } = await realHost.exec(
    'docker',
    ['exec', '--interactive', ...env, k6, 'sh', '-c', script, 'sh', journeyModule(scenario)],
    { input: JSON.stringify(plan) },
  );
  if (code !== 0) throw new Error(stderr.slice(-1000));
  const { metrics }: K6Summary = JSON.parse(stdout);
  const requests = (slice: Slice) => metrics[`http_reqs{slice:${sliceId(slice)}}`]?.count ?? 0;
  const others = Object.entries(metrics).filter(
    ([name, { count = 0 }]) => name.startsWith('bench_others') && count > 0,
  );
  if (others.length > 0) throw new Error(`not the checked page: ${others[0]?.[0]}`);
  const read = Object.entries(metrics).filter(([name]) => name.startsWith('bench_read'));
  const total = slices.reduce((sum, slice) => sum + requests(slice), 0);
  const bodies = read.reduce((sum, [, { count = 0 }]) => sum + count, 0);
  process.stderr.write(`${page.name}: ${total} requests, ${bodies} bodies read\n`);
  return Array.from(
    { length: blocks },
    (_, i) => requests(slices[2 * i] as Slice) / requests(slices[2 * i + 1] as Slice),
  );
}

const blocks = Number(process.argv[2] ?? 20);
const name = `bench-watch-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'bench-watch-'));
try {
  writeFileSync(join(folder, 'nginx.conf'), NGINX);
  const [server, load] = [process.env.SERVER_CPUS ?? '0', process.env.LOAD_CPUS ?? '1'];
  const sleep = ['--entrypoint', 'sleep'];
  const nginx = await imageOf('nginx:stable');
  await docker(
    'run',
    '--detach',
    '--name',
    `${name}-server`,
    '--cpuset-cpus',
    server,
    ...sleep,
    nginx,
    'infinity',
  );
  await docker('exec', `${name}-server`, 'mkdir', '-p', '/tmp/pages');
  for (const { file, characters, gzip } of PAGES) {
    const body = Buffer.from(textOf(characters));
    writeFileSync(join(folder, 'page'), gzip ? gzipSync(body) : body);
    await docker('cp', join(folder, 'page'), `${name}-server:/tmp/pages${file}${gzip ? '.gz' : ''}`);
  }
  await docker('cp', join(folder, 'nginx.conf'), `${name}-server:/tmp/nginx.conf`);
  await docker(
    'exec',
    '--user',
    '0',
    `${name}-server`,
    'chmod',
    '-R',
    'a+rX',
    '/tmp/pages',
    '/tmp/nginx.conf',
  );
  await docker('exec', '--detach', `${name}-server`, 'nginx', '-c', '/tmp/nginx.conf');
  const k6 = `${name}-k6`;
  const image = await imageOf('grafana/k6:1.8.1');
  await docker(
    'run',
    '--detach',
    '--name',
    k6,
    '--network',
    `container:${name}-server`,
    '--cpuset-cpus',
    load,
    ...sleep,
    image,
    'infinity',
  );
  await docker('exec', k6, 'mkdir', '-p', '/tmp/bench');
  for (const part of ['lib', 'journeys'])
    await docker('cp', join(root, 'scenarios', part), `${k6}:/tmp/bench/`);
  console.log('| page | blocks | requests with the comparison ÷ without |\n| --- | --- | --- |');
  for (const page of PAGES) {
    const ratios = (await measure(k6, page, blocks)).map((ratio) => 100 * (ratio - 1));
    const half = (tCritical(0.05, blocks - 1) * sampleStandardDeviation(ratios)) / Math.sqrt(blocks);
    console.log(`| ${page.name} | ${blocks} | ${mean(ratios).toFixed(2)} ± ${half.toFixed(2)} % |`);
  }
} finally {
  await realHost.exec('docker', ['rm', '--force', `${name}-server`, `${name}-k6`]);
  rmSync(folder, { recursive: true });
}
