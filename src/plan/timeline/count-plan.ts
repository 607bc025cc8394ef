import type { Config, Scenario } from '../../config/types.ts';
import { COMMON_START_MS } from './timeline.ts';

/** The pass that counts by services: fresh starts, repeats of each, and up to how many paths are counted one by one. */
export const SERVICE_COUNT = { starts: 2, repeats: 3, mostPaths: 8, warmupMs: 1000 } as const;
/** To start and remove the containers of one start; a k6 process with its few requests and the reading around it. */
const START_SECONDS = 3;
const REPEAT_SECONDS = 1.5;

export interface PlannedCount {
  variants: number;
  starts: number;
  /** Time that all of it takes on an idle machine. */
  seconds: number;
}

/** Null: services count nothing. */
export function planCount(
  { count, services, scenarios, loadFrom }: Pick<Config, 'count' | 'services' | 'scenarios' | 'loadFrom'>,
  variants: number,
): PlannedCount | null {
  const counted = countable(scenarios);
  if (!count?.includes('services') || !services || counted.length === 0) return null;
  const { starts, repeats, warmupMs } = SERVICE_COUNT;
  const repeatSeconds = REPEAT_SECONDS + (loadFrom ? COMMON_START_MS / 1000 : 0);
  const perVariant = counted.reduce(
    (sum, scenario) => sum + warmupMs / 1000 + (1 + repeats * partsOf(scenario)) * repeatSeconds,
    0,
  );
  return { variants, starts, seconds: Math.round(starts * (START_SECONDS + variants * perVariant)) };
}

/** A script with a load of its own would go through all of it in each repeat. */
export const countable = (scenarios: readonly Scenario[]): Scenario[] =>
  scenarios.filter(({ load }) => load !== null);

function partsOf({ journey }: Scenario): number {
  const paths = journey.kind === 'paths' ? new Set(journey.paths).size : 1;
  return paths > SERVICE_COUNT.mostPaths ? 1 : paths;
}
