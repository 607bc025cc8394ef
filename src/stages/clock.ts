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
 * @returns what to show where a share of the measuring is done, after so many seconds; 1: a pass goes on
 */
export function makeClock(
  planned: Pick<Plan, 'estimatedSeconds'> & PlannedPasses,
  loadSeconds: number,
): (share: number, spent: number) => Progress {
  const passes = passSeconds(planned);
  // The total is the plan's: the time that is really spent may be any.
  const all = planned.estimatedSeconds + passes;
  let measured: number | null = null;
  return (share, spent) => {
    if (share >= 1) {
      measured ??= spent;
      const left = Math.max(0, passes - (spent - measured));
      return { done: all > 0 ? (all - left) / all : 1, left };
    }
    // By the plan until there is something to go by.
    const rest = share > 0.1 ? (spent / share) * (1 - share) : planned.estimatedSeconds - spent;
    // Starts that take longer than planned use up the plan's time, and the load is still to come.
    const left = Math.max(rest, loadSeconds * (1 - share)) + passes;
    return { done: all > 0 ? (share * planned.estimatedSeconds) / all : share, left };
  };
}
