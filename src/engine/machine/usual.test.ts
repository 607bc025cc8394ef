import { expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import type { Results } from '../../results/results.ts';
import { judgePast, judgeRepeats, repeatWork } from './usual.ts';

const past = (change: (results: Results) => void = () => {}) => {
  const results = fixtures.quick?.() as Results;
  change(results);
  return results;
};
const machine = {
  cpus: Array.from({ length: past().host.cpus }, (_, cpu) => ({ cpu, core: cpu })),
  ...{ cpuModel: past().host.cpuModel, governor: null, virtual: true },
};
const tell = (results: Results | null) => judgePast(results, machine, 'bench-results')[0];

/** By the CPU time of this process, other work on the machine makes no difference. */
const cpuClock = { elapsed: () => process.cpuUsage().user / 1000 };

test('the same work, again and again, takes some seconds in all', () => {
  const times = repeatWork(cpuClock);
  const seconds = times.reduce((sum, ms) => sum + ms, 0) / 1000;
  expect(times).toHaveLength(20);
  expect(Math.min(...times)).toBeGreaterThan(20);
  expect(seconds).toBeLessThan(10);
}, 30_000);

test('how far its times lie apart', () => {
  expect(judgeRepeats([200, 202, 198, 200])).toEqual({
    ok: true,
    what: 'the same work took 198 to 202 ms, 4 times in a row (SD 0.8 %)',
  });
  const noisy = judgeRepeats([200, 260, 180, 200]);
  expect(noisy.ok).toBe(false);
  expect(noisy.what).toMatch(/SD 16\.5 %\): .*doctor --aa/);
});

test('what an earlier run on this machine has seen', () => {
  const found = tell(
    past(({ measurements }) => {
      measurements.forEach(({ guards }, i) => {
        Object.assign(guards, { stealRatio: i < 9 ? 0.08 : 0.002, foreignCpuRatio: 0.01, stallMs: 3 });
      });
    }),
  );
  const count = past().measurements.length;
  expect(found?.what).toMatch(
    new RegExp(
      `^in ${count} slices of the run of 2026-01-31 in bench-results: steal 0\\.2 % \\(median\\), at most 8\\.0 %, above 1\\.0 % in 25\\.0 % of them; CPU of others 1\\.0 %.*; stalls 3 ms.*; RPS of slices of one start differs by \\d\\.\\d % \\(SD\\)$`,
    ),
  );
});

test.each<[string, boolean, number]>([
  ['seldom', true, 0.2],
  ['often', false, 0.4],
])('steal that is there %s', (_, ok, share) => {
  const found = tell(
    past(({ measurements }) => {
      measurements.forEach(({ guards }, i) => {
        guards.stealRatio = i < share * measurements.length ? 0.08 : 0;
      });
    }),
  );
  expect(found?.ok).toBe(ok);
});

test.each<[string, Results | null]>([
  ['no run', null],
  ['a run on another machine', past(({ host }) => Object.assign(host, { cpuModel: 'another' }))],
  ['a run without slices', past((results) => Object.assign(results, { measurements: [] }))],
])('after %s: how to find out', (_, results) => {
  expect(tell(results)).toMatchObject({ ok: true, what: expect.stringContaining('doctor --aa') });
});
