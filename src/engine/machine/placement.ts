import { parseCpus } from '../../config/text.ts';
import { plural } from '../../text/plain.ts';
import type { Finding } from './finding.ts';

/**
 * Prints the CPU limits of a process, from its control groups (v1 and v2) up to the highest that it sees. It also
 * prints CI runners and CPU settings of the machine. Runs in any POSIX shell on Linux, here as well as in a container
 * of the engine. The roots are for tests.
 */
export const PLACEMENT_SCRIPT = `
proc=\${PROC_ROOT:-/proc} root=\${CGROUP_ROOT:-/sys/fs/cgroup} cpus=\${CPUS_ROOT:-/sys/devices/system/cpu}
sed -n 's/^Cpus_allowed_list:[[:space:]]*/allowed /p' "$proc/self/status" 2>/dev/null
find_group() {
  while IFS=: read -r _ names path; do
    case ",$names," in *",$1,"*) echo "$path" && return ;; esac
  done <"$proc/self/cgroup"
} 2>/dev/null
climb() {
  dir=$1$2
  [ -d "$dir" ] || dir=$1
  while :; do
    for file in cpu.max cpu.cfs_quota_us cpu.cfs_period_us cpu.weight cpu.shares; do
      [ -r "$dir/$file" ] && echo "$file $(cat "$dir/$file")"
    done
    echo up
    [ "$dir" = "$1" ] && return
    dir=\${dir%/*}
  done
}
if [ -e "$root/cgroup.controllers" ]; then climb "$root" "$(find_group '')"
else
  for mount in "$root/cpu" "$root/cpu,cpuacct" "$root/cpuacct,cpu"; do
    [ -d "$mount" ] && climb "$mount" "$(find_group cpu)" && break
  done
fi
for file in "$proc"/[0-9]*/comm; do
  { read -r name <"$file"; } 2>/dev/null || continue
  case $name in
    Runner.Listener | Runner.Worker | gitlab-runner | buildkite-agent | act_runner | forgejo-runner) echo "process $name" ;;
  esac
done
echo "online $(cat "$cpus/online" 2>/dev/null)"
echo "isolated $(cat "$cpus/isolated" 2>/dev/null)"
echo "turbo $(cat "$cpus/cpufreq/boost" 2>/dev/null) $(cat "$cpus/intel_pstate/no_turbo" 2>/dev/null | sed 's/1/off/; s/0/1/; s/off/0/')"
`;

/** The parsed output of the script. */
export interface Placement {
  /** Numbers of the CPUs that it may run on. */
  cpus: readonly number[];
  /** CPUs that the machine has. */
  online: number;
  /** CPUs that its time limit amounts to, over all its groups; null: it has none. */
  quota: number | null;
  /** A group has a share other than the default: it gets less, or more, where CPUs are short. */
  hasShare: boolean;
  /** By name of the program. */
  runners: ReadonlyMap<string, number>;
  isolated: readonly number[];
  /** Null: not visible. */
  turbo: boolean | null;
}

/** Reads the script's output; null where there was none. */
export function parsePlacement(text: string): Placement | null {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const values = (name: string) => lines.filter(([first]) => first === name).map(([, ...rest]) => rest);
  const allowed = values('allowed')[0]?.[0];
  if (!allowed) return null;
  const runners = new Map<string, number>();
  for (const [name = ''] of values('process')) runners.set(name, (runners.get(name) ?? 0) + 1);
  const online = values('online')[0]?.[0];
  const isolated = values('isolated')[0]?.[0];
  const turbo = values('turbo')[0]?.[0];
  return {
    cpus: parseCpus(allowed),
    online: parseCpus(online ?? allowed).length,
    quota: findQuota(lines),
    // The root has no share, and an ordinary group the default.
    hasShare: [
      ...values('cpu.weight').map((v) => v[0] !== '100'),
      ...values('cpu.shares').map((v) => v[0] !== '1024'),
    ].some(Boolean),
    runners,
    isolated: isolated ? parseCpus(isolated) : [],
    turbo: turbo === undefined ? null : turbo === '1',
  };
}

/** The smallest of all groups. */
function findQuota(lines: readonly (readonly string[])[]): number | null {
  const quotas: number[] = [];
  let quota = -1;
  for (const [name, value = '', period = ''] of lines) {
    if (name === 'cpu.max' && value !== 'max') quotas.push(Number(value) / Number(period));
    if (name === 'cpu.cfs_quota_us') quota = Number(value);
    if (name === 'cpu.cfs_period_us' && quota > 0) quotas.push(quota / Number(value));
    if (name === 'up') quota = -1;
  }
  return quotas.length > 0 ? Math.min(...quotas) : null;
}

/**
 * Effects of the placement on numbers that are measured there.
 *
 * @param own what this process may use
 * @param container what a container of the engine may use; null: it was not asked
 */
export function judgePlacement(own: Placement, container: Placement | null): Finding[] {
  const inside = container ?? own;
  return [
    ...judgeEscape(own, container),
    ...judgeQuota(inside, container ? 'containers' : 'this process'),
    ...judgeRunners(inside.runners.size > 0 ? inside.runners : own.runners),
    ...judgeSettings(inside),
  ];
}

const amount = (n: number) => `${Math.round(n * 10) / 10} CPU${n === 1 ? '' : 's'}`;
const most = ({ cpus, quota }: Placement) => Math.min(cpus.length, quota ?? Number.POSITIVE_INFINITY);

/** A runner in a pod with an engine whose containers are elsewhere: the pod's limits do not count for them. */
function judgeEscape(own: Placement, container: Placement | null): Finding[] {
  if (!container) return [];
  const [here, there] = [most(own), most(container)];
  // An engine may have limits of its own, which are larger than those of the runner.
  if (here === own.online || there < container.online) {
    return [{ ok: true, what: `containers may use ${amount(there)} of ${container.online}` }];
  }
  return [
    {
      ok: false,
      what: `containers escape the limits of this runner: it may use ${amount(here)}, they may use ${amount(there)}. Other pods and jobs use the same CPUs, so results vary with them. Run the engine in the same limits, or let nothing else run on this node`,
    },
  ];
}

function judgeQuota({ cpus, quota, hasShare }: Placement, who: string): Finding[] {
  if (quota !== null && quota < cpus.length) {
    return [
      {
        ok: false,
        what: `${who} may use ${amount(quota)} of time on ${amount(cpus.length)}, without CPUs of their own. The kernel stops them within each 0.1 s, which shows as high p99. Pin them: in Kubernetes whole CPUs, requests equal to limits, and the static CPU manager`,
      },
    ];
  }
  if (hasShare && quota === null) {
    return [
      {
        ok: false,
        what: `${who} may use any of ${amount(cpus.length)}, by a share: how much depends on the neighbours. Compare within one run only, or pin them`,
      },
    ];
  }
  return [];
}

function judgeRunners(runners: Placement['runners']): Finding[] {
  const jobs = runners.get('Runner.Worker') ?? 0;
  const others = [...runners].filter(([name]) => name !== 'Runner.Worker');
  const count = others.reduce((sum, [, n]) => sum + n, 0);
  if (count <= 1 && jobs <= 1) return [];
  const names = others.map(([name, n]) => `${n} × ${name}`).join(', ');
  return [
    {
      ok: false,
      what: `${count} CI runners are on this machine (${names}), ${plural(jobs, 'job')} of GitHub ${jobs === 1 ? 'runs' : 'run'} now: a job beside the measurement takes its CPUs. Keep one runner on a machine that measures`,
    },
  ];
}

function judgeSettings({ isolated, cpus, turbo }: Placement): Finding[] {
  const used = isolated.filter((cpu) => cpus.includes(cpu));
  return [
    ...(used.length > 1
      ? [
          {
            ok: false,
            what: `CPUs ${used.join(',')} are isolated (isolcpus): the kernel does not spread processes over them, so several workers may share one CPU. Remove isolcpus`,
          },
        ]
      : []),
    ...(turbo === true
      ? [
          {
            ok: false,
            what: 'turbo is on: the clock depends on temperature and load. Turn it off for steadier numbers',
          },
        ]
      : []),
  ];
}
