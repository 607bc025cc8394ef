import { type PlannedPasses, passSeconds } from '../plan/effort.ts';
import type { Plan } from '../plan/plan.ts';

/** The share of a whole run that is done, and the seconds that are left. */
interface Progress {
  done: number;
  left: number;
}

/**
 * Progress of the measuring and of the passes that follow it, for people.
 *
 * @param loadSeconds what the whole load of the plan takes: what is left of it takes no less than its own time
 * @param budgetSeconds after it no start begins; Infinity: there is none
 * @returns what to show where a share of the measuring is done, after so many seconds; 1: a pass goes on
 */
export function makeClock(
  planned: Pick<Plan, 'estimatedSeconds'> & PlannedPasses,
  loadSeconds: number,
  budgetSeconds = Infinity,
): (share: number, spent: number) => Progress {
  const passes = passSeconds(planned);
  // The total is the plan's: the time that is really spent may be any.
  const all = planned.estimatedSeconds + passes;
  // A machine that measures slower than planned, as a busy one, is as slow in the passes.
  const expect = (measuring: number) =>
    passes * Math.max(1, planned.estimatedSeconds > 0 ? measuring / planned.estimatedSeconds : 1);
  let measured: number | null = null;
  return (share, spent) => {
    if (share >= 1) {
      measured ??= spent;
      const expected = expect(measured);
      const left = Math.max(0, expected - (spent - measured));
      return { done: expected > 0 ? (all - passes * (left / expected)) / all : 1, left };
    }
    // By the plan until there is something to go by.
    const pace = share > 0.1 ? spent / share : planned.estimatedSeconds;
    const rest = (share > 0.1 ? Math.min(pace, budgetSeconds) : pace) - spent;
    // Starts that take longer than planned use up the plan's time, and the load is still to come.
    const left = Math.max(rest, loadSeconds * (1 - share)) + (share > 0.1 ? expect(pace) : passes);
    return { done: all > 0 ? (share * planned.estimatedSeconds) / all : share, left };
  };
}
