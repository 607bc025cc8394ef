/** Resource samples of one instance, as scenarios/lib/sampler.sh prints them. */
export interface CpuSample {
  atMs: number;
  /** CPU µs of each container since its start; −1 when it is gone. */
  usedUs: number[];
  /** How long the sampler itself then read, ms. */
  readMs: number;
}
export interface HostSample {
  atMs: number;
  /** Ticks of 10 ms since boot: busy and steal of each CPU by its number, one pair after the other; NO_TICKS where there is none. */
  ticks: Uint32Array;
}
export interface MemorySample {
  atMs: number;
  containers: { bytes: number; processes: number; throttledUs: number; oomKills: number }[];
}

/** How long the sampler sleeps between two samples, ms. */
const PERIOD_MS = 100;
/** The grid of uptime, ms. */
const GRID_MS = 10;
const NO_TICKS = 2 ** 32 - 1;

/** Collects the sampler's lines; looks counters up by time. Times are unix ms. */
export class Samples {
  readonly cpu: CpuSample[] = [];
  readonly host: HostSample[] = [];
  readonly memory: MemorySample[] = [];
  /** How far somebody has set the wall clock forward, ms, each time that it happened; negative when it was set back. */
  readonly clockSteps: number[] = [];
  /** When the last sample was begun that is there as a whole: whether somebody has set the clock is known until then. */
  completeMs = 0;
  /** Unix ms at uptime 0. */
  bootMs: number | null = null;
  /** Nobody reads any more: no sample will follow. */
  ended = false;
  private readonly parts: ReadonlyMap<number, number>;

  /** @param parts index of a container → that of the one with which it is counted */
  constructor(parts: ReadonlyMap<number, number> = new Map()) {
    this.parts = parts;
  }

  add(line: string): void {
    const [kind, first = '', ...fields] = line.split(' ');
    if (kind === 'clock') {
      this.tie((Number(first) - Number(fields[0])) * 1000);
      return;
    }
    if (this.bootMs === null) return;
    const atMs = this.bootMs + Number(first) * 1000;
    if (kind === 'cpu') {
      const usedUs = fields.map(Number);
      for (const [part, whole] of this.parts) {
        const [one = -1, other = -1] = [usedUs[part], usedUs[whole]];
        usedUs[whole] = one < 0 || other < 0 ? -1 : one + other;
        usedUs[part] = 0;
      }
      this.cpu.push({ atMs, usedUs, readMs: 0 });
    } else if (kind === 'done') {
      const last = this.cpu.at(-1);
      if (!last) return;
      last.readMs = Math.max(0, atMs - last.atMs);
      this.completeMs = last.atMs;
    } else if (kind === 'host') {
      const cpus = fields.map((field) => field.split(':').map(Number) as [number, number, number]);
      const ticks = new Uint32Array(2 * (1 + Math.max(-1, ...cpus.map(([cpu]) => cpu)))).fill(NO_TICKS);
      for (const [cpu, busy, steal] of cpus) ticks.set([busy, steal], 2 * cpu);
      this.host.push({ atMs, ticks });
    } else if (kind === 'mem') {
      const containers = fields.map((field) => {
        const [bytes = 0, processes = 0, throttledUs = 0, oomKills = 0] = field.split(':').map(Number);
        return { bytes, processes, throttledUs, oomKills };
      });
      for (const [part, whole] of this.parts) {
        const [one, other] = [containers[part], containers[whole]];
        if (!one || !other || one.bytes < 0 || other.bytes < 0) continue;
        for (const key of ['bytes', 'processes', 'throttledUs', 'oomKills'] as const) {
          other[key] += one[key];
          one[key] = 0;
        }
      }
      this.memory.push({ atMs, containers });
    }
  }

  /** Samples from before a clock step are dropped: their times are no longer valid. */
  private tie(bootMs: number): void {
    if (this.bootMs !== null) {
      this.clockSteps.push(bootMs - this.bootMs);
      for (const kind of [this.cpu, this.host, this.memory]) kind.length = 0;
      this.completeMs = 0;
    }
    this.bootMs = bootMs;
  }

  /** CPU µs that a container used between two times; null when there is no sample on one side. */
  usedUs(container: number, fromMs: number, toMs: number): number | null {
    const from = lastBefore(this.cpu, fromMs)?.usedUs[container];
    const to = firstAfter(this.cpu, toMs)?.usedUs[container];
    if (from === undefined || to === undefined || from < 0 || to < 0) return null;
    return to - from;
  }

  /** As `usedUs`, but calculated from the samples within, so that nothing before and behind is in it; null with fewer than two. */
  usedWithinUs(container: number, fromMs: number, toMs: number): number | null {
    const first = firstAfter(this.cpu, fromMs);
    const last = lastBefore(this.cpu, toMs);
    if (!first || !last || last.atMs <= first.atMs) return null;
    const [from = -1, to = -1] = [first.usedUs[container], last.usedUs[container]];
    if (from < 0 || to < 0) return null;
    return ((to - from) * (toMs - fromMs)) / (last.atMs - first.atMs);
  }

  /**
   * How much longer than its period the sampler was away at worst within an interval, ms; null without samples around
   * it. Such a delay affects every process: the machine stands still, or one process does not let others run.
   * Its own reading is no stall: with dozens of containers it takes longer than a short stall does. Only what is far
   * beyond its usual time counts, as then it was interrupted.
   */
  stallMs(fromMs: number, toMs: number): number | null {
    const first = countUpTo(this.cpu, fromMs) - 1;
    const last = countBefore(this.cpu, toMs);
    if (first < 0 || last >= this.cpu.length) return null;
    const within = this.cpu.slice(first, last + 1);
    const usual = within.map(({ readMs }) => readMs).sort((a, b) => a - b)[within.length >> 1] ?? 0;
    let worst = 0;
    for (let i = 0; i + 1 < within.length; i++) {
      const [one, next] = [within[i], within[i + 1]] as [CpuSample, CpuSample];
      const readMs = Math.min(one.readMs, 2 * usual + GRID_MS);
      worst = Math.max(worst, next.atMs - one.atMs - readMs - PERIOD_MS);
    }
    return Math.round(worst);
  }

  memoryBetween(fromMs: number, toMs: number): MemorySample[] {
    return this.memory.slice(countBefore(this.memory, fromMs), countUpTo(this.memory, toMs));
  }

  /** The last before an interval, and the first after it, or else the last of all. */
  memoryAround(fromMs: number, toMs: number): { before?: MemorySample; after?: MemorySample } {
    const before = lastBefore(this.memory, fromMs);
    const after = firstAfter(this.memory, toMs) ?? this.memory.at(-1);
    return { ...(before && { before }), ...(after && { after }) };
  }

  /** Drops what was sampled before a time, except for the last of each kind: what is looked up from there on begins with that. */
  forget(beforeMs: number): void {
    for (const kind of [this.cpu, this.host, this.memory]) {
      kind.splice(0, Math.max(0, countUpTo(kind, beforeMs) - 1));
    }
  }

  /** Share of the given CPUs' time that anybody used, steal included, within an interval; null without samples. */
  busy(cpus: readonly number[], fromMs: number, toMs: number): number | null {
    const from = firstAfter(this.host, fromMs);
    const to = lastBefore(this.host, toMs);
    if (!from || !to || to.atMs <= from.atMs) return null;
    let ticks = 0;
    for (const cpu of cpus) {
      const used = ticksBetween(from, to, cpu);
      if (!used) return null;
      ticks += used.busy + used.steal;
    }
    return (ticks * 10) / ((to.atMs - from.atMs) * cpus.length);
  }

  /**
   * CPU that none of our containers used and steal, both as a share of the given CPUs' time, over the
   * host samples around the interval; null without samples.
   */
  disturbance(
    cpus: readonly number[],
    fromMs: number,
    toMs: number,
  ): { foreign: number; steal: number } | null {
    const from = lastBefore(this.host, fromMs);
    const to = firstAfter(this.host, toMs) ?? this.host.at(-1);
    if (!from || !to || to.atMs <= from.atMs) return null;
    let busyUs = 0;
    let stealUs = 0;
    for (const cpu of cpus) {
      const used = ticksBetween(from, to, cpu);
      if (!used) return null;
      busyUs += used.busy * 10_000;
      stealUs += used.steal * 10_000;
    }
    let oursUs = 0;
    const containers = this.cpu[0]?.usedUs.length ?? 0;
    for (let i = 0; i < containers; i++) oursUs += this.usedUs(i, from.atMs, to.atMs) ?? 0;
    const wholeUs = (to.atMs - from.atMs) * 1000 * cpus.length;
    const share = (us: number) => Math.min(1, Math.max(0, us / wholeUs));
    return { foreign: share(busyUs - oursUs), steal: share(stealUs) };
  }
}

type Timed = { readonly atMs: number };

function ticksBetween(from: HostSample, to: HostSample, cpu: number): { busy: number; steal: number } | null {
  const of = ({ ticks }: HostSample) => [ticks[2 * cpu] ?? NO_TICKS, ticks[2 * cpu + 1] ?? NO_TICKS] as const;
  const [a, b] = [of(from), of(to)];
  return a[0] === NO_TICKS || b[0] === NO_TICKS ? null : { busy: b[0] - a[0], steal: b[1] - a[1] };
}

/** The last at or before a time. */
function lastBefore<T extends Timed>(samples: readonly T[], ms: number): T | undefined {
  return samples[countUpTo(samples, ms) - 1];
}

/** The first at or after a time. */
function firstAfter<T extends Timed>(samples: readonly T[], ms: number): T | undefined {
  return samples[countBefore(samples, ms)];
}

const countUpTo = (samples: readonly Timed[], ms: number) => countWhile(samples, (atMs) => atMs <= ms);
const countBefore = (samples: readonly Timed[], ms: number) => countWhile(samples, (atMs) => atMs < ms);

/** How many samples hold from the first on, by halving: a soak of hours has a million, and each point of a series looks twice. */
function countWhile(samples: readonly Timed[], holds: (atMs: number) => boolean): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds((samples[middle] as Timed).atMs)) low = middle + 1;
    else high = middle;
  }
  return low;
}
