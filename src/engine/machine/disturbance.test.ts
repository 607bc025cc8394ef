import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { realHost } from '../../host.ts';
import { judgeDisk, judgeNow, NOW_SCRIPT } from './disturbance.ts';
import { diagnoseNeeds } from './doctor.ts';

/** As /proc prints it, with the ticks of two seconds on four CPUs. */
const now = (busy: number, steal: number, freeKiB = 4_000_000) => `1.52 0.80 0.40 2/300 4711
cpu  1000 0 500 90000 100 0 20 300 0 0
cpu  ${1000 + busy} 0 500 ${90_800 - busy - steal} 100 0 20 ${300 + steal} 0 0
MemAvailable:    ${freeKiB} kB`;
const notes = (text: string) => judgeNow(text, 4).flatMap(({ ok, what }) => (ok ? [] : [what]));

test('a quiet machine has nothing to note', () => {
  expect(notes(now(10, 1))).toEqual([]);
  expect(judgeNow(now(10, 1), 4)).toHaveLength(3);
});

test('what disturbs is named with its size', () => {
  // 194 of 200 ticks of one of four CPUs.
  expect(notes(now(194, 0))).toEqual([
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
  expect(judgeNow('', 4)).toEqual([]);
  expect(judgeNow(execFileSync('sh', ['-c', NOW_SCRIPT], { encoding: 'utf8' }), 2)).toHaveLength(3);
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
