import type { Config, Scenario } from '../../config/types.ts';
import type { Counter } from '../../results/count-names.ts';
import { isWatched, type PlannedVariant } from '../variants.ts';
import { passStartSeconds, setUpSeconds } from './pass-seconds.ts';
import { COMMON_START_MS } from './timeline.ts';

/** The pass that counts by services: fresh starts, repeats of each, and up to how many paths are counted one by one. */
export const SERVICE_COUNT = { starts: 2, repeats: 3, mostPaths: 8 } as const;
/** The pass that counts by PHP: a fresh start for each scenario, and its repeats. */
export const PHP_COUNT = { starts: 1, repeats: 3 } as const;
/** Warm-up of both: requests for each path, and the time of them all. k6 waits so long for an answer at least, ms. */
const WARM_UP = { vus: 8, requests: 64, seconds: 1, patienceMs: 30_000 } as const;
/** A k6 process with its few requests and the reading around it. */
const REPEAT_SECONDS = 1.5;
/** A page whose request takes 10 ms, in all processes of a version under callgrind. */
const PAGE_SECONDS = 20;
/** To start php-cgi's container, and to ask for the first page. */
const SIDE_SECONDS = 3;

/** Size and time of a count on an idle machine. */
export interface PlannedCount {
  by: Counter;
  variants: number;
  /** Fresh starts of each variant; pages where instructions are counted. */
  each: number;
  seconds: number;
}

type Counted = Pick<Config, 'count' | 'services' | 'setUp' | 'scenarios' | 'loadFrom'>;

/** Those that count something, in the order in which they run. */
export function planCounts(config: Counted, variants: readonly PlannedVariant[]): PlannedCount[] {
  const planned = {
    services: planServices(config, variants.length),
    php: planPhp(config, countableByPhp(variants).length),
    instructions: planInstructions(config, variants),
  };
  return Object.entries(planned).flatMap(([by, { each, variants, seconds }]): PlannedCount[] =>
    config.count?.includes(by as Counter) && each * variants > 0
      ? [{ by: by as Counter, variants, each, seconds: Math.round(seconds) }]
      : [],
  );
}

type Effort = Omit<PlannedCount, 'by'>;

function planServices(config: Counted, variants: number): Effort {
  const counted = countable(config.scenarios);
  const { starts, repeats } = SERVICE_COUNT;
  const perVariant = counted.reduce(
    (sum, scenario) => sum + loadSeconds(config, scenario, repeats * partsOf(scenario)),
    0,
  );
  const seconds = starts * (passStartSeconds(config, variants) + variants * perVariant);
  return { variants, each: config.services && counted.length > 0 ? starts : 0, seconds };
}

function planPhp(config: Counted, variants: number): Effort {
  const scenarios = countable(config.scenarios);
  const { starts, repeats } = PHP_COUNT;
  const seconds = scenarios.reduce(
    (sum, scenario) =>
      sum + passStartSeconds(config, variants) + variants * loadSeconds(config, scenario, repeats),
    0,
  );
  return { variants, each: scenarios.length > 0 ? starts : 0, seconds: starts * seconds };
}

/** Both versions of an app are counted at once, one app and PHP version after the other, whichever servers they have. */
function planInstructions(config: Counted, variants: readonly PlannedVariant[]): Effort {
  const pages = new Set(
    config.scenarios.flatMap(({ journey }) => (journey.kind === 'paths' ? journey.paths : [])),
  ).size;
  const keyOf = ({ app, php, ref }: PlannedVariant) => JSON.stringify([app.name, php, ref !== null]);
  const counted = variants.filter(({ counter }) => counter !== undefined);
  const sides = new Set(counted.map(keyOf)).size;
  const pairs = new Set(counted.map((one) => keyOf({ ...one, ref: null }))).size;
  const seconds = sides * (SIDE_SECONDS + setUpSeconds(config)) + pairs * pages * PAGE_SECONDS;
  return { variants: sides, each: pages, seconds };
}

/** All loads of a scenario on one variant. */
function loadSeconds(config: Counted, scenario: Scenario, repeats: number): number {
  const others = countAround(scenario) ? 2 : 1;
  return WARM_UP.seconds + (others + repeats) * repeatSeconds(config);
}

const repeatSeconds = ({ loadFrom }: Counted) => REPEAT_SECONDS + (loadFrom ? COMMON_START_MS / 1000 : 0);

/** PHP counts where a server starts the app for each request, or loads it through worker.php. */
export const countableByPhp = (variants: readonly PlannedVariant[]): PlannedVariant[] =>
  variants.filter(isWatched);

/** A script with a load of its own would go through all of it in each repeat. */
export const countable = (scenarios: readonly Scenario[]): Scenario[] =>
  scenarios.filter(({ load }) => load !== null);

/**
 * The load before a count. A worker that keeps the app does more in its first request, and may serve no connections but its
 * own. Each request therefore opens one, so that more workers get some. Both versions get as many requests: a page may read
 * what earlier ones wrote. A request that k6 gave up goes on in the server, and would be counted in the first repeat.
 */
export function countWarmUp(scenario: Scenario): Scenario {
  const { vus, patienceMs } = WARM_UP;
  const requests = WARM_UP.requests * Math.min(pathsOf(scenario), SERVICE_COUNT.mostPaths);
  const load = { source: 'of the warm-up', segments: [{ kind: 'requests', requests, vus }] } as const;
  const timeoutMs = Math.max(scenario.timeoutMs, patienceMs);
  return { ...scenario, load, timeoutMs, warmupMs: 0, blocks: 1, reuse: false };
}

/** The scenario without its load: what a script does in `setup` and `teardown` is no part of a request. Null: there is none. */
export function countAround(scenario: Scenario): Scenario | null {
  if (scenario.journey.kind !== 'script') return null;
  const load = { source: 'of setup', segments: [{ kind: 'requests', requests: 0, vus: 1 }] } as const;
  return { ...scenario, load, warmupMs: 0, blocks: 1 };
}

const pathsOf = ({ journey }: Scenario) => (journey.kind === 'paths' ? new Set(journey.paths).size : 1);

function partsOf(scenario: Scenario): number {
  const paths = pathsOf(scenario);
  return paths > SERVICE_COUNT.mostPaths ? 1 : paths;
}
