// What differs between fresh starts of one image, and how much of it is the machine's own noise?
//   node bench/starts/study.ts FILE.ndjson [MINUTES] [ARM…]     default 2 minutes, all arms; appends to the file
//   node bench/starts/table.ts FILE.ndjson…                     the table of docs/evidence.md
// A round is four fresh starts of one arm, in random order on random ports, warmed up, then loaded in windows of 4 s.
// The load comes in turns of 1 s, 250 ms or 100 ms, in which all clients ask one server. Or it comes to all together,
// two clients a server. So a server is loaded for a second or so in each window, and each window is read by itself.
// Needs the images that script/bench builds and an engine on this machine, as it reads the servers' control groups.
// CPUs: SERVER_CPUS and LOAD_CPUS, default 0 and 1. K6_IMAGE, default the official one or the stand-in.

import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import { envFlags, k6Environment } from '../../src/run/load/k6.ts';

interface Arm {
  image: string;
  env?: Record<string, string>;
  run?: string[];
}

const IMAGES = { apache: 'apache-8-4-plain', 'nginx-fpm': 'nginx-fpm-8-4-plain' };
/** Without address space randomisation, which Docker's seccomp profile does not let a container turn off. */
const NO_ASLR = ['--security-opt=seccomp=unconfined', '--entrypoint=setarch'];

const ARMS: Record<string, Arm> = Object.fromEntries(
  Object.entries(IMAGES).flatMap(([name, image]): [string, Arm][] => [
    [name, { image }],
    [`${name} workers=8`, { image, env: { WORKERS: '8' } }],
    [`${name} jit=tracing`, { image, env: { JIT: 'tracing' } }],
    [`${name} no ASLR`, { image, run: NO_ASLR }],
  ]),
);

const STARTS = 4;
const GAP_MS = 250;
const WINDOW_MS = 4000;
const WARMUP_MS = 2000;
/** Length of a turn, ms; 0: all together. */
const WINDOWS = [1000, 250, 100, 100, 100, 0, 0, 0];
const PATH = '/json?n=100';
const VUS = 8;
const LABEL = 'php-runtime-bench-starts';
const SERVER_CPUS = process.env.SERVER_CPUS ?? '0';
const LOAD_CPUS = process.env.LOAD_CPUS ?? '1';

interface Window {
  id: string;
  turnMs: number;
  startMs: number;
  durationMs: number;
  /** Server of each turn; all together: who begins first. */
  order: number[];
}

const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim();

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function removeAll(): void {
  const ids = docker('ps', '--all', '--quiet', '--filter', `label=${LABEL}`);
  if (ids) docker('rm', '--force', '--volumes', ...ids.split('\n'));
}

function findK6(): string {
  const found = docker('images', '--format', '{{.Repository}}:{{.Tag}}').split('\n');
  const names = [K6_IMAGE, K6_IMAGE.replace('grafana', 'php-runtime-bench-standin')];
  return process.env.K6_IMAGE ?? names.find((name) => found.includes(name)) ?? K6_IMAGE;
}

function startArena(): string {
  const common = ['--detach', `--label=${LABEL}`, '--network=none', `--cpuset-cpus=${LOAD_CPUS}`];
  const arena = docker('run', ...common, '--entrypoint=sleep', findK6(), 'infinity');
  docker('cp', `${import.meta.dirname}/windows.js`, `${arena}:/tmp/windows.js`);
  return arena;
}

function startServer(arena: string, { image, env, run = [] }: Arm, port: number): string {
  const variables = Object.entries({ PORT: String(port), BENCH_FACTS: '1', ...env });
  return docker(
    ...[
      'run',
      '--detach',
      `--label=${LABEL}`,
      `--network=container:${arena}`,
      `--cpuset-cpus=${SERVER_CPUS}`,
    ],
    ...['--cap-drop=ALL', ...run, ...variables.flatMap(([key, value]) => ['--env', `${key}=${value}`])],
    `php-runtime-bench/${image}:latest`,
    ...(run === NO_ASLR ? ['-R', '/usr/local/bin/serve'] : []),
  );
}

/** Reads the CPU time of a container, µs. */
function cpuReader(container: string): () => number {
  const pid = docker('inspect', '--format', '{{.State.Pid}}', container);
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n');
  for (const line of groups) {
    const [, controllers = '', path] = line.split(':');
    const v1 = `/sys/fs/cgroup/cpuacct${path}/cpuacct.usage`;
    if (controllers.split(',').includes('cpuacct') && existsSync(v1)) {
      return () => Number(readFileSync(v1, 'utf8')) / 1000;
    }
  }
  const v2 = `/sys/fs/cgroup${groups[0]?.split(':')[2]}/cpu.stat`;
  return () => Number(/^usage_usec (\d+)/m.exec(readFileSync(v2, 'utf8'))?.[1]);
}

function planWindows(): Window[] {
  const windows: Window[] = [];
  let startMs = 0;
  const add = (id: string, turnMs: number, durationMs: number) => {
    const blocks = turnMs > 0 ? Math.ceil(durationMs / turnMs / STARTS) : 1;
    const order = Array.from({ length: blocks }, () => shuffle([...Array(STARTS).keys()])).flat();
    windows.push({ id, turnMs, startMs, durationMs, order });
    startMs += durationMs + GAP_MS;
  };
  add('warmup', 100, WARMUP_MS);
  shuffle(WINDOWS).forEach((turnMs, i) => {
    add(`w${i}`, turnMs, WINDOW_MS);
  });
  return windows;
}

/** Runs k6 and reads the counters meanwhile: CPU time used up to a time since the first load, for each server. */
async function load(arena: string, plan: object, readers: (() => number)[]) {
  const script = 'cd /tmp && cat >plan.json && k6 run --quiet --address "" --log-output none windows.js';
  const settings = envFlags(k6Environment(1, totalmem()));
  const k6 = spawn('docker', ['exec', '--interactive', ...settings, arena, 'sh', '-c', script]);
  let output = '';
  let ended = false;
  k6.stdout.on('data', (text) => {
    output += text;
  });
  k6.on('close', () => {
    ended = true;
  });
  k6.stdin.end(JSON.stringify(plan));
  const samples: { at: number; used: number[] }[] = [];
  while (!ended) {
    samples.push({ at: performance.now(), used: readers.map((read) => read()) });
    await sleep(20);
  }
  const total = (used: number[] | undefined) => (used ?? []).reduce((sum, us) => sum + us, 0);
  const first = samples.findIndex(({ used }, i) => total(used) - total(samples[i - 1]?.used ?? used) > 5000);
  const began = samples[first]?.at ?? Number.NaN;
  const used = (ms: number) => samples.findLast(({ at }) => at <= began + ms)?.used as number[];
  return { counts: JSON.parse(output) as { requests: number; failures: number }[][], used };
}

async function runRound(arena: string, name: string, write: (row: object) => void): Promise<void> {
  const ports = shuffle(Array.from({ length: STARTS }, (_, i) => 18080 + i));
  const servers = ports.map((port) => startServer(arena, ARMS[name] as Arm, port));
  await sleep(1000);
  const order = shuffle([...servers.keys()]);
  const plan = {
    path: PATH,
    vus: VUS,
    gapMs: GAP_MS,
    ports: order.map((i) => ports[i]),
    windows: planWindows(),
  };
  const readers = order.map((i) => cpuReader(servers[i] as string));
  const { counts, used } = await load(arena, plan, readers);
  const round = new Date().toISOString();
  plan.windows.forEach(({ id, turnMs, startMs, durationMs }, w) => {
    // Both in the gaps, where nothing is in flight.
    const before = used(startMs - 60);
    const after = used(startMs + durationMs + 120);
    if (id === 'warmup') return;
    order.forEach((start, i) => {
      const cpuUs = Math.round((after[i] as number) - (before[i] as number));
      write({ round, arm: name, start, port: ports[start], window: id, turnMs, ...counts[w]?.[i], cpuUs });
    });
  });
  docker('rm', '--force', '--volumes', ...servers);
}

const [file, minutes = '2', ...chosen] = process.argv.slice(2);
const names = chosen.length > 0 ? chosen : Object.keys(ARMS);
if (file === undefined || !(Number(minutes) > 0) || names.some((name) => ARMS[name] === undefined)) {
  console.error(`study.ts FILE.ndjson [MINUTES] [ARM…]; arms: ${Object.keys(ARMS).join(', ')}`);
  process.exit(2);
}
const write = (row: object) => appendFileSync(file, `${JSON.stringify(row)}\n`);
removeAll();
try {
  write({
    machine: { cpu: cpus()[0]?.model, cpus: cpus().length, kernel: release() },
    at: new Date().toISOString(),
  });
  const arena = startArena();
  const end = Date.now() + Number(minutes) * 60_000;
  for (
    let queue = shuffle(names);
    Date.now() < end;
    queue = queue.length > 1 ? queue.slice(1) : shuffle(names)
  ) {
    await runRound(arena, queue[0] as string, write);
  }
} finally {
  removeAll();
}
