/** Resource samples of one instance, as scenarios/lib/sampler.sh prints them. */
export interface CpuSample {
  atMs: number;
  /** CPU µs of each container since its start; −1 when it is gone. */
  usedUs: number[];
}
export interface HostSample {
  atMs: number;
  /** By CPU number, ticks of 10 ms since boot. */
  busy: Map<number, { busy: number; steal: number }>;
}
export interface MemorySample {
  atMs: number;
  containers: { bytes: number; processes: number; throttledUs: number; oomKills: number }[];
}

/** How often the sampler prints, ms. */
const PERIOD_MS = 100;

/** Collects the sampler's lines; looks counters up by time. Times are unix ms. */
export class Samples {
  readonly cpu: CpuSample[] = [];
  readonly host: HostSample[] = [];
  readonly memory: MemorySample[] = [];
  /** Unix ms at uptime 0. */
  private bootMs: number | null = null;
  private readonly parts: ReadonlyMap<number, number>;

  /** @param parts index of a container → that of the one with which it is counted */
  constructor(parts: ReadonlyMap<number, number> = new Map()) {
    this.parts = parts;
  }

  add(line: string): void {
    const [kind, first = '', ...fields] = line.split(' ');
    if (kind === 'clock') {
      this.bootMs = (Number(first) - Number(fields[0])) * 1000;
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
      this.cpu.push({ atMs, usedUs });
    } else if (kind === 'host') {
      const busy = new Map<number, { busy: number; steal: number }>();
      for (const field of fields) {
        const [cpu, ticks, steal] = field.split(':').map(Number);
        busy.set(cpu as number, { busy: ticks as number, steal: steal as number });
      }
      this.host.push({ atMs, busy });
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

  get ready(): boolean {
    return this.cpu.length > 0;
  }

  /** CPU µs that a container used between two times; null when there is no sample on one side. */
  usedUs(container: number, fromMs: number, toMs: number): number | null {
    const from = lastBefore(this.cpu, fromMs)?.usedUs[container];
    const to = firstAfter(this.cpu, toMs)?.usedUs[container];
    if (from === undefined || to === undefined || from < 0 || to < 0) return null;
    return to - from;
  }

  /** As `usedUs`, but reckoned from the samples within, so that nothing before and behind is in it; null with fewer than two. */
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
   * it. It sleeps between samples and needs next to no CPU, so what keeps it away keeps everybody: a machine that
   * stands still, a process that does not let others run. Uptime has a grid of 10 ms.
   */
  stallMs(fromMs: number, toMs: number): number | null {
    const first = this.cpu.findLastIndex((s) => s.atMs <= fromMs);
    const last = this.cpu.findIndex((s) => s.atMs >= toMs);
    if (first < 0 || last < 0) return null;
    let worst = 0;
    for (let i = first; i < last; i++) {
      const awayMs = (this.cpu[i + 1] as CpuSample).atMs - (this.cpu[i] as CpuSample).atMs;
      worst = Math.max(worst, awayMs - PERIOD_MS);
    }
    return Math.round(worst);
  }

  memoryBetween(fromMs: number, toMs: number): MemorySample[] {
    return this.memory.filter((s) => s.atMs >= fromMs && s.atMs <= toMs);
  }

  /** Share of the given CPUs' time that anybody used, steal included, within an interval; null without samples. */
  busy(cpus: readonly number[], fromMs: number, toMs: number): number | null {
    const from = firstAfter(this.host, fromMs);
    const to = lastBefore(this.host, toMs);
    if (!from || !to || to.atMs <= from.atMs) return null;
    let ticks = 0;
    for (const cpu of cpus) {
      const a = from.busy.get(cpu);
      const b = to.busy.get(cpu);
      if (!a || !b) return null;
      ticks += b.busy + b.steal - a.busy - a.steal;
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
      const a = from.busy.get(cpu);
      const b = to.busy.get(cpu);
      if (!a || !b) return null;
      busyUs += (b.busy - a.busy) * 10_000;
      stealUs += (b.steal - a.steal) * 10_000;
    }
    let oursUs = 0;
    const containers = this.cpu[0]?.usedUs.length ?? 0;
    for (let i = 0; i < containers; i++) oursUs += this.usedUs(i, from.atMs, to.atMs) ?? 0;
    const wholeUs = (to.atMs - from.atMs) * 1000 * cpus.length;
    const share = (us: number) => Math.min(1, Math.max(0, us / wholeUs));
    return { foreign: share(busyUs - oursUs), steal: share(stealUs) };
  }
}

function lastBefore<T extends { atMs: number }>(samples: readonly T[], ms: number): T | undefined {
  return samples.findLast((s) => s.atMs <= ms);
}

function firstAfter<T extends { atMs: number }>(samples: readonly T[], ms: number): T | undefined {
  return samples.find((s) => s.atMs >= ms);
}
