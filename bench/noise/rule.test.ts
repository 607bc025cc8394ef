import { join } from 'node:path';
import { mean } from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { duetRatios } from '../../src/analyse/judge/duet-pairs.ts';
import { logRatios, pairSlices } from '../../src/analyse/judge/pairs.ts';
import { makeRandom } from '../../src/stats/random.ts';
import { judge, testPairs } from '../../src/stats/verdict.ts';
import { type ComparisonLine, readLines } from '../power/data.ts';
import { restore } from '../power/restore.ts';
import { ANCHORS } from './anchors.ts';
import { type Block, candidates } from './candidates.ts';
import { exchange, readStarts } from './recorded.ts';
import { simulate, worlds } from './worlds.ts';

const data = join(import.meta.dirname, '../power/data/duets.ndjson');
const lines = readLines(data).filter((line): line is ComparisonLine => line.kind === 'comparison');
const apply = (name: string, blocks: readonly (readonly Block[])[]) => candidates[name]?.(blocks) ?? null;

describe('the rule in force is the one that was tried', () => {
  /** Recorded, then with guards that fire here and there, so that each branch of the rule is met. */
  const spoil = (line: ComparisonLine, share: number): ComparisonLine => {
    const random = makeRandom(line.seed);
    const at = new Map<number, number>();
    const noisy = (column: number[]) =>
      column.map((instance) => {
        at.set(instance, at.get(instance) ?? (random() < share ? 0.5 : 0));
        return at.get(instance) ?? 0;
      });
    return {
      ...line,
      slices: { ...line.slices, foreign: noisy(line.slices.instance as number[]) },
      duets: { ...line.duets, foreign: noisy(line.duets?.instance as number[]) },
    };
  };
  const cases = lines.slice(0, 30).flatMap((line) => [0, 0.1, 0.5, 1].map((share) => spoil(line, share)));

  test('in turns everything counts where too little would be left', () => {
    let all = 0;
    for (const line of cases) {
      const { measurements, duets } = restore(line);
      const of = (id: string) => measurements.filter(({ variant }) => variant === id);
      const pairs = pairSlices(of('head'), of('base'), duets);
      const tried = apply('fallback', readStarts(line)?.rps ?? []) ?? [];
      const used = logRatios(pairs, 'rps');
      expect(used.length).toBe(tried.length);
      used.forEach((ratio, i) => {
        expect(ratio).toBeCloseTo(tried[i] as number, 9);
      });
      if (pairs.some(({ disturbed }) => disturbed > 0)) all++;
    }
    expect(all).toBeGreaterThan(20);
    expect(all).toBeLessThan(cases.length - 20);
  });

  test('duets all count', () => {
    for (const line of cases) {
      const { duets } = restore(line);
      const tried = apply('all', readStarts(line)?.duets ?? []) ?? [];
      const pairs = pairSlices(...sidesOf(line), duets);
      expect(pairs.map((pair) => mean(duetRatios(pair.duets)))).toEqual(
        tried.map((ratio) => expect.closeTo(ratio, 9)),
      );
    }
  });
  const sidesOf = (line: ComparisonLine) => {
    const { measurements } = restore(line);
    return ['head', 'base'].map((id) => measurements.filter(({ variant }) => variant === id)) as [
      typeof measurements,
      typeof measurements,
    ];
  };
});

describe.each(worlds)('$name', (world) => {
  const RUNS = 500;
  const EFFECT = Math.log(1.05);
  const design = { starts: 12, blocks: 1 };
  test.each([
    ['duets', 'all'],
    ['cpu', 'fallback'],
    ['rps', 'fallback'],
  ] as const)('%s: few false verdicts, and 5 %% is found or within the interval', (kind, name) => {
    let [wrong, either] = [0, 0];
    const truth = kind === 'rps' ? -EFFECT : EFFECT;
    for (let run = 0; run < RUNS; run++) {
      const of = (effect: number) =>
        testPairs(apply(name, simulate(world, ANCHORS, design, effect, run + 1)[kind]) ?? []);
      const [equal, other] = [of(0), of(EFFECT)];
      if (!equal || !other?.interval) continue;
      if (/er$/.test(judge(equal, equal.p ?? 1, kind === 'rps').verdict)) wrong++;
      const holds = other.interval.low <= Math.exp(truth) && Math.exp(truth) <= other.interval.high;
      if (holds || judge(other, other.p ?? 1, kind === 'rps').verdict === 'slower') either++;
    }
    // 1 % of 500 is at most 11 with a probability of 99 %.
    expect(wrong).toBeLessThanOrEqual(11);
    expect(either).toBeGreaterThanOrEqual(0.978 * RUNS);
  });
});

test('sides exchanged are equal in the mean, and a change is put on top', () => {
  const starts = readStarts(lines[0] as ComparisonLine)?.duets ?? [];
  const random = makeRandom(1);
  const means = Array.from({ length: 2000 }, () =>
    mean(
      exchange(starts, 0.05, random)
        .flat()
        .map(({ diff }) => diff),
    ),
  );
  expect(mean(means)).toBeCloseTo(0.05, 3);
});
