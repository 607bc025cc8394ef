/** scenarios/lib/sampler.sh with much to read. It runs alone: beside other tests no moment is calm enough to judge it by. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Samples } from '../../src/run/sample/samples.ts';
import { FOREIGN_CPU, STALL } from '../../src/stats/limits.ts';
import { root as repository } from './bench.ts';

const script = join(repository, 'scenarios/lib/sampler.sh');

function run(command: string, env: Record<string, string>): string[] {
  const { stdout, stderr } = spawnSync('sh', ['-c', command, script], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

/** Uptimes at which a sleeper beside the sampler woke, s, from its lines. */
const wakesIn = (lines: readonly string[]) =>
  lines.flatMap((line) => (line.startsWith('awake ') ? [Number(line.slice(6))] : []));

test('takes its own reading of 64 containers for no stall', ({ skip }) => {
  const containers = 64;
  const root = mkdtempSync(join(tmpdir(), 'cgroup-'));
  try {
    const path = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    if (path === undefined) return skip('a kernel without cgroup v2 knows no path in it');
    const group = join(root, path);
    mkdirSync(group, { recursive: true });
    writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory\n');
    // So long that reading takes longer than the limit of a stall, however fast the machine is.
    const statistics = Array.from({ length: 1000 }, (_, i) => `counter_${i} ${i}\n`).join('');
    writeFileSync(join(group, 'cpu.stat'), 'usage_usec 1\n');
    writeFileSync(join(group, 'memory.stat'), `anon 4096\n${statistics}`);
    writeFileSync(join(group, 'memory.events'), 'oom_kill 0\n');
    writeFileSync(join(group, 'cgroup.procs'), '1\n');
    const lines = run(
      // So many samples, however long they take. Beside it, a process that does nothing but sleep for as long.
      `sleep 600 & pid=$!
       while sleep 0.1 && [ -d /proc/$pid ]; do read -r now _ </proc/uptime; echo "awake $now"; done &
       { echo "1 ${'$pid '.repeat(containers)}"; while [ -d /proc/$pid ]; do sleep 0.1; done; sleep 1; } |
         sh "$0" $pid | awk '{ print; fflush() } /^done/ && ++n == 30 { system("kill '$pid'") }'`,
      { CGROUP_ROOT: root },
    );
    const samples = new Samples();
    for (const line of lines) samples.add(line);
    expect(samples.memory.length).toBeGreaterThan(0);
    expect(samples.memory.every((sample) => sample.containers.length === containers)).toBe(true);
    const wakes = wakesIn(lines).map((uptime) => (samples.bootMs ?? 0) + 1000 * uptime);
    const cpus = Array.from({ length: (samples.host[0]?.ticks.length ?? 0) / 2 }, (_, cpu) => cpu);
    /** By two accounts that the sampler has no part in: a CPU was idle, and a process that only sleeps woke in time. */
    const isCalm = (fromMs: number, toMs: number) => {
      const [first, last] = [wakes.findLastIndex((ms) => ms <= fromMs), wakes.findIndex((ms) => ms >= toMs)];
      const used = samples.disturbance(cpus, fromMs, toMs);
      if (first < 0 || last < 0 || used === null || cpus.length < 2) return false;
      const sleeps = wakes.slice(first + 1, last + 1).map((ms, i) => ms - (wakes[first + i] as number));
      // The sampler uses one CPU at most.
      const isIdle = (used.foreign + used.steal) * cpus.length <= 1 + FOREIGN_CPU * cpus.length;
      return isIdle && Math.max(...sleeps) < 100 + STALL / 2;
    };
    const times = samples.cpu.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((toMs, i) => ({ fromMs: times[i] as number, toMs }));
    const late = gaps.filter(({ fromMs, toMs }) => toMs - fromMs > 100 + STALL);
    const calm = late.filter(({ fromMs, toMs }) => isCalm(fromMs, toMs));
    const stallsIn = (some: typeof gaps) =>
      some.filter(({ fromMs, toMs }) => (samples.stallMs(fromMs, toMs) ?? 0) > STALL).length;
    expect(late.length).toBeGreaterThan(gaps.length / 6);
    if (calm.length === 0) return skip('other work was there all the while, or this machine has one CPU');
    expect(stallsIn(calm)).toBe(0);
  } finally {
    rmSync(root, { recursive: true });
  }
});
