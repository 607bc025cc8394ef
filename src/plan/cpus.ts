import { UserError } from '../errors.ts';
import type { CpuLayout, Warning } from '../results/results.ts';

/** One logical CPU of the engine's machine, as Linux' sysfs has it. */
export interface Cpu {
  cpu: number;
  /** Its core; no two cores of a machine have the same number. */
  core: number;
}

/**
 * Divides the CPUs between the servers, the load generator, services if there are any, and the system.
 *
 * Siblings (two threads of one core) stay together, since they slow each other down. With four cores and more, core 0
 * is left to the system; a third of the rest is for services; of what remains the servers get the larger half. If
 * there are too few cores, it splits or shares them, with a warning.
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
  const cores = groupByCore(left);
  const sets = divide(cores, known, given, hasServices);
  for (const set of [sets.server, sets.load, sets.services]) set.sort((a, b) => a - b);
  const used = new Set([...sets.server, ...sets.load, ...sets.services]);
  const system = known.filter((c) => !used.has(c));
  const isFree = (c: number) => !isServing(sets, c) && !front?.includes(c);
  const hasSystem = system.length > 0 || (given.elsewhere && sets.load.some(isFree));
  const source = given.server || given.load ? 'given' : 'found';
  return {
    layout: { ...sets, system, ...(front && { front: [...front] }), source },
    warnings: [
      ...warnOfLoad(cores, sets, given),
      ...(hasSystem ? [] : [NO_SYSTEM_CORE]),
      ...(hasServices && sets.services.length === 0 ? [warnOfServices(sets.server)] : []),
    ],
  };
}

type Given = NonNullable<Parameters<typeof layOutCpus>[1]>;
type Sets = Record<'server' | 'load' | 'services', number[]>;

function divide(
  cores: readonly number[][],
  known: readonly number[],
  given: Given,
  hasServices: boolean,
): Sets {
  if (given.server && given.load) {
    const [server, load] = [[...given.server], [...given.load]];
    const rest = known.filter((c) => !server.includes(c) && !load.includes(c));
    return { server, load, services: hasServices ? rest : [] };
  }
  if (given.server || given.load) {
    const taken = new Set(given.server ?? given.load);
    const free = known.filter((c) => !taken.has(c));
    const services = hasServices && free.length > 1 ? free.splice(-Math.floor(free.length / 3) || -1) : [];
    const other = free.length > 0 ? free : [...taken];
    return {
      server: given.server ? [...given.server] : other,
      load: given.load ? [...given.load] : other,
      services,
    };
  }
  if (cores.length === 1) {
    const threads = cores[0] as number[];
    const server = threads.slice(0, Math.ceil(threads.length / 2));
    return { server, load: threads.length > 1 ? threads.slice(server.length) : server, services: [] };
  }
  const usable = cores.length >= 4 ? cores.slice(1) : [...cores];
  const services =
    hasServices && usable.length > 2 ? usable.splice(-Math.floor(usable.length / 3)).flat() : [];
  const forServer = usable.length - Math.floor(usable.length / 2);
  return { server: usable.slice(0, forServer).flat(), load: usable.slice(forServer).flat(), services };
}

const isServing = ({ server, services }: Sets, cpu: number) => server.includes(cpu) || services.includes(cpu);

/** Warns if servers and load generator take time from each other. */
function warnOfLoad(cores: readonly number[][], { server, load }: Sets, given: Given): Warning[] {
  if (given.elsewhere) return [];
  const shared = [...new Set([...server, ...(given.front ?? [])])].filter((c) => load.includes(c));
  const isSplit = cores.some(
    (core) => core.some((c) => server.includes(c)) && core.some((c) => load.includes(c)),
  );
  const isAlone = !given.server && !given.load && cores.length === 1 && (cores[0] as number[]).length > 1;
  return [
    ...(isAlone ? [ONE_CORE] : []),
    ...(shared.length > 0 ? [warnOfShared(shared)] : isSplit && !isAlone ? [SPLIT_CORE] : []),
  ];
}

const ONE_CORE: Warning = {
  code: 'sibling-cores',
  message: 'servers and load generator run on the two threads of one core and slow each other down',
  remedy: 'use a machine with at least two cores',
  variant: null,
};

const SPLIT_CORE: Warning = {
  code: 'sibling-cores',
  message: 'a core has one thread in the server set and one in the load set',
  remedy: 'keep the threads of one core together in --server-cpus and --load-cpus',
  variant: null,
};

const NO_SYSTEM_CORE: Warning = {
  code: 'no-system-core',
  message: 'no core is left for the system: its work affects the results',
  remedy: 'use a machine with four cores or more for steadier numbers',
  variant: null,
};

function warnOfShared(cpus: readonly number[]): Warning {
  return {
    code: 'shared-cores',
    message: `servers and load generator share CPU ${formatCpus(cpus)}: each takes time from the other`,
    remedy: 'use a machine with more cores, or separate --server-cpus and --load-cpus',
    variant: null,
  };
}

function warnOfServices(server: readonly number[]): Warning {
  return {
    code: 'shared-services',
    message: `services share CPU ${formatCpus(server)} with the servers, which have less CPU time as a result`,
    remedy: 'use a machine with three cores or more',
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
