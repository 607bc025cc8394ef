import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseLoad } from '../../src/config/parts/load.ts';
import type { Scenario } from '../../src/config/types.ts';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import { realHost } from '../../src/host.ts';
import { compileLoad } from '../../src/plan/timeline/load-steps.ts';
import type { Slice } from '../../src/plan/timeline/slices.ts';
import { journeyModule, type K6Summary, k6Environment, makeK6Plan, sliceId } from '../../src/run/load/k6.ts';
import { expectationOf, see } from '../../src/run/verify/checked.ts';
import { COPIES, writeCopy } from './copies.ts';
import { PAGES, type Page, PageServer, textOf } from './server.ts';
import { excessOf, groupTurns, type Round, readingOf, trimmedMean } from './summary.ts';
import { cutTurns, drawTurns, type Reading } from './turns.ts';

const HOST = 'app.test';
const PATH = '/';
const TURN_MS = 100;
/** Pause at the end of a turn. */
const PAUSE_MS = 20;
/** Turns of a round: a multiple of twice the arms. */
const TURNS = 240;
const WARMUP_TURNS = 10;
const VUS = 16;
const STANDINS = 'php-runtime-bench-standin';

/** Work of k6 beside the requests. The second is the first once more: their difference is the error of the method. */
const ARMS = [
  { name: 'nothing', copy: 'bare', reads: false },
  { name: 'nothing (A/A)', copy: 'bare', reads: false },
  { name: 'compare the status', copy: 'compared', reads: false },
  { name: 'and find resent requests', copy: 'full', reads: false },
  { name: 'and read bodies', copy: 'full', reads: true },
] as const;
const READING = ARMS.length - 1;
const WARMUP = { name: 'warm-up', copy: 'full', reads: true } as const;

async function docker(...args: string[]): Promise<void> {
  const { code, stderr } = await realHost.exec('docker', args);
  if (code !== 0) throw new Error(`docker ${args.slice(0, 2).join(' ')}: ${stderr}`);
}

async function imageOf(official: string): Promise<string> {
  const { code } = await realHost.exec('docker', ['image', 'inspect', official]);
  return code === 0 ? official : `${STANDINS}/${official.split('/').at(-1)}`;
}

/** A container with k6, our modules, and their copies without what is measured here. */
async function startK6(name: string, folder: string): Promise<void> {
  const image = await imageOf(K6_IMAGE);
  const host = ['--pid', 'host', '--network', 'host', '--entrypoint', 'sleep'];
  const cpus = ['--cpuset-cpus', process.env.LOAD_CPUS ?? '1'];
  await docker('run', '--detach', '--name', name, ...host, ...cpus, image, 'infinity');
  for (const [copy, lacks] of Object.entries(COPIES)) writeCopy(join(folder, copy), lacks);
  mkdirSync(join(folder, 'arms'));
  cpSync(join(import.meta.dirname, 'arms.js'), join(folder, 'arms/arms.js'));
  chmodSync(folder, 0o777);
  await docker('cp', folder, `${name}:/tmp/bench`);
  await docker('exec', '--user', '0', name, 'chmod', '-R', 'a+rwX', '/tmp/bench');
}

/** One k6 process: every arm in many short turns. */
function planRound(page: Page, port: number, order: readonly number[]) {
  const durationMs = order.length * TURN_MS;
  const load = parseLoad(`vus(${VUS}, ${durationMs}ms)`);
  const scenario: Scenario = {
    ...{ name: 'watch', title: '', journey: { kind: 'paths', paths: [PATH] } },
    ...{ load, timeoutMs: 2000, warmupMs: 0, blocks: 1, reuse: true, slo: {} },
  };
  const slices: Slice[] = [...ARMS, WARMUP].map(({ name }, arm) => ({
    ...{ number: arm, variant: name, block: 0, warmup: false, startMs: 0, duet: null, turnMs: TURN_MS },
    turns: order.flatMap((of, turn) => (of === arm ? [turn] : [])),
    steps: compileLoad(load, scenario),
    durationMs,
  }));
  const seen = see(undefined, {
    status: 200,
    error: '',
    type: 'text/html',
    location: '',
    body: textOf(page),
  });
  const checkedOf = (name: string) => {
    const { reads } = ARMS.find((arm) => arm.name === name) ?? WARMUP;
    return { [PATH]: expectationOf(seen, reads) };
  };
  const ports = Object.fromEntries(slices.map(({ variant }) => [variant, port]));
  const plan = makeK6Plan({ scenario, slices, drainMs: 100 }, ports, { host: HOST }, checkedOf);
  const arms = Object.fromEntries(slices.map((slice, i) => [sliceId(slice), (ARMS[i] ?? WARMUP).copy]));
  return { plan: { ...plan, arms, pauseMs: PAUSE_MS }, slices, journey: journeyModule(scenario) };
}

async function measure(k6: string, page: Page): Promise<Round> {
  const server = new PageServer(page);
  try {
    const order = [...Array<number>(WARMUP_TURNS).fill(ARMS.length), ...drawTurns(ARMS.length, TURNS)];
    const { plan, slices, journey } = planRound(page, await server.listen(), order);
    const { metrics, readings } = await load(k6, plan, journey, server);
    const others = Object.entries(metrics).filter(([name]) => name.startsWith('bench_others'));
    const differing = others.find(([, { count = 0 }]) => count > 0);
    if (differing) throw new Error(`not the checked page: ${differing[0]}`);
    const startMs = metrics.bench_slice_start?.value ?? 0;
    const turns = cutTurns(readings, order, { startMs, turnMs: TURN_MS, pauseMs: PAUSE_MS });
    const bodies = metrics[`bench_read{slice:${sliceId(slices[READING] as Slice)},endpoint:e0}`]?.count ?? 0;
    return { turns: turns.slice(WARMUP_TURNS), bodies };
  } finally {
    server.close();
  }
}

async function load(k6: string, plan: object, journey: string, server: PageServer) {
  const script = `cd /tmp/bench && tee bare/plan.json compared/plan.json >full/plan.json &&
    printf %s "$1" | tee bare/journey.js compared/journey.js >full/journey.js &&
    echo $$ >&2 && exec k6 run --quiet --address "" arms/arms.js`;
  const settings = Object.entries(k6Environment(1, 8 * 2 ** 30));
  const env = settings.flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const child = spawn('docker', ['exec', '--interactive', ...env, k6, 'sh', '-c', script, 'sh', journey]);
  const stdout: string[] = [];
  const stderr: string[] = [];
  child.stdout.on('data', (data) => stdout.push(String(data)));
  child.stderr.on('data', (data) => stderr.push(String(data)));
  child.stdin.end(JSON.stringify(plan));
  const readings: Reading[] = [];
  const timer = setInterval(() => {
    const pid = /^\d+/.exec(stderr[0] ?? '')?.[0];
    const cpuSeconds = pid === undefined ? null : readCpu(pid);
    if (cpuSeconds !== null) readings.push({ atMs: Date.now(), cpuSeconds, served: server.served });
  }, 5);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(stderr.join('').slice(-1000));
  const { metrics }: K6Summary = JSON.parse(stdout.join(''));
  return { metrics, readings };
}

/** CPU time of all threads of a process on this machine, s; null if it has ended. */
function readCpu(pid: string): number | null {
  try {
    const files = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}/schedstat`);
    const ns = files.map((file) => Number(readFileSync(file, 'utf8').split(' ')[0]));
    return ns.reduce((sum, one) => sum + one, 0) / 1e9;
  } catch {
    return null;
  }
}

function print(page: Page, rounds: readonly Round[]): void {
  const groups = rounds.flatMap(({ turns }) => groupTurns(turns, ARMS.length));
  ARMS.forEach(({ name }, arm) => {
    const { value } = trimmedMean(groups.map((group) => group[arm] as number));
    const more = excessOf(groups, arm);
    const cell = arm === 0 ? '' : `${more.value.toFixed(2)} ± ${more.half.toFixed(2)} %`;
    console.log(`| ${page.name} | ${name} | ${value.toFixed(1)} | ${cell} |`);
  });
  const { bodiesASecond, us } = readingOf(rounds, groups, READING, (TURN_MS - PAUSE_MS) / 1000);
  process.stderr.write(
    `${page.name}: ${bodiesASecond.toFixed(0)} bodies read a second, ${us.value.toFixed(0)} ± ${us.half.toFixed(0)} µs each\n`,
  );
}

const count = Number(process.argv[2] ?? 10);
const name = `bench-watch-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'bench-watch-'));
try {
  await startK6(name, folder);
  console.log('| page | what k6 does | CPU of k6 per request, µs | more than with nothing |');
  console.log('| --- | --- | --- | --- |');
  for (const page of PAGES) {
    const rounds: Round[] = [];
    while (rounds.length < count) rounds.push(await measure(name, page));
    print(page, rounds);
  }
} finally {
  await realHost.exec('docker', ['rm', '--force', name]);
  rmSync(folder, { recursive: true });
}
