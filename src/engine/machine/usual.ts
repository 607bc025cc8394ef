import { mean, median, sampleStandardDeviation } from 'simple-statistics';
import type { Host } from '../../host.ts';
import type { Measurement, Results } from '../../results/results.ts';
import { FOREIGN_CPU, STALL, STEAL } from '../../stats/limits.ts';
import type { Finding } from './finding.ts';
import type { Machine } from './machine.ts';

/** The usual noise of a machine: from repeated work, and from an earlier run. */

/** With these it takes about four seconds. */
const REPEATS = 20;
const EACH_MS = 200;
/** Above this SD a note: quiet machines stay below a hundredth. */
const SPREAD = 0.03;

/** How long the same work took each time, ms. Its length is found first. */
export function repeatWork(host: Pick<Host, 'elapsed'>): number[] {
  const time = (rounds: number) => {
    const began = host.elapsed();
    work(rounds);
    return host.elapsed() - began;
  };
  let rounds = 1_000_000;
  // Twice, as the first round is compiled on the way.
  for (let i = 0; i < 2; i++) rounds = Math.ceil((rounds * EACH_MS) / Math.max(1, time(rounds)));
  return Array.from({ length: REPEATS }, () => time(rounds));
}

function work(rounds: number): number {
  let x = 1;
  for (let i = 0; i < rounds; i++) x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) + i;
  return x;
}

export function judgeRepeats(timesMs: readonly number[]): Finding {
  const spread = sampleStandardDeviation(timesMs as number[]) / mean(timesMs as number[]);
  const [least, most] = [Math.min(...timesMs), Math.max(...timesMs)].map(Math.round);
  const ok = spread <= SPREAD;
  const advice = ok
    ? ''
    : ': single slices vary at least as much; `doctor --aa` shows which changes can still be detected';
  return {
    ok,
    what: `the same work took ${least} to ${most} ms, ${timesMs.length} times in a row (SD ${percents(spread)})${advice}`,
  };
}

/** Disturbances in an earlier run on this machine; null: there is none in the folder. */
export function judgePast(past: Results | null, machine: Machine, folder: string): Finding[] {
  const here = past?.host.cpuModel === machine.cpuModel && past.host.cpus === machine.cpus.length;
  const slices = past?.measurements.filter(({ outcome }) => outcome !== 'void') ?? [];
  if (!past || !here || slices.length === 0) {
    const what = `no earlier run on this machine in ${folder}: \`php-runtime-bench doctor --aa\` measures the usual noise in about two minutes`;
    return [{ ok: true, what }];
  }
  const seen = [
    ...guard(
      'steal',
      STEAL,
      slices.flatMap(({ guards }) => guards.stealRatio ?? []),
      percents,
    ),
    ...guard(
      'CPU of others',
      FOREIGN_CPU,
      slices.flatMap(({ guards }) => guards.foreignCpuRatio ?? []),
      percents,
    ),
    ...guard(
      'stalls',
      STALL,
      slices.flatMap(({ guards }) => guards.stallMs ?? []),
      (ms) => `${Math.round(ms)} ms`,
    ),
  ];
  const spread = spreadOfSlices(slices);
  const words = [
    ...seen.map(({ what }) => what),
    ...(spread === null ? [] : [`RPS of slices of one start differs by ${percents(spread)} (SD)`]),
  ];
  const day = past.run.started.slice(0, 10);
  return [
    {
      ok: seen.every(({ ok }) => ok),
      what: `in ${slices.length} slices of the run of ${day} in ${folder}: ${words.join('; ')}`,
    },
  ];
}

/** Median, the highest, and how often it was above its limit. */
function guard(
  name: string,
  limit: number,
  found: readonly number[],
  say: (value: number) => string,
): Finding[] {
  if (found.length === 0) return [];
  const above = found.filter((value) => value > limit).length / found.length;
  return [
    {
      ok: above <= 0.25,
      what: `${name} ${say(median(found as number[]))} (median), at most ${say(Math.max(...found))}, above ${say(limit)} in ${percents(above)} of them`,
    },
  ];
}

/** SD of ln(RPS) between slices of one start, pooled over all starts; null where each has one. */
function spreadOfSlices(slices: readonly Measurement[]): number | null {
  const starts = new Map<string, number[]>();
  for (const { variant, scenario, instance, achievedRps, outcome } of slices) {
    if (outcome !== 'ok' || achievedRps <= 0) continue;
    const key = JSON.stringify([variant, scenario, instance]);
    starts.set(key, [...(starts.get(key) ?? []), Math.log(achievedRps)]);
  }
  const several = [...starts.values()].filter(({ length }) => length > 1);
  if (several.length === 0) return null;
  return Math.sqrt(mean(several.map((logs) => sampleStandardDeviation(logs) ** 2)));
}

const percents = (share: number) => `${(share * 100).toFixed(1)} %`;
