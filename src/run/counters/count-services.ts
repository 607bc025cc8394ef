import { sum } from '../../analyse/rows/pool.ts';
import type { Scenario } from '../../config/types.ts';
import { countAround, countable, countWarmUp, SERVICE_COUNT } from '../../plan/timeline/count-plan.ts';
import { listNames } from '../../text/plain.ts';
import type { Pass, ReadyPass } from '../passes/run-pass.ts';
import type { World } from '../world.ts';
import { type Calibrated, calibrate, countDuring } from './count-window.ts';
import {
  type CounterValues,
  divide,
  less,
  namesOf,
  type ServerKind,
  type WindowPart,
} from './counter-values.ts';
import { type CountedService, findKind, openService, type ReadWorld } from './read-services.ts';

/** Iterations of a repeat. */
const ITERATIONS = 20;
const { starts: STARTS, repeats: REPEATS, mostPaths: MOST_PATHS } = SERVICE_COUNT;

/** Counts per request what the services do, with one client on one server at a time; null: nothing to count. */
export function planServiceCount({ job, sink }: World): Pass | null {
  const { config, plan, services } = job;
  if (!config.count?.includes('services') || !services) return null;
  const own = plan.scenarios.filter(({ load }) => load === null).map(({ name }) => name);
  if (own.length > 0) sink.warn(scripted(own));
  if (countable(plan.scenarios).length === 0) return null;
  const warned = new Set<string>();
  const known = new Map<string, Calibrated>();
  return {
    code: 'count',
    title: 'count of queries',
    remedy: 'see the logs in raw/services/, or run again with --count none',
    variants: plan.variants,
    starts: STARTS,
    outfit: async () => null,
    visit: (ready) => visit(ready, warned, known),
  };
}

const scripted = (names: readonly string[]) => ({
  code: 'count',
  message: `queries of ${names.join(', ')} were not counted: the script brings a load of its own`,
  remedy: 'set `load` for the scenario, or turn the count off with --count none',
  variant: null,
});

const CAUSES = {
  overlap: [
    'its health checks overlap with each reading of its counters',
    'increase the interval of its health check',
  ],
  others: [
    'its counters grow without load, by another number each time',
    'stop what else asks it during the run, such as a queue worker',
  ],
} as const;

function uncalibrated({ service, kind }: CountedService, cause: keyof typeof CAUSES) {
  const [why, remedy] = CAUSES[cause];
  return { message: `the service ${service} was not counted: ${why}; ${leftOut(kind)}`, remedy };
}

/** A sum without one of the services would be taken for that of all. */
const leftOut = (kind: ServerKind | null) => `${listNames([...namesOf(kind)])} are left out, of all services`;

async function visit(ready: ReadyPass, warned: Set<string>, known: Map<string, Calibrated>): Promise<void> {
  const { world, start } = ready;
  const { docker, host, signal } = world.engine;
  const reading: ReadWorld = { docker, host, signal };
  const { opened, unread } = await openAll(world, reading, warned);
  try {
    const services: Calibrated[] = [];
    for (const one of opened) {
      const found = await calibrate(reading, one);
      // Costs from an earlier start: it is the same server.
      const costs = typeof found === 'string' ? known.get(one.container) : found;
      if (costs) {
        known.set(one.container, costs);
        services.push({ ...costs, service: one });
      } else if (typeof found === 'string') {
        unread.push(one);
        warn(world, warned, `calibrate ${one.service}`, uncalibrated(one, found));
      }
    }
    if (services.length === 0) return;
    for (const scenario of countable(world.job.plan.scenarios)) {
      for (const id of [...ready.servers.keys()]) {
        world.sink.at(`counting: start ${start + 1}/${STARTS}, ${scenario.name}`, 1);
        await countVariant({ ready, reading, services, unread, warned }, id, scenario);
      }
    }
  } finally {
    await closeAll(opened);
  }
}

async function closeAll(opened: readonly CountedService[]): Promise<void> {
  for (const one of opened) await one.close().catch(() => {});
}

type Unread = Omit<WindowPart, 'values'>;

/** Those that keep counts. One whose counters cannot be read is a warning. */
async function openAll(
  world: World,
  reading: ReadWorld,
  warned: Set<string>,
): Promise<{ opened: CountedService[]; unread: Unread[] }> {
  const opened: CountedService[] = [];
  const unread: Unread[] = [];
  for (const { service, container } of world.job.services?.containers ?? []) {
    let kind: ServerKind | null = null;
    try {
      kind = await findKind(reading, container);
      if (kind) opened.push(await openService(reading, { service, container, kind }));
    } catch (error) {
      if (reading.signal.aborted) await closeAll(opened);
      reading.signal.throwIfAborted();
      unread.push({ service, kind });
      warn(world, warned, service, {
        message: `the counters of the service ${service} could not be read: ${(error as Error).message}; ${leftOut(kind)}`,
        remedy: `set the password of its administrator as a variable that its image knows, such as ${PASSWORDS[kind ?? 'mysql']}`,
      });
    }
  }
  return { opened, unread };
}

const PASSWORDS: Readonly<Record<ServerKind, string>> = {
  ...{
    mysql: 'MARIADB_ROOT_PASSWORD or MYSQL_ROOT_PASSWORD',
    postgresql: 'POSTGRES_PASSWORD',
    redis: 'REDIS_PASSWORD',
  },
};

function warn(
  { sink }: World,
  warned: Set<string>,
  key: string,
  text: { message: string; remedy: string },
): void {
  if (warned.has(key)) return;
  warned.add(key);
  sink.warn({ code: 'count', ...text, variant: null });
}

interface Counting {
  ready: ReadyPass;
  reading: ReadWorld;
  services: readonly Calibrated[];
  unread: readonly Unread[];
  warned: Set<string>;
}

async function countVariant(counting: Counting, variant: string, scenario: Scenario): Promise<void> {
  const { ready } = counting;
  await ready.load(countWarmUp(scenario), [variant]);
  for (const { endpoint, part } of partsOf(scenario)) {
    const around = countAround(part);
    const apart = around && (await repeat(counting, variant, around)).values;
    const repeats: Repeat[] = [];
    for (let i = 0; i < REPEATS && ready.servers.has(variant); i++) {
      repeats.push(perRequest(await repeat(counting, variant, part), apart));
    }
    if (!ready.servers.has(variant)) return;
    await keep(ready, { variant, scenario: scenario.name, endpoint }, repeats);
  }
}

interface Repeat {
  values: CounterValues;
  requests: number;
  failures: number;
}

async function repeat(counting: Counting, variant: string, part: Scenario): Promise<Repeat> {
  const { ready, reading, services, unread, warned } = counting;
  const { values, done, doubtful, missing } = await countDuring(reading, services, unread, () =>
    ready.load(part, [variant]),
  );
  for (const { name, service } of missing.filter((one) => !unread.some((u) => u.service === one.service))) {
    warn(ready.world, warned, `${name} ${service}`, {
      message: `${name} is left out for all services: ${service} gave only a part of it`,
      remedy: REMEDIES[name] ?? 'leave the counters of the service alone while it is counted',
    });
  }
  for (const service of doubtful) {
    warn(ready.world, warned, `probe ${service}`, {
      message: `each repeat overlapped a health check of the service ${service}: counts may include its queries`,
      remedy: 'increase the interval of its health check',
    });
  }
  const requests = sum(done, (one) => one.requests);
  const failures = sum(done, (one) => one.requests - one.okCount);
  return { values, requests, failures };
}

/** @param apart counts around the load; null: the journey does nothing there */
function perRequest({ values, ...done }: Repeat, apart: CounterValues | null): Repeat {
  const known = Object.entries(values).filter(([name]) => apart === null || name in apart);
  return { ...done, values: divide(less(Object.fromEntries(known), apart ?? {}), done.requests) };
}

const ROWS_REMEDY =
  'PostgreSQL: use letters, digits, - and . in names of databases, and end transactions; others: do not reset counters while they are counted';

/** Why PostgreSQL, or a counter that was set back, does not give a count. */
const REMEDIES: Readonly<Record<string, string>> = {
  queries:
    'PostgreSQL: let the server log to standard error, or load pg_stat_statements; others: do not reset counters while they are counted',
  'rows-read': ROWS_REMEDY,
  'rows-written': ROWS_REMEDY,
};

async function keep(
  { world, start }: ReadyPass,
  of: { variant: string; scenario: string; endpoint: string | null },
  repeats: readonly Repeat[],
): Promise<void> {
  const good = repeats.filter(({ requests }) => requests > 0);
  const names = Object.keys(good[0]?.values ?? {}).filter((name) =>
    good.every(({ values }) => Number.isFinite(values[name]) && (values[name] as number) >= 0),
  );
  if (names.length === 0) return;
  await world.sink.keepCount({
    ...{ count: true, ...of, instance: start, by: 'services' },
    requests: Math.min(...good.map(({ requests }) => requests)),
    failures: sum(good, ({ failures }) => failures),
    values: names.map((name) => ({
      name,
      perRequest: good.map(({ values }) => round(values[name] as number)),
    })),
  });
}

/** Twelve digits: the same quotient twice is the same number. */
const round = (value: number) => Number(value.toPrecision(12));

/** Each path by itself; a journey as a whole, as its steps need each other. */
function partsOf(scenario: Scenario): { endpoint: string | null; part: Scenario }[] {
  const { journey } = scenario;
  const whole = [{ endpoint: null, part: fixed(scenario) }];
  if (journey.kind !== 'paths' || journey.paths.length === 1 || journey.paths.length > MOST_PATHS)
    return whole;
  return [...new Set(journey.paths)].map((path) => ({
    endpoint: path,
    part: fixed({ ...scenario, journey: { kind: 'paths', paths: [path] } }),
  }));
}

/** One client, so many times. A script that brings its own load keeps it. */
function fixed(scenario: Scenario): Scenario {
  const paths = scenario.journey.kind === 'paths' ? scenario.journey.paths.length : 1;
  const requests = paths * Math.ceil(ITERATIONS / paths);
  const segments = [{ kind: 'requests', requests, vus: 1 }] as const;
  const load = scenario.load && { source: `requests(${requests}, 1)`, segments };
  return { ...scenario, load, warmupMs: 0, blocks: 1 };
}
