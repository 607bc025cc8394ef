import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { realHost } from '../../host.ts';
import { judgeDisk, judgeNow, NOW_SCRIPT } from './disturbance.ts';
import { diagnoseNeeds } from './doctor.ts';

/** As /proc prints it, with the ticks of two seconds on a machine of so many CPUs, whose others are idle. */
function statOf(cpus: number, busy: readonly number[], steal = 0, freeKiB = 4_000_000): string {
  const lineOf = (cpu: number, used: number, stolen: number, idle: number) =>
    `cpu${cpu} ${1000 + used} 0 500 ${90_000 + idle} 100 0 20 ${300 + stolen} 0 0\n`;
  const all = Array.from({ length: cpus }, (_, cpu) => cpu);
  const before = all.map((cpu) => lineOf(cpu, 0, 0, 0)).join('');
  const after = all.map((cpu) => {
    const [used, stolen] = [busy[cpu] ?? 0, cpu === 0 ? steal : 0];
    return lineOf(cpu, used, stolen, 200 - used - stolen);
  });
  return `1.52 0.80 0.40 2/300 4711\n${before}${after.join('')}MemAvailable:    ${freeKiB} kB\n`;
}

const FOUR = [0, 1, 2, 3];
const now = (busy: number, steal: number, freeKiB?: number) => statOf(4, [busy], steal, freeKiB);
const notes = (text: string, cpus = FOUR) =>
  judgeNow(text, cpus).flatMap(({ ok, what }) => (ok ? [] : [what]));

test('a quiet machine has nothing to note', () => {
  expect(notes(now(10, 1))).toEqual([]);
  expect(judgeNow(now(10, 1), FOUR)).toHaveLength(3);
});

test('only CPUs that a run may use count', () => {
  const others = Array.from({ length: 64 }, (_, cpu) => (cpu < 6 ? 0 : 200));
  expect(notes(statOf(64, others), [0, 1, 2, 3, 4, 5])).toEqual([]);
  expect(judgeNow(statOf(64, others), [0, 1, 2, 3, 4, 5])).toHaveLength(3);
  expect(notes(statOf(64, [0, 0, 200]))).toEqual([
    expect.stringMatching(/^other programs use 100 % of one CPU/),
  ]);
});

test('what disturbs is named with its size', () => {
  // 194 of 200 ticks of one of four CPUs.
  expect(notes(`allowed 0-3\ncpu 0 0\n${now(194, 0)}`)).toEqual([
    expect.stringMatching(/use 97 % of one CPU now, load average 1\.52: /),
  ]);
  expect(notes(now(10, 40))).toEqual([
    expect.stringMatching(/hypervisor takes 5\.0 % of the CPU time now: /),
  ]);
  expect(notes(now(10, 0, 500_000))).toEqual(['0.5 GiB of memory available: 1.0 GiB or more are needed']);
  expect(judgeDisk(2 ** 30, '/x')).toEqual({
    ok: false,
    what: '1.0 GiB free on the disk of /x: 2.0 GiB or more are needed',
  });
});

test('a machine without /proc is not judged, this one is', () => {
  expect(judgeNow('', FOUR)).toEqual([]);
  expect(judgeNow(execFileSync('sh', ['-c', NOW_SCRIPT], { encoding: 'utf8' }), [0])).toHaveLength(3);
});

test('what the configuration needs and this machine lacks is named with how to install it', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  try {
    const services = { file: '/compose.yml', reset: {} };
    const needs = await diagnoseNeeds(realHost, { services, coldStart: true }, false);
    expect(needs.map(({ ok }) => ok)).toEqual([false, false]);
    expect(needs[0]?.what).toMatch(/docker compose.*Debian 13.*Ubuntu.*Debian 12.*macOS/);
    expect(needs[1]?.what).toContain('apt-get install hyperfine');
    // Nothing is asked for what is not used.
    expect(await diagnoseNeeds(realHost, {}, false)).toEqual([]);
    expect(await diagnoseNeeds(realHost, { coldStart: true, setUp: 'php install.php' }, false)).toEqual([]);
    const [remote] = await diagnoseNeeds(realHost, { coldStart: true }, true);
    expect(remote).toEqual({ ok: false, what: expect.stringContaining('engine on another machine') });
  } finally {
    vi.unstubAllEnvs();
  }
});
