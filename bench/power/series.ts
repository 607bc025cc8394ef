/** Comparisons of a series and their order. Pure. */
import { makeRandom, shuffle } from '../../src/stats/random.ts';

/** A way to serve an app, on which comparisons are made. */
export interface Target {
  runtime: string;
  /** Folder in apps/. */
  app: 'plain' | 'symfony';
  /** Iterations of the extra work for the calibration: somewhat more than a request takes. */
  calibration: number;
}

export const TARGETS = {
  apache: { runtime: 'apache', app: 'plain', calibration: 60_000 },
  'nginx-fpm': { runtime: 'nginx-fpm[listen=unix]', app: 'plain', calibration: 60_000 },
  symfony: { runtime: 'nginx-fpm[listen=unix]', app: 'symfony', calibration: 200_000 },
} as const satisfies Record<string, Target>;
export type TargetName = keyof typeof TARGETS;
export const TARGET_NAMES = Object.keys(TARGETS) as TargetName[];

/** Changes to the head, the second of two otherwise equal arms. */
export interface Treatment {
  /** CPU per request on top of the base's, as a share. */
  slowdown: number;
  /** One request in a hundred sleeps for 20 ms. */
  tail: boolean;
  /** A busy loop meanwhile. */
  neighbour: Neighbour | null;
}

/** A process that uses CPU beside the run. */
export interface Neighbour {
  /** Share of a core, 0…1. */
  duty: number;
  /** It is busy at the beginning of each of these periods: short ones are steady, long ones come in bursts. */
  periodMs: number;
  /** One process pinned to each CPU, or a single one that may run on any. */
  on: 'each' | 'any';
}

const none: Treatment = { slowdown: 0, tail: false, neighbour: null };
const onEach: Neighbour = { duty: 0.4, periodMs: 100, on: 'each' };
const steady = (duty: number): Neighbour => ({ duty, periodMs: 20, on: 'any' });
const bursts = (duty: number): Neighbour => ({ duty, periodMs: 4000, on: 'any' });

export const TREATMENTS = {
  aa: none,
  'cpu-1': { ...none, slowdown: 0.01 },
  'cpu-2': { ...none, slowdown: 0.02 },
  'cpu-3': { ...none, slowdown: 0.03 },
  'cpu-5': { ...none, slowdown: 0.05 },
  tail: { ...none, tail: true },
  'aa-neighbour': { ...none, neighbour: onEach },
  'cpu-2-neighbour': { ...none, slowdown: 0.02, neighbour: onEach },
  'aa-steady-40': { ...none, neighbour: steady(0.4) },
  'aa-steady-90': { ...none, neighbour: steady(0.9) },
  'aa-bursts-40': { ...none, neighbour: bursts(0.4) },
  'aa-bursts-90': { ...none, neighbour: bursts(0.9) },
  'cpu-5-steady-40': { ...none, slowdown: 0.05, neighbour: steady(0.4) },
  'cpu-5-steady-90': { ...none, slowdown: 0.05, neighbour: steady(0.9) },
  'cpu-5-bursts-40': { ...none, slowdown: 0.05, neighbour: bursts(0.4) },
  'cpu-5-bursts-90': { ...none, slowdown: 0.05, neighbour: bursts(0.9) },
} as const satisfies Record<string, Treatment>;
export type TreatmentName = keyof typeof TREATMENTS;
export const TREATMENT_NAMES = Object.keys(TREATMENTS) as TreatmentName[];

/** The most important treatments come first. Each round has each of its treatments on every target. */
export const PHASES: readonly { rounds: number; of: readonly TreatmentName[] }[] = [
  { rounds: 10, of: ['aa', 'aa', 'cpu-2'] },
  { rounds: 10, of: ['cpu-1'] },
  { rounds: 5, of: ['cpu-3'] },
  { rounds: 5, of: ['cpu-5'] },
  { rounds: 5, of: ['tail'] },
  { rounds: 5, of: ['aa-neighbour', 'cpu-2-neighbour'] },
  { rounds: 10, of: ['aa-steady-40', 'aa-steady-90', 'aa-bursts-40', 'aa-bursts-90'] },
  { rounds: 10, of: ['cpu-5-steady-40', 'cpu-5-steady-90', 'cpu-5-bursts-40', 'cpu-5-bursts-90'] },
];

/** One comparison to be made. */
export interface Item {
  /** `cpu-2/apache/07`: the seventh of its kind. */
  id: string;
  target: TargetName;
  treatment: TreatmentName;
  /** Seed of the run and of the difference between its two images. Distinct within the series. */
  seed: number;
}

/**
 * All comparisons in order: rounds are shuffled within, so that a series which is stopped anywhere has about as many of
 * each target, and of A/A to A/B. The same seed gives the same order.
 */
export function makeSchedule(seed: number, phases = PHASES): Item[] {
  const random = makeRandom(seed);
  const seeds = new Set<number>();
  const counts = new Map<string, number>();
  return phases.flatMap(({ rounds, of }) =>
    Array.from({ length: rounds }).flatMap(() => {
      const round = of.flatMap((treatment) => TARGET_NAMES.map((target) => ({ treatment, target })));
      return shuffle(round, random).map(({ treatment, target }): Item => {
        const cell = `${treatment}/${target}`;
        const number = (counts.get(cell) ?? 0) + 1;
        counts.set(cell, number);
        return {
          id: `${cell}/${String(number).padStart(2, '0')}`,
          target,
          treatment,
          seed: draw(random, seeds),
        };
      });
    }),
  );
}

function draw(random: () => number, taken: Set<number>): number {
  for (;;) {
    const seed = Math.floor(random() * 2 ** 32);
    if (taken.has(seed)) continue;
    taken.add(seed);
    return seed;
  }
}
