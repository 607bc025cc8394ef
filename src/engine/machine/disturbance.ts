import type { Finding } from './finding.ts';

/** Looks at a Linux machine for two seconds: who uses its CPUs, what the hypervisor takes, what memory is left. */
export const NOW_SCRIPT = `
cat /proc/loadavg
grep '^cpu[0-9]' /proc/stat
sleep 2
grep '^cpu[0-9]' /proc/stat
grep '^MemAvailable' /proc/meminfo
`;

/** Above these, a note: a tenth of a core is what an idle desktop needs. */
const BUSY_CORES = 0.1;
const STEAL_SHARE = 0.01;
const MEMORY_BYTES = 2 ** 30;
const DISK_BYTES = 2 * 2 ** 30;

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/**
 * Findings from the script's output, which may be among that of others; none if the machine has no /proc.
 *
 * @param cpus those that a run may use: work on others does not disturb it
 */
export function judgeNow(text: string, cpus: readonly number[]): Finding[] {
  const spent = cpus.flatMap((cpu) => {
    const lines = text.matchAll(new RegExp(`^cpu${cpu} (.*)$`, 'gm'));
    const [before, after] = [...lines].map(([, line = '']) => line.split(' ').map(Number));
    return before && after ? [after.map((ticks, i) => ticks - (before[i] ?? 0))] : [];
  });
  if (spent.length === 0) return [];
  const sums = Array.from({ length: 8 }, (_, kind) =>
    spent.reduce((sum, ticks) => sum + (ticks[kind] ?? 0), 0),
  );
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, steal = 0] = sums;
  const busy = user + nice + system + irq + softIrq;
  const total = Math.max(1, busy + idle + wait + steal);
  const busyCores = (busy / total) * spent.length;
  const stealShare = steal / total;
  const load = /^([\d.]+) [\d.]+ [\d.]+ \d+\/\d+ /m.exec(text)?.[1] ?? '?';
  const free = Number(/^MemAvailable: +(\d+)/m.exec(text)?.[1] ?? Number.NaN) * 1024;
  return [
    {
      ok: busyCores <= BUSY_CORES,
      what: `other programs use ${Math.round(busyCores * 100)} % of one CPU now, load average ${load}${busyCores <= BUSY_CORES ? '' : ': they disturb the measurement, so stop them first'}`,
    },
    {
      ok: stealShare <= STEAL_SHARE,
      what: `the hypervisor takes ${(stealShare * 100).toFixed(1)} % of the CPU time now${stealShare <= STEAL_SHARE ? '' : ': intervals will be wide; use another time or machine'}`,
    },
    ...(Number.isNaN(free)
      ? []
      : [{ ok: free >= MEMORY_BYTES, what: `${gib(free)} of memory available${needs(free, MEMORY_BYTES)}` }]),
  ];
}

/** @param folder where results go */
export function judgeDisk(free: number, folder: string): Finding {
  return {
    ok: free >= DISK_BYTES,
    what: `${gib(free)} free on the disk of ${folder}${needs(free, DISK_BYTES)}`,
  };
}

const needs = (free: number, wanted: number) => (free >= wanted ? '' : `: ${gib(wanted)} or more are needed`);
