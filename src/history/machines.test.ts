/** Histories as CI's runners make them: each week another kind of machine, another neighbour, the same software. */
import { describe, expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { makeRandom } from '../stats/random.ts';
import { type HistoryRecord, recordsOf } from './history-record.ts';
import { findTrends } from './trend.ts';
import type { Trend } from './trend-model.ts';

const [sample] = recordsOf(makeResults({ servers: [{ id: 'apache@8.4', rps: 400 }] }), 'abc') as [
  HistoryRecord,
];

/** How often each comes, and how fast it is. */
const MACHINES = [
  { cpu: 'AMD EPYC 7763 64-Core Processor', share: 0.55, speed: 1 },
  { cpu: 'Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz', share: 0.25, speed: 0.87 },
  { cpu: 'AMD EPYC 9V74 80-Core Processor', share: 0.2, speed: 1.24 },
];
const REFERENCE = 'apache@8.4';
const SPEED: Record<string, number> = {
  ...{ [REFERENCE]: 1, 'nginx-fpm@8.4': 1.1, 'frankenphp@8.4': 1.3 },
  ...{ 'swoole@8.4': 2.2, 'roadrunner@8.4': 1.7 },
};

interface Setup {
  seed: number;
  weeks?: number;
  variants?: readonly string[];
  /** Index of the machine of a week; left out: by chance. */
  machine?: (week: number) => number;
  /** The true speed of a variant, as a factor. */
  speed?: (variant: string, week: number) => number;
}

function makeHistory({ seed, weeks = 30, variants = Object.keys(SPEED), machine, speed = () => 1 }: Setup) {
  const random = makeRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  // A kind of machine changes the speed of each server differently, by some per cent.
  const taste = new Map<string, number>();
  for (const variant of variants) for (const { cpu } of MACHINES) taste.set(cpu + variant, 0.04 * normal());
  const pick = () => {
    const drawn = random();
    return drawn < 0.55 ? 0 : drawn < 0.8 ? 1 : 2;
  };
  return Array.from({ length: weeks }, (_, week): HistoryRecord[] => {
    const drawn = pick();
    const { cpu, speed: pace } = MACHINES[machine?.(week) ?? drawn] as (typeof MACHINES)[number];
    // Neighbours, clock and host of the day.
    const day = Math.exp(0.04 * normal());
    return variants.map((variant) => {
      const own =
        (SPEED[variant] as number) * speed(variant, week) * Math.exp(taste.get(cpu + variant) as number);
      const rps = 400 * pace * day * own * Math.exp(0.012 * normal());
      return {
        ...sample,
        ...{
          run: `run ${week}`,
          commit: `c${week}`,
          date: new Date(Date.UTC(2026, 0, 5 + 7 * week)).toISOString(),
        },
        ...{ variant, label: variant },
        machine: { cpu, cpus: 4, serverCpus: 2, virtual: true },
        rps: { value: rps, half: 0.01 * rps, n: 6 },
        cpuMsPerRequest: null,
        toReference:
          variant === REFERENCE
            ? null
            : { variant: REFERENCE, metric: 'rps', ratio: SPEED[variant] as number, interval: null },
      };
    });
  }).flat();
}

const ratios = (setup: Setup) => findTrends(makeHistory(setup)).filter(({ reference }) => reference !== null);
const told = (trends: readonly Trend[]) =>
  trends.flatMap(({ variant, points, changes }) =>
    changes.map(({ at, by }) => ({ variant, run: points[at]?.run, by })),
  );
const seeds = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

/** The change that was made, in week 15. */
const WEEK = 15;
const from = (changed: string, factor: number) => (variant: string, week: number) =>
  variant === changed && week >= WEEK ? factor : 1;
const byTurns = (week: number) => week % MACHINES.length;

describe('nothing has changed but the machines', () => {
  test.each<[string, Setup['machine']]>([
    ['by chance', undefined],
    ['by turns', byTurns],
    ['one kind for another, for good', (week) => (week < WEEK ? 0 : 2)],
    ['one kind for another, mostly', (week) => (week < WEEK ? week % 2 : week % 5 === 0 ? 1 : 2)],
  ])('%s: hardly any ratio is reported to have', (_, machine) => {
    const trends = seeds(100).flatMap((seed) => ratios(machine ? { seed, machine } : { seed }));
    expect(trends).toHaveLength(400);
    expect(trends.every(({ points }) => points.length === 30)).toBe(true);
    // 1 % are expected; those of a history are not independent.
    expect(trends.filter(({ changes }) => changes.length > 0).length).toBeLessThanOrEqual(8);
  });

  test('nor the absolute numbers, which are reported for each kind of machine', () => {
    const trends = seeds(100).flatMap((seed) =>
      findTrends(makeHistory({ seed })).filter(({ reference }) => reference === null),
    );
    expect(trends.every(({ points }) => new Set(points.map(({ machine }) => machine)).size === 1)).toBe(true);
    expect(trends).toHaveLength(1500);
    expect(trends.filter(({ changes }) => changes.length > 0).length).toBeLessThanOrEqual(25);
  });
});

describe('on machines by turns', () => {
  test('a variant that became a tenth slower is found in its week, with its size, and no other is reported', () => {
    let [covered, stray] = [0, 0];
    for (const seed of seeds(30)) {
      const trends = ratios({ seed, machine: byTurns, speed: from('nginx-fpm@8.4', 0.9) });
      const [change, ...more] = trends.find(({ variant }) => variant === 'nginx-fpm@8.4')?.changes ?? [];
      expect(Math.abs((change?.at ?? 0) - WEEK)).toBeLessThanOrEqual(1);
      expect(change?.by).toBe('variant');
      expect(change?.ratio).toBeGreaterThan(0.87);
      expect(change?.ratio).toBeLessThan(0.93);
      if ((change?.interval?.low ?? 1) <= 0.9 && (change?.interval?.high ?? 0) >= 0.9) covered++;
      stray += more.length + told(trends.filter(({ variant }) => variant !== 'nginx-fpm@8.4')).length;
    }
    expect(covered).toBeGreaterThanOrEqual(28);
    expect(stray).toBeLessThanOrEqual(2);
  });

  test('a reference that did is not blamed on the others', () => {
    for (const seed of seeds(10)) {
      const changes = told(ratios({ seed, machine: byTurns, speed: from(REFERENCE, 0.9) }));
      expect(new Set(changes.map(({ variant }) => variant)).size).toBe(4);
      expect(changes.map(({ by }) => by)).toEqual(changes.map(() => 'reference'));
    }
  });

  test.each([
    ['reference', REFERENCE],
    ['variant', 'nginx-fpm@8.4'],
  ])('with two variants their own numbers show that it is the %s', (by, changed) => {
    const causes = seeds(30).flatMap((seed) =>
      told(
        ratios({
          seed,
          machine: byTurns,
          variants: [REFERENCE, 'nginx-fpm@8.4'],
          speed: from(changed, 0.93),
        }),
      ).map((change) => change.by),
    );
    expect(causes.length).toBeGreaterThanOrEqual(30);
    expect(causes.filter((cause) => cause !== by && cause !== 'unclear')).toEqual([]);
    expect(causes.filter((cause) => cause === by).length).toBeGreaterThanOrEqual(20);
  });
});

test('a history that measures two requests by turns names the cause from runs of the same one', () => {
  for (const seed of seeds(10)) {
    const ofRequest = (journey: string, changed: string) =>
      makeHistory({ seed, machine: () => 0, variants: [REFERENCE, changed], speed: from(changed, 0.9) }).map(
        (record) => ({ ...record, run: `${record.run} of ${journey}`, asked: { journey } }),
      );
    const records = [...ofRequest('/a', 'nginx-fpm@8.4'), ...ofRequest('/b', 'swoole@8.4')];
    const changes = told(findTrends(records).filter(({ reference }) => reference !== null));
    expect(changes.length).toBeGreaterThanOrEqual(2);
    expect(changes.map(({ by }) => by)).not.toContain('reference');
  }
});

describe('what a ratio is made of', () => {
  test('a reference that k6 was the limit of gives none, and neither does a run without it', () => {
    const records = makeHistory({ seed: 1, weeks: 6, variants: [REFERENCE, 'nginx-fpm@8.4'] });
    const weak = records.flatMap((record, i): HistoryRecord[] => {
      if (record.variant !== REFERENCE) return [record];
      return i === 0 ? [{ ...record, state: 'generator-bound' }] : i === 2 ? [] : [record];
    });
    const [trend] = findTrends(weak);
    expect(trend).toMatchObject({ variant: 'nginx-fpm@8.4', reference: REFERENCE });
    expect(trend?.points.map(({ run }) => run)).toEqual(['run 2', 'run 3', 'run 4', 'run 5']);
    const [own, other] = records.slice(4, 6).map(({ rps }) => rps?.value as number);
    expect(trend?.points[0]?.value).toBeCloseTo((other as number) / (own as number), 9);
    expect(trend?.points[0]?.half).toBeCloseTo(0.01 * Math.SQRT2 * (trend?.points[0]?.value as number), 9);
  });

  test('another reference begins another trend', () => {
    const records = makeHistory({ seed: 1, weeks: 8, variants: [REFERENCE, 'nginx-fpm@8.4', 'swoole@8.4'] });
    const turned = records.map((record, i): HistoryRecord => {
      const reference = 'nginx-fpm@8.4';
      if (i < 12) return record;
      const { ratio, ...rest } = { metric: 'rps', ratio: 1, interval: null } as const;
      return {
        ...record,
        toReference: record.variant === reference ? null : { variant: reference, ratio, ...rest },
      };
    });
    const trends = findTrends(turned).filter(({ reference }) => reference !== null);
    expect(trends.map(({ variant, reference, points }) => [variant, reference, points.length])).toEqual([
      ['nginx-fpm@8.4', REFERENCE, 4],
      ['swoole@8.4', REFERENCE, 4],
      [REFERENCE, 'nginx-fpm@8.4', 4],
      ['swoole@8.4', 'nginx-fpm@8.4', 4],
    ]);
  });
});
