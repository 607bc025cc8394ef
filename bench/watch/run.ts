import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { parseLoad } from '../../src/config/load.ts';
import type { Scenario } from '../../src/config/types.ts';
import { realHost } from '../../src/host.ts';
import { compileLoad } from '../../src/plan/load-steps.ts';
import type { Slice } from '../../src/plan/slices.ts';
import { journeyModule, type K6Summary, k6Environment, makeK6Plan, sliceId } from '../../src/run/load/k6.ts';
import { expectationOf, see } from '../../src/run/verify/checked.ts';
import { tCritical } from '../../src/stats/student.ts';

const root = resolve(import.meta.dirname, '../..');
const HOST = 'app.test';
const PORT = 18080;
const RUN_MS = 5000;
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

/** What k6 does beside the requests: nothing, the comparison, and that with the proof of requests sent again. */
const ARMS = [
  { name: 'nothing', compares: false, proves: false },
  { name: 'comparison', compares: true, proves: false },
  { name: 'comparison and resends', compares: true, proves: true },
] as const;

/** One k6 process under full load; CPU time of it all, s, for each request. */
async function measure(
  k6: string,
  page: (typeof PAGES)[number],
  arm: (typeof ARMS)[number],
): Promise<number> {
  const scenario: Scenario = {
    ...{ name: 'watch', title: '', journey: { kind: 'paths', paths: [page.file] } },
    ...{ load: parseLoad(`vus(${VUS}, 1s)`), timeoutMs: 2000, warmupMs: 0, blocks: 1, reuse: true, slo: {} },
  };
  const slice: Slice = {
    ...{ number: 0, variant: 'server', block: 0, warmup: false, startMs: 0, durationMs: RUN_MS, duet: null },
    ...{ turns: [0], turnMs: RUN_MS, steps: compileLoad(parseLoad(`vus(${VUS}, ${RUN_MS}ms)`), scenario) },
  };
  const body = textOf(page.characters);
  const seen = see(undefined, { status: 200, error: '', type: 'text/html', location: '', body });
  const checked = { [page.file]: expectationOf(seen, true) };
  const plan = makeK6Plan({ scenario, slices: [slice], drainMs: 100 }, { server: PORT }, HOST, () =>
    arm.compares ? checked : null,
  );
  const main = arm.proves ? 'main.js' : 'unproved.js';
  const script = `cd /tmp/bench && cat >plan.json && printf %s "$1" >journey.js &&
    k6 run --quiet --address "" lib/${main}; code=$?; times >&2; exit $code`;
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
  const others = Object.entries(metrics).filter(([name]) => name.startsWith('bench_others'));
  const differing = others.find(([, { count = 0 }]) => count > 0);
  if (differing) throw new Error(`not the checked page: ${differing[0]}`);
  // The last line of `times` is the children's.
  const seconds = [...(stderr.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const cpu = seconds.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0);
  return cpu / (metrics[`http_reqs{slice:${sliceId(slice)}}`]?.count ?? 0);
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
  const image = await imageOf('grafana/k6:2.2.0');
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
  await docker(
    'exec',
    '--user',
    '0',
    k6,
    'sh',
    '-c',
    'cd /tmp/bench/lib && grep -v "^watchResent" main.js >unproved.js',
  );
  console.log('| page | k6 does | rounds | CPU of k6 per request, µs | more than with nothing |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const page of PAGES) {
    const rounds: number[][] = [];
    for (let round = 0; round < blocks; round++) {
      const found: number[] = [];
      // Each round begins with another arm, so that what drifts falls to all.
      for (let i = 0; i < ARMS.length; i++) {
        const at = (i + round) % ARMS.length;
        found[at] = await measure(k6, page, ARMS[at] as (typeof ARMS)[number]);
      }
      rounds.push(found);
    }
    ARMS.forEach((arm, i) => {
      const us = 1e6 * mean(rounds.map((round) => round[i] as number));
      const more = rounds.map((round) => 100 * ((round[i] as number) / (round[0] as number) - 1));
      const half = (tCritical(0.05, blocks - 1) * sampleStandardDeviation(more)) / Math.sqrt(blocks);
      const cell = i === 0 ? '' : `${mean(more).toFixed(2)} ± ${half.toFixed(2)} %`;
      console.log(`| ${page.name} | ${arm.name} | ${blocks} | ${us.toFixed(1)} | ${cell} |`);
    });
  }
} finally {
  await realHost.exec('docker', ['rm', '--force', `${name}-server`, `${name}-k6`]);
  rmSync(folder, { recursive: true });
}
