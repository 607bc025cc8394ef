import { UserError } from '../errors.ts';
import type { CpuLayout, Warning } from '../results/results.ts';

/** One logical CPU of the engine's machine, as Linux' sysfs tells it. */
export interface Cpu {
  cpu: number;
  core: number;
  package: number;
}

/**
 * Divides the CPUs between the servers, the load generator, services if there are any, and the system.
 *
 * Siblings (two threads of one core) stay together, since they slow each other down. With four
 * cores and more, core 0 is left to the system; a third of the rest is for services; of what remains the servers get the
 * larger half. Where there are too few, it splits or shares and says so.
 */
export function layOutCpus(
  cpus: readonly Cpu[],
  given: { server?: readonly number[]; load?: readonly number[]; front?: readonly number[] } = {},
  hasServices = false,
): { layout: CpuLayout; warnings: Warning[] } {
  const { front } = given;
  const all = cpus.map((c) => c.cpu);
  checkGiven('--front-cpus', front, all);
  const left = cpus.filter((c) => !front?.includes(c.cpu));
  // What it has, nobody else gets unasked.
  const known = left.map((c) => c.cpu);
  if (known.length === 0) {
    throw new UserError('no CPU is left for the servers and the load generator', {
      where: { name: '--front-cpus' },
      found: formatCpus(all),
    });
  }
  const warnings: Warning[] = [];
  const warn = (code: string, message: string, remedy: string) =>
    warnings.push({ code, message, remedy, variant: null });
  checkGiven('--server-cpus', given.server, all);
  checkGiven('--load-cpus', given.load, all);

  const cores = groupByCore(left);
  let server: number[];
  let load: number[];
  let services: number[] = [];
  if (given.server && given.load) {
    server = [...given.server];
    load = [...given.load];
    if (hasServices) services = known.filter((c) => !server.includes(c) && !load.includes(c));
  } else if (given.server || given.load) {
    const taken = new Set(given.server ?? given.load);
    const free = known.filter((c) => !taken.has(c));
    if (hasServices && free.length > 1) services = free.splice(-Math.floor(free.length / 3) || -1);
    const rest = free;
    const other = rest.length > 0 ? rest : [...taken];
    server = given.server ? [...given.server] : other;
    load = given.load ? [...given.load] : other;
  } else if (cores.length === 1) {
    const threads = cores[0] as number[];
    server = threads.slice(0, Math.ceil(threads.length / 2));
    load = threads.length > 1 ? threads.slice(server.length) : server;
    if (threads.length > 1) {
      warn(
        'sibling-cores',
        'servers and load generator run on the two threads of one core and slow each other down',
        'use a machine with at least two cores',
      );
    }
  } else {
    const usable = cores.length >= 4 ? cores.slice(1) : [...cores];
    if (hasServices && usable.length > 2) services = usable.splice(-Math.floor(usable.length / 3)).flat();
    const forLoad = Math.floor(usable.length / 2);
    server = usable.slice(0, usable.length - forLoad).flat();
    load = usable.slice(usable.length - forLoad).flat();
  }
  server.sort((a, b) => a - b);
  load.sort((a, b) => a - b);
  services.sort((a, b) => a - b);
  const used = new Set([...server, ...load, ...services]);
  const system = known.filter((c) => !used.has(c));

  const shared = [...new Set([...server, ...(front ?? [])])].filter((c) => load.includes(c));
  if (shared.length > 0) {
    warn(
      'shared-cores',
      `servers and load generator share CPU ${formatCpus(shared)}: each takes time from the other`,
      'use a machine with more cores, or give disjoint --server-cpus and --load-cpus',
    );
  } else if (
    cores.some((core) => core.some((c) => server.includes(c)) && core.some((c) => load.includes(c)))
  ) {
    if (!warnings.some((w) => w.code === 'sibling-cores')) {
      warn(
        'sibling-cores',
        'a core has one thread in the server set and one in the load set',
        'keep the threads of one core together in --server-cpus and --load-cpus',
      );
    }
  }
  if (system.length === 0) {
    warn(
      'no-system-core',
      'no core is left to the system: its own work falls into the measurement',
      'use a machine with four cores or more for steadier numbers',
    );
  }
  if (hasServices && services.length === 0) {
    warn(
      'shared-services',
      `services share CPU ${formatCpus(server)} with the servers: what they need is missing there`,
      'use a machine with three cores or more',
    );
  }
  const source = given.server || given.load ? 'given' : 'found';
  return {
    layout: { server, load, system, services, ...(front && { front: [...front] }), source },
    warnings,
  };
}

function groupByCore(cpus: readonly Cpu[]): number[][] {
  const cores = new Map<string, number[]>();
  for (const { cpu, core, package: pkg } of cpus) {
    const key = `${pkg}/${core}`;
    cores.set(key, [...(cores.get(key) ?? []), cpu]);
  }
  return [...cores.values()];
}

function checkGiven(flag: string, given: readonly number[] | undefined, known: readonly number[]): void {
  const missing = given?.filter((c) => !known.includes(c)) ?? [];
  if (missing.length === 0) return;
  throw new UserError(`this machine has no CPU ${formatCpus(missing)}`, {
    where: { name: flag },
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
