import { statfs } from 'node:fs/promises';
import { release } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../../config/types.ts';
import { UserError } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { layOutCpus } from '../../plan/cpus.ts';
import { type ColdStarting, timesColdStarts } from '../../plan/timeline/pass-seconds.ts';
import { warnOfDiscarded } from '../../plan/warn/discarded-limits.ts';
import type { Warning } from '../../results/results.ts';
import { findResults } from '../../store/stored.ts';
import { plural } from '../../text/plain.ts';
import { expectCompose } from '../compose-plugin.ts';
import { connectDocker, type EngineFacts, LABEL, listContainers } from '../docker.ts';
import { judgeDisk, judgeNow, NOW_SCRIPT } from './disturbance.ts';
import type { Finding } from './finding.ts';
import { lookInContainer } from './look.ts';
import { MACHINE_SCRIPT, type Machine, parseMachine } from './machine.ts';
import { judgePlacement, PLACEMENT_SCRIPT, type Placement, parsePlacement } from './placement.ts';
import { judgePast, judgeRepeats, repeatWork } from './usual.ts';

/** Checks the tools that the configuration needs. */
export async function diagnoseNeeds(
  host: Host,
  config: ColdStarting & Pick<Config, 'services'>,
  isRemote: boolean,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (config.services) {
    const fault = await expectCompose(connectDocker(host)).catch((error: unknown) => {
      if (error instanceof UserError) return error;
      throw error;
    });
    findings.push(
      fault
        ? { ok: false, what: `${fault.message} (${fault.detail.found}). ${fault.detail.hint}` }
        : { ok: true, what: 'docker compose, for services' },
    );
  }
  if (timesColdStarts(config) && isRemote) {
    const what = '`cold-start` does not work with an engine on another machine: leave it out, or run there';
    findings.push({ ok: false, what });
  } else if (timesColdStarts(config)) {
    const ok = (await host.exec('hyperfine', ['--version']).catch(() => null))?.code === 0;
    findings.push({
      ok,
      what: ok
        ? 'hyperfine, for cold starts'
        : 'hyperfine is missing, and `cold-start` needs it: apt-get install hyperfine',
    });
  }
  return findings;
}

/** Checks the needs of the configuration, the disk for its results, and the earlier run there. */
export async function diagnoseBeside(
  host: Host,
  machine: Machine,
  beside: (ColdStarting & Pick<Config, 'services' | 'out'>) | { message: string },
  isRemote: boolean,
): Promise<Finding[]> {
  if ('message' in beside) return [{ ok: false, what: beside.message }];
  return [
    ...(await diagnoseNeeds(host, beside, isRemote)),
    ...(await diagnoseDisk(beside.out)),
    ...judgePast(await findResults(beside.out).catch(() => null), machine, beside.out),
  ];
}

/** Whether results have room where they go. */
async function diagnoseDisk(out: string): Promise<Finding[]> {
  const disk = await statfs(dirname(out)).catch(() => null);
  return disk ? [judgeDisk(disk.bavail * disk.bsize, out)] : [];
}

/** The machine on which servers run, which is the engine's; and what a container sees of it, if one could look. */
export interface Site {
  machine: Machine;
  /** Output of NOW_SCRIPT there. */
  now: string;
  /** The placement of this process; null if the engine runs elsewhere. */
  own: Placement | null;
  container: Placement | null;
  isElsewhere: boolean;
}

const NO_LOOK: Finding = {
  ok: true,
  what: 'limits of containers: not visible before the first run, which pulls the image of k6',
};

/**
 * Whether an engine's machine is not this one. It may be a virtual machine on it, as that of Docker Desktop or Colima: a
 * socket leads there, but the kernel is another one.
 */
export function isElsewhere(isRemote: boolean, { kernel }: Pick<EngineFacts, 'kernel'>): boolean {
  return isRemote || kernel !== nameAsDocker(release());
}

/** Docker writes the three numbers of a release that has two. */
const nameAsDocker = (kernel: string) => kernel.replace(/^(\d+\.\d+)(?![.\d])/, '$1.0');

interface Looking {
  /** This machine as this process sees it. It may be in a container, whose CPUs are not those of the engine. */
  here: Machine;
  isElsewhere: boolean;
  image: string;
  run: string;
}

/** A container of the engine looks around, if the engine has the image of k6: nothing is pulled. */
export async function lookAround(host: Host, asked: Looking): Promise<Site> {
  const { isElsewhere, image, run } = asked;
  const scripts = [PLACEMENT_SCRIPT, MACHINE_SCRIPT, NOW_SCRIPT].join('\n');
  const seen = await lookInContainer(connectDocker(host), image, run, scripts);
  const look = async (script: string) => (isElsewhere ? '' : (await host.exec('sh', ['-c', script])).stdout);
  return {
    machine: chooseMachine(seen, asked),
    now: seen || (await look(NOW_SCRIPT)),
    own: parsePlacement(await look(PLACEMENT_SCRIPT)),
    container: parsePlacement(seen ?? ''),
    isElsewhere,
  };
}

/** The same for the machine alone. */
export async function findMachine(host: Host, asked: Looking): Promise<Machine> {
  const { image, run } = asked;
  return chooseMachine(await lookInContainer(connectDocker(host), image, run, MACHINE_SCRIPT), asked);
}

/** Without a container that looked, nothing is known of an engine elsewhere. */
function chooseMachine(seen: string | null, { here, isElsewhere }: Looking): Machine {
  const machine = parseMachine(seen ?? '');
  return machine.cpus.length > 0 || isElsewhere ? machine : here;
}

/** Is this machine fit to measure? Changes nothing. */
export async function diagnose(host: Host, site: Site, engine: EngineFacts): Promise<Finding[]> {
  const { machine, now, own, container } = site;
  const docker = connectDocker(host);
  const about = [
    { ok: true, what: `engine ${engine.version}, buildx ${engine.buildx}, cgroup v${engine.cgroup}` },
    ...warnOfDiscarded(engine, true).map(noteOf),
  ];
  if (machine.cpus.length === 0) return [...about, NO_LOOK];
  const { warnings } = layOutCpus(machine.cpus, {}, false, engine.pinsCpus);
  const placed = container ?? own;
  const containers = (await listContainers(docker, 'status=running')).length;
  const ours = (await listContainers(docker, `label=${LABEL}`)).length;
  return [
    ...about,
    { ok: machine.cpus.length >= 4, what: `${plural(machine.cpus.length, 'CPU')} (${machine.cpuModel})` },
    ...warnings.map(noteOf),
    machine.governor === null
      ? { ok: true, what: 'CPU governor: not visible (normal on virtual machines)' }
      : {
          ok: machine.governor === 'performance',
          what: `CPU governor ${machine.governor}${machine.governor === 'performance' ? '' : ": 'performance' is steadier (cpupower frequency-set -g performance)"}`,
        },
    {
      ok: !machine.virtual,
      what: machine.virtual
        ? 'virtual machine: neighbours may disturb the results; see steal in the report'
        : machine.virtual === null
          ? 'virtual machine or not: not visible'
          : 'not a virtual machine',
    },
    ...(placed ? judgePlacement(own ?? placed, container) : []),
    ...(container ? [] : [NO_LOOK]),
    ...judgeNow(
      now,
      machine.cpus.map(({ cpu }) => cpu),
    ),
    ...(site.isElsewhere ? [] : [judgeRepeats(repeatWork(host))]),
    {
      ok: containers === 0,
      what: `${plural(containers, 'other container')} ${areOf(containers)} running`,
    },
    {
      ok: ours === 0,
      what:
        ours === 0
          ? 'nothing left over from an earlier run'
          : `${plural(ours, 'container')} of a run ${areOf(ours)} there`,
    },
  ];
}

const noteOf = ({ message, remedy }: Warning): Finding => ({ ok: false, what: `${message}; ${remedy}` });
const areOf = (count: number) => (count === 1 ? 'is' : 'are');
