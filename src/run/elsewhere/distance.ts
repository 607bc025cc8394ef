import { awaitClient, type Docker } from '../../engine/docker.ts';
import { MachineError, UserError } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { ARENA_FOLDER } from '../load/probe.ts';

/** How far a load generator is from the servers: by its clock, and by the network. */

interface Distance {
  /** By how much this program's monotonic clock is ahead of the engine's clock. */
  behindMs: number;
  /** That is off by so much at most: half of the time of a line to the engine and back. */
  withinMs: number;
  /** Times of TCP handshakes, ms; empty: nothing was asked, or nothing has answered. */
  roundTripsMs: number[];
  /** Errors of the first requests that were not answered. */
  failed: string[];
}

interface DistanceQuestion {
  /** Null: only the clock. */
  url: string | null;
  host: string;
  hosts: Readonly<Record<string, string>>;
  blockedIps: readonly string[];
}

/** Lines on the way from a busy machine are late now and then; the fastest of so many is not. */
const TIMES = 25;
const LIMIT_MS = 120_000;

/** An engine, and the arena in it. */
export interface AskedEngine {
  host: Pick<Host, 'start' | 'elapsed' | 'sleep'>;
  docker: Docker;
  arena: string;
}

/** Reads the clock of the engine and asks for a page, by k6 in the arena there. */
export async function measureDistance(
  { host, docker, arena }: AskedEngine,
  asked: DistanceQuestion,
): Promise<Distance> {
  const script = [
    'cd "$1" && cat >distance.json || exit 1',
    'exec k6 run --quiet --address "" --no-usage-report --log-format raw lib/distance.js 2>&1',
  ].join('\n');
  const ages: number[] = [];
  const found = await docker.try(['exec', '--interactive', arena, 'sh', '-c', script, 'sh', ARENA_FOLDER], {
    input: JSON.stringify({ ...asked, times: TIMES }),
    timeoutMs: LIMIT_MS,
    onLine(line) {
      const at = /^bench-clock (\d+)/.exec(line)?.[1];
      if (at !== undefined) ages.push(host.elapsed() - Number(at));
    },
  });
  const way = /^bench-way (\{.*\})/m.exec(found.stdout)?.[1];
  if (found.code !== 0 || way === undefined || ages.length === 0)
    throw new MachineError('the clock of an engine could not be read', {
      found: `${found.stdout}${found.stderr}`.slice(0, 500),
    });
  const withinMs = (await timeLine({ host, arena })) / 2;
  // A line takes its time to come, here half of the way there and back. The fastest has no more than that.
  return { behindMs: Math.min(...ages) - withinMs, withinMs, ...JSON.parse(way) };
}

/** How often a line is sent there and back: the fastest counts. */
const LINES = 10;
const LINE_MS = 10_000;

/** The time of a line to a container and back, ms. */
async function timeLine({ host, arena }: Omit<AskedEngine, 'docker'>): Promise<number> {
  let answer = () => {};
  const running = host.start('docker', ['exec', '--interactive', arena, 'cat'], { onLine: () => answer() });
  const over = new AbortController();
  const stopWaiting = () => over.abort();
  running.done.then(stopWaiting, stopWaiting);
  const times: number[] = [];
  const late = host.sleep(LINE_MS, over.signal);
  for (let i = 0; i < LINES; i++) {
    const sentMs = host.elapsed();
    const answered = new Promise<boolean>((resolve) => {
      answer = () => resolve(true);
    });
    running.write(`${i}\n`);
    if (!(await Promise.race([answered, late.then(() => false)]))) break;
    times.push(host.elapsed() - sentMs);
  }
  running.end();
  await awaitClient(host, running).catch(() => {});
  if (times.length > 0) return Math.min(...times);
  throw new MachineError('the clock of an engine could not be read', { found: 'no line comes back' });
}

/** Further apart, clocks are wrong rather than early. */
const MAX_SKEW_MS = 1000;

/**
 * By how much the clock of a load engine is ahead of the servers'.
 *
 * @param Failure thrown where it is far off: MachineError once the load has begun
 */
export function skewOf(name: string, load: Distance, servers: Distance, Failure = UserError): number {
  const aheadMs = servers.behindMs - load.behindMs;
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return aheadMs;
  throw new Failure("the clock of a load engine differs from the servers'", {
    ...{ where: { name: 'load-engines' }, found: `${name}: ${(aheadMs / 1000).toFixed(1)} s` },
    ...{ allowed: `up to ${MAX_SKEW_MS / 1000} s`, hint: 'synchronise the clocks of both machines with NTP' },
  });
}

/** Checks that a request was answered. `Failure` is thrown if not, as by `skewOf`. */
export function expectWay(
  name: string,
  { target, ports }: { target: string; ports: string },
  found: Distance,
  Failure = UserError,
) {
  if (found.roundTripsMs.length > 0) return;
  throw new Failure('a load engine does not reach the servers', {
    ...{ where: { name: 'load-address' }, found: `${name}: ${target}: ${found.failed[0] ?? 'no answer'}` },
    allowed: "an IPv4 address of the servers' machine that all load engines reach",
    hint: `check the address, the route and the firewall: the engines connect to the ports ${ports}`,
  });
}

export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
