import type { Capacity, Row, ScenarioSummary } from '../../../analyse/summary.ts';
import { eachQuantile, type Quantile } from '../../../results/quantiles.ts';
import type { Probe } from '../../../results/results.ts';
import { cleanLine, cut } from '../../../text/plain.ts';
import { latencyLimitsOf } from '../legends.ts';
import { count, digits, ms, NOTHING, share } from '../numbers.ts';

/** A server's last words are cut to so many. */
const REASON_CHARACTERS = 300;

/** A line of the table of probes. */
export interface Tried extends Record<Quantile, string> {
  variant: string;
  label: string;
  offered: string;
  served: string;
  ok: string;
  dropped: string;
  /** `yes`, or `no` and why where that was not the server being late. */
  held: string;
}

export function hasCapacity({ rows, bases }: Pick<ScenarioSummary, 'rows' | 'bases'>): boolean {
  return [...rows, ...bases].some(({ capacity }) => capacity !== null);
}

/** Meaning of `capacity`; empty without a search for it. */
export function capacityLegend({ rows, bases, facts }: ScenarioSummary): string {
  const found = [...rows, ...bases].flatMap(({ capacity }) => (capacity ? [capacity] : []));
  if (found.length === 0) return '';
  const starts = Math.max(...found.map(({ n }) => n));
  const tried =
    starts > 1
      ? `tried on ${starts} fresh starts; ± is the 95 % interval over them, and at least the rates between which it lies`
      : 'tried on one fresh start, from which others may differ by about 1 %; ± are the rates between which it lies';
  const words = [
    `capacity: the highest constant rate that was answered in time${latencyLimitsOf(facts)}, ${tried}`,
  ];
  if (found.some(({ kind }) => kind === 'beyond')) {
    words.push('≥ the load generator was the limit, or the search ended before');
  }
  return words.join('; ');
}

/** Every rate that was tried, variant after variant. */
export function triedOf({ rows, bases }: ScenarioSummary): Tried[] {
  const searched = (row: Row): row is Row & { capacity: Capacity } => row.capacity !== null;
  return [...rows, ...bases].filter(searched).flatMap(({ variant, label, capacity }) =>
    capacity.probes.map((probe) => ({
      ...{ variant, label, offered: digits(probe.offeredRps), served: digits(probe.servedRps) },
      ok: share(probe.requests > 0 ? (probe.requests - probe.failures) / probe.requests : null),
      ...eachQuantile((quantile) => ms(probe.latency?.[`${quantile}Ms`])),
      dropped: probe.requests > 0 ? count(probe.dropped) : NOTHING,
      held: heldOf(probe),
    })),
  );
}

function heldOf({ held, generator, died, others }: Probe): string {
  if (held) return 'yes';
  if (died !== null) return `no, its server died: ${cut(cleanLine(died), REASON_CHARACTERS)}`;
  if (others !== undefined) return `no, ${cut(cleanLine(others), REASON_CHARACTERS)}`;
  return generator === null ? 'no' : `no, but by the load generator: ${generator}`;
}
