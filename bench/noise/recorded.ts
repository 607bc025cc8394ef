/** Recorded series as the candidates take them. Pure. */
import { mean } from 'simple-statistics';
import { FOREIGN_CPU, STALL, STEAL } from '../../src/stats/limits.ts';
import type { ComparisonLine } from '../power/data.ts';
import type { Block, Starts } from './candidates.ts';
import type { Simulated } from './worlds.ts';

type Column = (number | null)[] | undefined;

/** A recorded comparison; null where nothing was measured, or it has no duets. */
export function readStarts({ slices, duets }: ComparisonLine): Simulated | null {
  if (!slices.instance || !duets?.instance) return null;
  const at = (column: Column, i: number) => column?.[i] ?? 0;
  const guardsOf = (of: typeof slices | typeof duets, i: number) => ({
    foreign: at(of.foreign, i) / FOREIGN_CPU,
    steal: at(of.steal, i) / STEAL,
    stall: at(of.stallMs, i) / STALL,
  });
  const turns = (of: Column) =>
    group(slices.instance as number[], slices.block as number[], (rows) => {
      const [base, head] = [0, 1].map((side) =>
        rows.find((i) => slices.head?.[i] === side && slices.ok?.[i]),
      );
      if (base === undefined || head === undefined) return null;
      const [a, b] = [at(of, head), at(of, base)];
      const steal = (i: number) => at(slices.steal, i);
      return a > 0 && b > 0
        ? { ...guardsOf(slices, head), diff: Math.log(a / b), stealDiff: steal(head) - steal(base) }
        : null;
    });
  const together = group(duets.instance as number[], duets.block as number[], (rows) => {
    const good = rows.filter((i) => duets.ok?.[i]);
    if (good.length < 2) return null;
    const us = (i: number, cpu: Column, requests: Column) => at(cpu, i) / at(requests, i);
    const ratios = good.map((i) =>
      Math.log(us(i, duets.headUs, duets.headRequests) / us(i, duets.baseUs, duets.baseRequests)),
    );
    const guards = good.map((i) => guardsOf(duets, i));
    const most = (key: 'foreign' | 'steal' | 'stall') => Math.max(...guards.map((one) => one[key]));
    const diff = mean(ratios);
    if (!Number.isFinite(diff)) return null;
    return { diff, foreign: most('foreign'), steal: most('steal'), stall: most('stall'), stealDiff: 0 };
  });
  return { duets: together, cpu: turns(slices.cpuUs), rps: turns(slices.rps) };
}

/** Rows by start and block; what a block shows. */
function group(
  instance: readonly number[],
  block: readonly number[],
  of: (rows: number[]) => Block | null,
): Starts {
  const starts = new Map<number, Map<number, number[]>>();
  instance.forEach((start, i) => {
    const blocks = starts.get(start) ?? new Map<number, number[]>();
    blocks.set(block[i] as number, [...(blocks.get(block[i] as number) ?? []), i]);
    starts.set(start, blocks);
  });
  return [...starts.values()]
    .map((blocks) => [...blocks.values()].flatMap((rows) => of(rows) ?? []))
    .filter((blocks) => blocks.length > 0);
}

/** The sides of some starts exchanged, and a change put on top: of equal sides as good a comparison as the recorded one. */
export function exchange(starts: Starts, effect: number, random: () => number): Starts {
  return starts.map((blocks) => {
    const sign = random() < 0.5 ? 1 : -1;
    return blocks.map((block) => ({
      ...block,
      diff: sign * block.diff + effect,
      stealDiff: sign * block.stealDiff,
    }));
  });
}
