/** scenarios/lib/sampler.sh on the control groups of this machine, and on a tree as cgroup v2 has it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { makeFolder } from '../../../test/fixtures/temporary.ts';
import { realHost } from '../../host.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { K6Summary } from '../load/k6.ts';
import type { Engine } from '../world.ts';
import { keepLines, type Watch, waitForSamples } from './sampler.ts';
import { Samples } from './samples.ts';

const script = join(import.meta.dirname, '../../../scenarios/lib/sampler.sh');
const linux = process.platform === 'linux';

/** Lets the sampler look at a process twice, which then ends, and it with it. */
function sample(env: Record<string, string> = {}): Promise<string[]> {
  const command = `
    sleep 3 & pid=$!
    { echo "1 $pid $pid"; while [ -d /proc/$pid ]; do sleep 0.1; done; sleep 1; } | exec sh "$0" $pid`;
  return run(command, env);
}

async function run(command: string, env: Record<string, string> = {}): Promise<string[]> {
  const { stdout, stderr } = await realHost.exec('sh', ['-c', command, script], { env });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

/** A folder of one test. */
function folderOf({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): string {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function read(lines: readonly string[]): Samples {
  const samples = new Samples();
  for (const line of lines) samples.add(line);
  return samples;
}

// Each takes seconds of waiting: many wait at once.
describe.skipIf(!linux).concurrent('sampler.sh', () => {
  test('ties uptime to the wall clock and ends with the first process', async () => {
    const beforeMs = Date.now();
    const lines = await sample();
    const afterMs = Date.now();
    const samples = read(lines);
    expect(lines[0]).toMatch(/^clock \d+\.\d\d \d+\.\d\d$/);
    expect(lines[1]).toBe('watch 1');
    expect(samples.cpu.length).toBeGreaterThan(3);
    const lastMs = samples.cpu.at(-1)?.atMs;
    expect(lastMs).toBeGreaterThan(beforeMs);
    expect(lastMs).toBeLessThan(afterMs);
    expect(samples.cpu[0]?.usedUs).toHaveLength(2);
    expect(samples.host.length).toBeGreaterThan(1);
    const cpus = Number(execFileSync('nproc', ['--all'], { encoding: 'utf8' }));
    expect((samples.host[0]?.ticks.length ?? 0) / 2).toBeLessThanOrEqual(cpus);
  });

  /** The sampler's lines with another `date`, a shell script that can run the real one as "$date" "$@" and keep files in $here. */
  function sampleWithDate(folder: string, script: string, told: string): Promise<string[]> {
    const date = execFileSync('sh', ['-c', 'command -v date'], { encoding: 'utf8' }).trim();
    const head = `#!/bin/sh\ndate=${date} here=${folder}`;
    writeFileSync(join(folder, 'date'), `${head}\n${script}\nexec "$date" "$@"\n`, { mode: 0o755 });
    const command = `here=${folder}; { ${told}; } | exec sh "$0" $$`;
    return run(command, { PATH: `${folder}:${process.env.PATH}` });
  }

  /** A `date` that is off by so many seconds once there is a file. */
  const setBy = (seconds: string) =>
    `if [ -e $here/set ]; then exec "$date" --date "${seconds} seconds" "$@"; fi`;
  const knowsTime = () => {
    const known = execFileSync('sh', ['-c', 'echo "$EPOCHREALTIME"'], { encoding: 'utf8' }).trim();
    return known !== '' && 'this shell does not ask `date`, which the test replaces';
  };
  const IN_LOAD = 'echo "1 $$"; sleep 2; : >$here/set; sleep 3';
  const BEFORE_WATCH = 'sleep 2; : >$here/set; sleep 0.5; echo "1 $$"; sleep 3';

  test.for([
    ['back by an hour', '-3600', -3_600_000, IN_LOAD],
    ['forward by a quarter of a second', '0.25', 250, IN_LOAD],
    ['back before there is anything to watch', '-3600', -3_600_000, BEFORE_WATCH],
    ['not at all', '0', null, IN_LOAD],
  ] as const)('ties uptime to the wall clock again when that was set %s', async (given, context) => {
    const [, seconds, stepMs, told] = given;
    const why = knowsTime();
    if (why) return context.skip(why);
    const lines = await sampleWithDate(folderOf(context), setBy(seconds), told);
    const samples = read(lines);
    const clocks = lines.filter((line) => line.startsWith('clock '));
    expect(clocks).toHaveLength(stepMs === null ? 1 : 2);
    expect(samples.clockSteps).toHaveLength(clocks.length - 1);
    // The clock is found by processes that take their time, on a busy machine much of it.
    if (stepMs !== null) expect(Math.abs((samples.clockSteps[0] ?? 0) - stepMs)).toBeLessThan(1000);
    expect(samples.cpu.length).toBeGreaterThan(3);
  });

  test('ties uptime to the wall clock by another look where it was kept waiting in one', async (context) => {
    const why = knowsTime();
    if (why) return context.skip(why);
    // The first two times are 3 s old when the sampler has them.
    const late = `
      echo >>$here/looks
      if [ "$(wc -l <$here/looks)" -le 2 ]; then "$date" "$@"; sleep 3; exit; fi`;
    const lines = await sampleWithDate(folderOf(context), late, 'sleep 7; echo "1 $$"; sleep 2');
    const [, wall = 0, uptime = 0] = lines[0]?.split(' ').map(Number) ?? [];
    const [now = 0] = readFileSync('/proc/uptime', 'utf8').split(' ').map(Number);
    const lateMs = Date.now() - 1000 * (now + wall - uptime);
    // Uptime has a grid of 10 ms.
    expect(lateMs).toBeGreaterThan(-20);
    expect(lateMs).toBeLessThan(1000);
    expect(lines.filter((line) => line.startsWith('clock '))).toHaveLength(1);
  });

  test('watches what it was given last, −1 for what is gone, and ends with standard input', async (context) => {
    const folder = folderOf(context);
    // 2²² is the highest pid that Linux gives.
    const told = '{ echo "1 $$"; sleep 2; echo "2 $$ 4194304 $$"; sleep 3; } | exec sh "$0" $$';
    const lines = await run(told, { TMPDIR: folder });
    const second = lines.indexOf('watch 2');
    const widths = (some: string[]) =>
      new Set(some.filter((line) => /^(cpu|mem)/.test(line)).map((line) => line.split(' ').length - 2));
    expect(widths(lines.slice(0, second))).toEqual(new Set([1]));
    expect(widths(lines.slice(second))).toEqual(new Set([3]));
    expect(lines.filter((line) => /^cpu \S+ \d+ -1 \d+$/.test(line)).length).toBeGreaterThan(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('reads cgroup v2', async (context) => {
    const path = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    if (path === undefined) return context.skip('a kernel without cgroup v2 knows no path in it');
    const folder = folderOf(context);
    const group = join(folder, path);
    mkdirSync(group, { recursive: true });
    writeFileSync(join(folder, 'cgroup.controllers'), 'cpu memory\n');
    writeFileSync(
      join(group, 'cpu.stat'),
      'usage_usec 123456\nuser_usec 1\nsystem_usec 2\nthrottled_usec 789\n',
    );
    writeFileSync(join(group, 'memory.stat'), 'anon 4096\nfile 999999\nshmem 1024\n');
    writeFileSync(join(group, 'memory.events'), 'low 0\noom 5\noom_kill 3\n');
    writeFileSync(join(group, 'cgroup.procs'), '1\n2\n3\n');
    const samples = new Samples();
    for (const line of await sample({ CGROUP_ROOT: folder })) samples.add(line);
    expect(samples.cpu[0]?.usedUs).toEqual([123456, 123456]);
    const container = { bytes: 5120, processes: 3, throttledUs: 789, oomKills: 3 };
    expect(samples.memory[0]?.containers).toEqual([container, container]);
  });
});

describe('samples of the end of a load', () => {
  const slice = { number: 7, startMs: 0, durationMs: 1000, warmup: false, variant: 'a', block: 0 };
  const batch = { slices: [slice], drainMs: 500 } as unknown as Batch;
  const waitedMs = async (
    samples: Samples,
    during: (elapsed: number) => void,
    summary: K6Summary | null = null,
  ) => {
    let elapsed = 0;
    const sleep = async (ms: number) => {
      elapsed += ms;
      during(elapsed);
    };
    const engine = { host: { elapsed: () => elapsed, sleep }, signal: new AbortController().signal };
    await waitForSamples(engine as unknown as Engine, { samples } as Watch, batch, summary);
    return elapsed;
  };
  const never = () => {};

  test('are waited for as long as the sampler reads', async () => {
    expect(await waitedMs(read(['clock 100 1']), never)).toBeGreaterThan(14_000);
    const samples = read(['clock 100 1']);
    const end = (elapsed: number) => {
      samples.ended = elapsed >= 100;
    };
    expect(await waitedMs(samples, end)).toBe(100);
    expect(await waitedMs(Object.assign(read(['clock 100 1']), { ended: true }), never)).toBe(0);
    expect(await waitedMs(read([]), never)).toBe(0);
  });

  test('are waited for until memory was read within a short load, and behind a failed one', async () => {
    // Uptime is 0 at 100 s: the load is from 110 to 111 s, and its drain ends at 111.5 s.
    const summaryOf = (passes: number) => ({
      ...{ durationMs: 1000, endedMs: 111_000, endpoints: [] },
      metrics: { 'http_req_failed{slice:s7}': { passes } },
    });
    const sampled = ['clock 100 0', 'mem 9.90 1:1:0:0', 'cpu 11.60 0', 'done 11.60'];
    const waits = (passes: number, memoryAt: string) => {
      const samples = read(sampled);
      const readMemory = (elapsed: number) => {
        if (elapsed === 200) samples.add(`mem ${memoryAt} 1:1:0:0`);
      };
      return waitedMs(samples, readMemory, summaryOf(passes));
    };
    expect(await waits(0, '10.10')).toBe(200);
    expect(await waits(1, '11.60')).toBe(200);
    expect(await waits(1, '10.10')).toBeGreaterThan(14_000);
  });
});

describe('raw lines', () => {
  test('are written in their order, thousands at once and the rest at the end', async () => {
    const pieces: string[] = [];
    const raw = keepLines(async (text) => {
      pieces.push(text);
    });
    const lines = Array.from({ length: 12_000 }, (_, i) => `cpu ${i}`);
    for (const line of lines) raw.add(line);
    await raw.flush();
    expect(pieces.map((piece) => piece.split('\n').length - 1)).toEqual([5000, 5000, 2000]);
    expect(pieces.join('')).toBe(`${lines.join('\n')}\n`);
    await raw.flush();
    expect(pieces).toHaveLength(3);
  });

  test('report at the end that they could not be written', async () => {
    const raw = keepLines(() => Promise.reject(new Error('ENOSPC')));
    raw.add('cpu 1');
    await expect(raw.flush()).rejects.toThrow('ENOSPC');
  });
});
