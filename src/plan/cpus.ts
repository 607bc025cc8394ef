import { UserError } from '../errors.ts';
import type { CpuLayout, Warning } from '../results/results.ts';
import { listNames } from '../text/plain.ts';

/** One logical CPU of the engine's machine, as Linux' sysfs has it. */
export interface Cpu {
  cpu: number;
  /** Its core; no two cores of a machine have the same number. */
  core: number;
  /** Its capacity, or its highest frequency: comparable within a machine. Not known of virtual ones. */
  speed?: number;
}

/**
 * Divides the CPUs between the servers, the load generator, services if there are any, and the system.
 *
 * Siblings (two threads of one core) stay together, since they slow each other down. With four cores and more, core 0
 * is left to the system; a third of the rest is for services; of what remains the servers get the larger half. Parts
 * without given CPUs divide the cores that no given CPU is on. If there are too few cores, it splits or shares them,
 * with a warning.
 *
 * @param pinsCpus whether the engine keeps containers to their CPUs; if not, all of them use all CPUs
 */
export function layOutCpus(
  cpus: readonly Cpu[],
  given: {
    server?: readonly number[];
    load?: readonly number[];
    front?: readonly number[];
    /** The load comes from other machines: its CPUs here are the system's, though the servers do not get them. */
    elsewhere?: boolean;
  },
  hasServices = false,
  pinsCpus = true,
): { layout: CpuLayout; warnings: Warning[] } {
  const { front } = given;
  const all = cpus.map((c) => c.cpu);
  checkGiven('front-cpus', front, all);
  const left = cpus.filter((c) => !front?.includes(c.cpu));
  // Nothing else gets the CPUs of the front unless the user sets them.
  const known = left.map((c) => c.cpu);
  if (known.length === 0) {
    throw new UserError('no CPU is left for the servers and the load generator', {
      where: { name: 'front-cpus' },
      found: formatCpus(all),
    });
  }
  checkGiven('server-cpus', given.server, all);
  checkGiven('load-cpus', given.load, all);
  if (!pinsCpus) {
    const layout = { server: all, load: [...all], services: [], system: [], source: 'found' as const };
    return { layout, warnings: [] };
  }
  const cores = groupByCore(cpus);
  const sets = divide(cores, given, hasServices);
  for (const set of [sets.server, sets.load, sets.services]) set.sort((a, b) => a - b);
  const used = new Set([...sets.server, ...sets.load, ...sets.services]);
  const system = known.filter((c) => !used.has(c));
  const isFree = (c: number) => !isServing(sets, c) && !front?.includes(c);
  const hasSystem = system.length > 0 || (given.elsewhere && sets.load.some(isFree));
  const source = given.server || given.load ? 'given' : 'found';
  return {
    layout: { ...sets, system, ...(front && { front: [...front] }), source },
    warnings: [
      ...warnOfNeighbours(cores, sets, given),
      ...warnOfMixed(cpus, groupByCore(left), sets.server, given.load),
      ...(hasSystem ? [] : [warnOfSystem(given)]),
      ...(hasServices && sets.services.length === 0 ? [warnOfServices(sets.server, given)] : []),
    ],
  };
}

type Given = NonNullable<Parameters<typeof layOutCpus>[1]>;
type Sets = Record<'server' | 'load' | 'services', number[]>;

function divide(cores: readonly number[][], given: Given, hasServices: boolean): Sets {
  if (given.server || given.load) return divideRest(cores, given, hasServices);
  const free = freeCores(cores, given.front, hasServices ? 3 : 2);
  if (free.length === 1) {
    const threads = free[0] as number[];
    const server = threads.slice(0, Math.ceil(threads.length / 2));
    return { server, load: threads.length > 1 ? threads.slice(server.length) : server, services: [] };
  }
  const usable = free.length >= 4 ? free.slice(1) : free;
  const services =
    hasServices && usable.length > 2 ? usable.splice(-Math.floor(usable.length / 3)).flat() : [];
  const forServer = usable.length - Math.floor(usable.length / 2);
  return { server: usable.slice(0, forServer).flat(), load: usable.slice(forServer).flat(), services };
}

/** Whole cores for parts without given CPUs, and the first for the system if there are enough. If too few are whole, single threads. */
function divideRest(cores: readonly number[][], given: Given, hasServices: boolean): Sets {
  const { server, load, front = [] } = given;
  const loaded = [...new Set([...(server ?? []), ...(load ?? [])])];
  const taken = [...loaded, ...front];
  const parts = (server && load ? 0 : 1) + (hasServices ? 1 : 0);
  const free = freeCores(cores, taken, parts);
  if (freeCores(cores, taken).length > parts) free.shift();
  const share = free.length > 1 ? Math.max(1, Math.floor(free.length / 3)) : 0;
  const services = hasServices ? free.splice(server && load ? 0 : free.length - share).flat() : [];
  const other = free.length > 0 ? free.flat() : loaded;
  return { server: server ? [...server] : other, load: load ? [...load] : other, services };
}

/** Cores on which none of these CPUs is. If there are fewer than `least`, all CPUs but these, by core. */
function freeCores(cores: readonly number[][], taken: readonly number[] = [], least = 0): number[][] {
  const whole = cores.filter((core) => !core.some((c) => taken.includes(c)));
  if (whole.length >= least) return whole;
  return cores.map((core) => core.filter((c) => !taken.includes(c))).filter(({ length }) => length > 0);
}

const isServing = ({ server, services }: Sets, cpu: number) => server.includes(cpu) || services.includes(cpu);

/** Warns if servers, load generator, services and a proxy with own CPUs take time from each other. Load from elsewhere takes none. */
function warnOfNeighbours(cores: readonly number[][], sets: Sets, given: Given): Warning[] {
  const { front = [], elsewhere } = given;
  // By default, it shares the CPUs of the servers.
  const all = Object.entries({ ...sets, front: front.filter((c) => !sets.server.includes(c)) });
  const parts = all.filter(([part]) => part !== 'load' || !elsewhere);
  const used = new Set([...sets.server, ...front]);
  const shared = elsewhere ? [] : [...used].filter((c) => sets.load.includes(c));
  if (shared.length > 0) return [warnOfShared(shared)];
  const split = cores
    .map((core) => parts.filter(([, set]) => core.some((c) => set.includes(c))).map(([part]) => part))
    .find(({ length }) => length > 1);
  if (!split) return [];
  const isOnly = cores.filter((core) => !core.every((c) => front.includes(c))).length === 1;
  return [isOnly && !split.includes('front') ? warnOfOneCore(given) : warnOfSplit(split)];
}

/** Cores of one kind differ by less than this share, also with turbo for some of them. */
const ALIKE = 0.2;

/** Warns if the servers have cores of several kinds. */
function warnOfMixed(
  cpus: readonly Cpu[],
  cores: readonly number[][],
  server: readonly number[],
  load: readonly number[] = [],
): Warning[] {
  const rated = cpus.flatMap(({ cpu, speed }) => (speed === undefined ? [] : [{ cpu, speed }]));
  const fastest = Math.max(0, ...rated.filter(({ cpu }) => server.includes(cpu)).map(({ speed }) => speed));
  const isAlike = ({ speed }: { speed: number }) => Math.abs(fastest - speed) <= fastest * ALIKE;
  const list = (some: typeof rated, among: readonly number[]) =>
    formatCpus(some.map(({ cpu }) => cpu).filter((cpu) => among.includes(cpu)));
  const [alike, others] = [rated.filter(isAlike), rated.filter((one) => !isAlike(one))];
  const slow = list(others, server);
  if (slow === '') return [];
  // The first core is the system's.
  const usable = [...server, ...cores.slice(1).flat()].filter((c) => server.includes(c) || !load.includes(c));
  return [
    {
      code: 'mixed-cores',
      message: `cores of the servers differ in speed: CPU ${slow} is slower than CPU ${list(alike, server)}, so latency depends on the core`,
      remedy: `give the servers cores of one speed, such as --server-cpus ${list(alike, usable)}`,
      variant: null,
    },
  ];
}

function warnOfOneCore(given: Given): Warning {
  return {
    code: 'sibling-cores',
    message: 'servers and load generator run on the two threads of one core and slow each other down',
    remedy: adviseCores(given, 'at least two cores'),
    variant: null,
  };
}

function warnOfSplit(split: readonly string[]): Warning {
  const [one, other] = split;
  const keys = ['server', 'load', ...split.filter((part) => part === 'front')];
  return {
    code: 'sibling-cores',
    message: `a core has one thread in the ${one} set and one in the ${other} set`,
    remedy: `keep the threads of one core together in ${listNames(keys, (part) => `--${part}-cpus`)}`,
    variant: null,
  };
}

function warnOfSystem(given: Given): Warning {
  return {
    code: 'no-system-core',
    message: 'no core is left for the system: its work affects the results',
    remedy: adviseCores(given, 'four cores or more for steadier numbers'),
    variant: null,
  };
}

/** Not the machine alone is to blame where CPUs are given. */
function adviseCores(given: Given, machine: string): string {
  const flags = (['server', 'front', 'load'] as const).filter((part) => given[part]);
  if (flags.length === 0) return `use a machine with ${machine}`;
  const named = listNames(flags, (part) => `--${part}-cpus`);
  return `leave a core out of ${named}, or use a machine with more cores`;
}

function warnOfShared(cpus: readonly number[]): Warning {
  return {
    code: 'shared-cores',
    message: `servers and load generator share CPU ${formatCpus(cpus)}: each takes time from the other`,
    remedy: 'use a machine with more cores, or separate --server-cpus and --load-cpus',
    variant: null,
  };
}

function warnOfServices(server: readonly number[], given: Given): Warning {
  return {
    code: 'shared-services',
    message: `services share CPU ${formatCpus(server)} with the servers, which have less CPU time as a result`,
    remedy: adviseCores(given, 'three cores or more'),
    variant: null,
  };
}

function groupByCore(cpus: readonly Cpu[]): number[][] {
  return [...Map.groupBy(cpus, ({ core }) => core).values()].map((own) => own.map(({ cpu }) => cpu));
}

/** Errors: UserError, the machine does not have all CPUs that a key gives. */
export function checkGiven(
  key: string,
  given: readonly number[] | undefined,
  known: readonly number[],
): void {
  const missing = given?.filter((c) => !known.includes(c)) ?? [];
  if (missing.length === 0) return;
  throw new UserError(`this machine has no CPU ${formatCpus(missing)}`, {
    where: { name: key },
    found: formatCpus(given ?? []),
    allowed: formatCpus(known),
  });
}

/** `0-3,8`: the kernel's list format. */
export function formatCpus(cpus: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < cpus.length; i++) {
    const first = cpus[i] as number;
    while (cpus[i + 1] === (cpus[i] as number) + 1) i++;
    const last = cpus[i] as number;
    parts.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return parts.join(',');
}
