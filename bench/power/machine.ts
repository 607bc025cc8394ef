/** The machine around a comparison: whether it is quiet, and a neighbour that makes it noisy. */
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import type { Host } from '../../src/host.ts';
import type { Before } from './data.ts';
import type { Neighbour } from './series.ts';

/** Busier than this is not quiet. */
export const QUIET_RATIO = 0.1;
const LOOK_MS = 2000;
const PATIENCE_MS = 120_000;

/** Waits until little is going on, by default two minutes at most, and returns what it saw. Linux only. */
export async function waitForQuiet(
  host: Host,
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<Before> {
  const began = host.now();
  for (;;) {
    const from = readTicks(readFileSync('/proc/stat', 'utf8'));
    await host.sleep(LOOK_MS, signal);
    signal.throwIfAborted();
    const busyRatio = busyBetween(from, readTicks(readFileSync('/proc/stat', 'utf8')));
    const waitedMs = host.now() - began;
    const quiet = busyRatio <= QUIET_RATIO;
    if (quiet || waitedMs > patienceMs) {
      const load1 = loadavg()[0] as number;
      return {
        waitedSeconds: Math.round(waitedMs / 1000),
        busyRatio: round(busyRatio),
        load1: round(load1),
        quiet,
      };
    }
  }
}

export interface Ticks {
  idle: number;
  total: number;
}

/** The first line of /proc/stat (man 5 proc_stat): waiting for a disk is idle, and guests are in user time already. */
export function readTicks(stat: string): Ticks {
  const fields = (stat.split('\n')[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number);
  const idle = (fields[3] ?? 0) + (fields[4] ?? 0);
  return { idle, total: fields.reduce((sum, ticks) => sum + ticks, 0) };
}

export function busyBetween(from: Ticks, to: Ticks): number {
  const total = to.total - from.total;
  return total > 0 ? 1 - (to.idle - from.idle) / total : 0;
}

/** Not the tool's own label: its sweep would take the neighbour for a leftover. */
const LABEL = 'php-runtime-bench-neighbour';

/** A busy loop for a part of each period. */
function loopOf({ duty, periodMs }: Neighbour): string {
  const busyNs = Math.round(duty * periodMs * 1e6);
  const idleUs = Math.round((1 - duty) * periodMs * 1000);
  return `while (true) { $t = hrtime(true); while (hrtime(true) - $t < ${busyNs}); usleep(${idleUs}); }`;
}

/** Starts the busy loops. They last for any plan: stopNeighbours ends them, or else they do themselves after a day. */
export async function startNeighbour(host: Host, image: string, neighbour: Neighbour): Promise<void> {
  await stopNeighbours(host);
  const places = neighbour.on === 'any' ? [[]] : [...cpus().keys()].map((cpu) => [`--cpuset-cpus=${cpu}`]);
  for (const place of places) {
    const { code, stderr } = await host.exec('docker', [
      ...['container', 'run', '--detach', '--rm', '--init', `--label=${LABEL}`, ...place],
      ...['--network=none', '--entrypoint=timeout', image, '86400', 'php', '-r', loopOf(neighbour)],
    ]);
    if (code !== 0) throw new Error(`no neighbour: ${stderr}`);
  }
}

/** Removes those of this series, and what a killed one has left. */
export async function stopNeighbours(host: Host): Promise<void> {
  const { stdout } = await host.exec('docker', [
    'container',
    'ls',
    '--all',
    '--quiet',
    `--filter=label=${LABEL}`,
  ]);
  const ids = stdout.split('\n').filter(Boolean);
  if (ids.length > 0) await host.exec('docker', ['container', 'rm', '--force', ...ids]);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
