/**
 * Simulated machines: a disturbance in steps of 10 ms, windows of load that meet it, and what each side of a comparison
 * shows. docs/evidence.md describes the data behind the numbers. Pure.
 */
import { FOREIGN_CPU, STEAL } from '../../src/stats/limits.ts';
import { makeRandom } from '../../src/stats/random.ts';
import type { Block, Starts } from './candidates.ts';

/** Over some steps, 0…1: how much of the server's core is taken, and what guards see on both cores. */
interface Met {
  taken: number;
  seen: number;
}
type Disturbance = (steps: number) => Met;

export interface World {
  name: string;
  /** Whether the hypervisor takes the time, which no scheduler shares. */
  steals: boolean;
  make(random: () => number): Disturbance;
}

const STEP_MS = 10;
const [TURN_STEPS, WINDOW_STEPS] = [20, 100];

/** One that may run on either of two cores: it stays on one for a while, so half of the time on the server's. */
function neighbour(duty: number, periodMs: number, busyMs = duty * periodMs): World['make'] {
  return (random) => {
    let at = Math.floor(random() * periodMs);
    let onServer = random() < 0.5;
    return (steps) => {
      let [taken, seen] = [0, 0];
      for (let step = 0; step < steps; step++) {
        // Moves once in half a second.
        if (random() < STEP_MS / 500) onServer = !onServer;
        const busy = periodMs <= 2 * STEP_MS ? duty : at % periodMs < busyMs ? 1 : 0;
        at += STEP_MS;
        seen += busy / 2;
        // A scheduler gives each its share: never more than half.
        if (onServer) taken += Math.min(0.5, busy);
      }
      return { taken: taken / steps, seen: seen / steps };
    };
  };
}

interface Core {
  gone: boolean;
  left: number;
}

/** Stretches of 100 ms on average in which a core is gone, a share of the time in all; each core by itself. */
function steal(share: number): World['make'] {
  return (random) => {
    const cores = [
      { gone: false, left: 0 },
      { gone: false, left: 0 },
    ] as [Core, Core];
    return (steps) => {
      let [taken, seen] = [0, 0];
      for (let step = 0; step < steps; step++) {
        for (const core of cores) {
          if (core.left-- <= 0) {
            core.gone = !core.gone;
            core.left = -Math.log(1 - random()) * (core.gone ? 10 : (10 * (1 - share)) / share);
          }
          if (core.gone) seen += 0.5;
        }
        if (cores[0].gone) taken++;
      }
      return { taken: taken / steps, seen: seen / steps };
    };
  };
}

export const worlds: readonly World[] = [
  { name: 'quiet', steals: false, make: () => () => ({ taken: 0, seen: 0 }) },
  { name: 'neighbour 40 %, steady', steals: false, make: neighbour(0.4, 20) },
  { name: 'neighbour 90 %, steady', steals: false, make: neighbour(0.9, 20) },
  { name: 'neighbour 40 %, bursts', steals: false, make: neighbour(0.4, 4000) },
  { name: 'neighbour 90 %, bursts', steals: false, make: neighbour(0.9, 4000) },
  { name: 'neighbour 90 %, now and then', steals: false, make: neighbour(0.9, 40_000, 4000) },
  { name: 'steal 10 %', steals: true, make: steal(0.1) },
];

/** Noise of windows and effects of a disturbance on them; SDs and slopes of logarithms. */
export interface Anchors {
  /** SD between pairs of starts. */
  start: number;
  /** SD of a block, quiet: in turns, of CPU and of RPS, and of a duet. */
  cpuTurns: number;
  rpsTurns: number;
  duet: number;
  /** How much dearer a request is while the whole core is shared with others. */
  dearer: number;
  /** SD that a whole core of disturbance adds to a block of duets, which it meets on both sides. */
  duetNoise: number;
}

export interface Design {
  starts: number;
  blocks: number;
}

export interface Simulated {
  duets: Starts;
  cpu: Starts;
  rps: Starts;
}

/** One comparison between sides that differ by `effect` in what a request costs (ln). */
export function simulate(
  world: World,
  anchors: Anchors,
  design: Design,
  effect: number,
  seed: number,
): Simulated {
  const random = makeRandom(seed);
  const disturb = world.make(random);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const simulated = { duets: [] as Block[][], cpu: [] as Block[][], rps: [] as Block[][] };
  for (let start = 0; start < design.starts; start++) {
    const own = effect + anchors.start * normal();
    const [duets, cpu, rps]: [Block[], Block[], Block[]] = [[], [], []];
    for (let block = 0; block < design.blocks; block++) {
      // Starts and warm-ups in between.
      disturb(150);
      const turns = takeTurns(disturb, random);
      const guards = read(world, turns.seen);
      const diff = own + anchors.dearer * (turns.head - turns.base) + anchors.cpuTurns * normal();
      cpu.push({ ...guards, diff });
      const lost = Math.log((1 - turns.head) / (1 - turns.base));
      rps.push({ ...guards, diff: -own + lost + anchors.rpsTurns * normal() });
      const [one, two] = [disturb(WINDOW_STEPS), disturb(WINDOW_STEPS)];
      const noise = Math.hypot(anchors.duet, (anchors.duetNoise * (one.taken + two.taken)) / 2);
      duets.push({ ...read(world, Math.max(one.seen, two.seen)), diff: own + noise * normal() });
    }
    simulated.duets.push(duets);
    simulated.cpu.push(cpu);
    simulated.rps.push(rps);
  }
  return simulated;
}

/** Five turns each in random order, a second of each side. */
function takeTurns(disturb: Disturbance, random: () => number) {
  const sums = { head: 0, base: 0, seen: 0 };
  for (let round = 0; round < 5; round++) {
    const order = random() < 0.5 ? (['head', 'base'] as const) : (['base', 'head'] as const);
    for (const side of order) {
      const { taken, seen } = disturb(TURN_STEPS);
      sums[side] += taken / 5;
      sums.seen += seen / 10;
    }
  }
  return sums;
}

/** Turns of both sides are read together, so there is no difference in steal. */
function read({ steals }: World, seen: number): Omit<Block, 'diff'> {
  const [foreign, steal] = steals ? [0, seen / STEAL] : [seen / FOREIGN_CPU, 0];
  return { foreign, steal, stall: 0, stealDiff: 0 };
}
