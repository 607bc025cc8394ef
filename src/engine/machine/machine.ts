import { parseCpus } from '../../config/text.ts';
import type { Cpu } from '../../plan/cpus.ts';
import type { HostFacts } from '../../results/results.ts';
import type { EngineFacts } from '../docker.ts';

/** Facts that a machine reports about itself, with MACHINE_SCRIPT. */
export interface Machine {
  cpus: Cpu[];
  cpuModel: string;
  governor: string | null;
  /** Null: not visible. */
  virtual: boolean | null;
}

/**
 * Runs in any POSIX shell on Linux: in a container of the engine, or right here. A core is named by the first
 * of its threads, since numbers of cores repeat: on ARM in each cluster, elsewhere in each package. An engine that is
 * itself in a container may not use all CPUs of the machine; control groups show which (v2, v1). Only x86 has a flag for a
 * hypervisor; elsewhere its maker may show. The speed of a core is its capacity on ARM, elsewhere its highest frequency.
 * The roots are for tests.
 */
export const MACHINE_SCRIPT = `
root=\${CGROUP_ROOT:-/sys/fs/cgroup} cpus=\${CPUS_ROOT:-/sys/devices/system/cpu}
info=\${CPUINFO:-/proc/cpuinfo} dmi=\${DMI_ROOT:-/sys/class/dmi/id}
for dir in "$cpus"/cpu[0-9]*; do
  [ -d "$dir" ] || continue
  [ "$(cat "$dir/online" 2>/dev/null)" = 0 ] && continue
  threads=$(cat "$dir/topology/thread_siblings_list" 2>/dev/null)
  speed=$(cat "$dir/cpu_capacity" 2>/dev/null || cat "$dir/cpufreq/cpuinfo_max_freq" 2>/dev/null)
  echo "cpu \${dir##*/cpu} \${threads%%[,-]*} $speed"
done
echo "usable $(sed -n 1p "$root/cpuset.cpus.effective" "$root/cpuset/cpuset.effective_cpus" 2>/dev/null)"
echo "governor $(cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2>/dev/null)"
grep -m1 -E '^(model name|Model|CPU part)' "$info" | sed 's/^[^:]*: */model /'
if grep -q '^flags' "$info"; then
  grep -qw hypervisor "$info" && echo 'virtual yes' || echo 'virtual no'
else
  case $(cat "$dmi/sys_vendor" "$dmi/product_name" 2>/dev/null) in
  *.metal*) echo 'virtual no' ;;
  *QEMU* | *KVM* | *[Vv]irtual* | *VMware* | *Xen* | *Parallels* | *vServer* | *'Amazon EC2'* | *'Google Compute'*) echo 'virtual yes' ;;
  esac
fi
:
`;

/** Reads the script's output. Without topology (no sysfs) each CPU counts as a core of its own. */
export function parseMachine(text: string): Machine {
  const machine: Machine = { cpus: [], cpuModel: 'unknown', governor: null, virtual: null };
  let usable: readonly number[] | null = null;
  for (const line of text.split('\n')) {
    const [kind, ...rest] = line.trim().split(' ');
    if (kind === 'cpu' && rest[0]) {
      const cpu = Number(rest[0]);
      const core = rest[1] ? Number(rest[1]) : cpu;
      machine.cpus.push({ cpu, core, ...(rest[2] && { speed: Number(rest[2]) }) });
    } else if (kind === 'usable' && rest[0]) usable = parseCpus(rest[0]);
    else if (kind === 'governor') machine.governor = rest.join(' ') || null;
    else if (kind === 'model') machine.cpuModel = rest.join(' ').replace(/\s+/g, ' ');
    else if (kind === 'virtual') machine.virtual = rest[0] === 'yes';
  }
  const cpus = machine.cpus.filter(({ cpu }) => usable === null || usable.includes(cpu));
  return { ...machine, cpus: cpus.sort((a, b) => a.cpu - b.cpu) };
}

export function describeHost(machine: Machine, engine: EngineFacts): HostFacts {
  const cores = new Set(machine.cpus.map(({ core }) => core)).size;
  return {
    cpuModel: machine.cpuModel,
    cpus: machine.cpus.length,
    cores,
    threadsPerCore: machine.cpus.length / Math.max(1, cores),
    governor: machine.governor,
    kernel: engine.kernel,
    os: engine.os,
    arch: engine.arch,
    memoryBytes: engine.memoryBytes,
    cgroup: engine.cgroup,
    virtual: machine.virtual ?? false,
    engine: engine.version,
    buildx: engine.buildx,
    ...(engine.imageStore && { imageStore: engine.imageStore }),
  };
}
