import type { Docker } from '../../engine/docker.ts';
import { UserError } from '../../errors.ts';
import { ARENA_FOLDER } from '../load/probe.ts';

/** How far a load generator is from the servers: by its clock, and by the network. */

export interface Distance {
  /** By how much this program's clock is ahead of the engine's: the least that was seen, as each line takes time to come. */
  behindMs: number;
  /** Of handshakes, ms; empty: nothing was asked. */
  roundTripsMs: number[];
}

export interface DistanceQuestion {
  /** Null: only the clock. */
  url: string | null;
  host: string;
  hosts: Readonly<Record<string, string>>;
  blockedIps: readonly string[];
}

/** Lines on the way from a busy machine are late now and then; the fastest of so many is not. */
const TIMES = 25;
const LIMIT_MS = 120_000;

/** Reads the clock of the engine and asks for a page, by k6 in the arena there. */
export async function measureDistance(
  docker: Docker,
  arena: string,
  asked: DistanceQuestion,
  now: () => number,
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
      if (at !== undefined) ages.push(now() - Number(at));
    },
  });
  const trips = /^bench-round-trips (\[.*\])/m.exec(found.stdout)?.[1];
  if (found.code !== 0 || trips === undefined || ages.length === 0)
    throw new Error(
      `the clock of a load engine could not be read: ${found.stdout}${found.stderr}`.slice(0, 500),
    );
  return { behindMs: Math.min(...ages), roundTripsMs: JSON.parse(trips) };
}

/** Errors: UserError where the servers' port is not reached: all load would fail. */
export function expectAnswer(name: string, { roundTripsMs }: Distance, address: string, port: number): void {
  if (roundTripsMs.length > 0) return;
  throw new UserError('a load engine does not reach the servers', {
    ...{ where: { name: 'load-address' }, found: `${name}: no answer from ${address}:${port}` },
    hint: 'check the address, and that no firewall lies between: ports from 18080 on have to be open',
  });
}

/** Further apart, clocks are wrong rather than early. */
const MAX_SKEW_MS = 1000;

/** By how much the clock of a load engine is ahead of the servers'. Errors: UserError where it is far off. */
export function skewOf(name: string, load: Distance, servers: Distance): number {
  const aheadMs = servers.behindMs - load.behindMs;
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return aheadMs;
  throw new UserError("the clock of a load engine differs from the servers'", {
    ...{ where: { name: 'load-engines' }, found: `${name}: ${(aheadMs / 1000).toFixed(1)} s` },
    ...{ allowed: `up to ${MAX_SKEW_MS / 1000} s`, hint: 'synchronise the clocks of both machines with NTP' },
  });
}

export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
