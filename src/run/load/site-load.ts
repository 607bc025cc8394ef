import type { Scenario } from '../../config/types.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import { drainFor, planSlices, retime } from '../../plan/timeline/timeline.ts';
import type { Sent } from '../servers/target.ts';
import { type K6Plan, makeK6Plan } from './k6.ts';

/** A load on one site that serves somewhere else, such as in a cluster. Pure. */

/** The id of the site among variants. */
export const SITE = 'site';

/** All of a scenario's load in one k6 process: warm-up, then its slices one after the other. */
export function planForSite(scenario: Scenario): Batch {
  const one = () => [SITE];
  const orders = { warmup: one, block: one, round: one, duets: new Map<string, () => readonly string[]>() };
  const drainMs = drainFor(scenario, null);
  // The end of what a script or a count decides is not known: nothing can follow it.
  const isOpen = scenario.load === null || scenario.load.segments.some(({ kind }) => kind === 'requests');
  const blocks = isOpen ? 1 : scenario.blocks;
  const slices = planSlices({ ...scenario, blocks }, orders, () => false).filter(
    ({ warmup }) => !(isOpen && warmup),
  );
  const numbered = slices.map((slice, number) => ({ ...slice, number, startMs: 0 }));
  return retime({ scenario: { ...scenario, blocks }, slices: numbered, drainMs }, drainMs);
}

/**
 * The plan that k6 reads there. The environment has the address of the site: BASE_URL. It may be any address.
 *
 * @param sent a Host header of null is the name in the URL
 */
export function siteK6Plan(
  batch: Batch,
  { host, ...sent }: Omit<Sent, 'host'> & { host: string | null },
): K6Plan {
  const plan = makeK6Plan(batch, { [SITE]: 0 }, { ...sent, host: 'localhost' });
  const slices = plan.slices.map((slice) => ({ ...slice, baseUrl: null }));
  return { ...plan, host, hosts: {}, blockedIps: [], slices };
}
