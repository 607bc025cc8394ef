import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { type CpuLayout, SCRIPT_LOAD } from '../../results/results.ts';
import { describeGenerator } from '../../text/load-origin.ts';
import { givenPercent } from '../../text/percent.ts';
import { cleanLine, plural } from '../../text/plain.ts';
import { bytes, duration } from './numbers.ts';

/** `load vus(8, 1s) · 3 fresh starts × 4 slices of each variant · seed 42`; of a run cut short `2 of 3 fresh starts`. */
export function conditions({ facts, starts }: ScenarioSummary, { plan, run }: Summary): string {
  const fresh =
    starts < plan.instances
      ? `${starts} of ${plural(plan.instances, 'fresh start')}`
      : plural(starts, 'fresh start');
  const load = facts.load === SCRIPT_LOAD ? 'load of the script' : `load ${facts.load}`;
  const slices = plural(facts.blocks, 'slice');
  // The site was running already.
  if (plan.elsewhere?.kind === 'cluster') return `${load} · ${slices}`;
  return `${load} · ${fresh} × ${slices} of each variant · ${seedsOf(run)}${plan.budgetSeconds === null ? '' : ` · budget ${duration(plan.budgetSeconds)}`}${plan.durationScale === 1 ? '' : ` · times shortened to ${givenPercent(plan.durationScale)}`}`;
}

/** `seed 42`; of runs put together `seeds 42, 43`. */
export function seedsOf(run: Summary['run']): string {
  const seeds = [...new Set((run.merged ?? [run]).map(({ seed }) => seed))];
  return `${seeds.length > 1 ? 'seeds' : 'seed'} ${seeds.join(', ')}`;
}

/** How often every server was started: `once`, `6 times`, `2 of 6 times` where a run was cut short. */
export function startedAfresh({ scenarios, plan }: Summary): string {
  const starts = Math.max(0, ...scenarios.map((scenario) => scenario.starts));
  if (starts < plan.instances) return `${starts} of ${plural(plan.instances, 'time')}`;
  return starts === 1 ? 'once' : plural(starts, 'time');
}

/** `48 s of load in 1 min 57 s (overhead 59 %)` */
export function overhead({ run }: Summary): string {
  return `${duration(run.loadSeconds)} of load in ${duration(run.wallSeconds)} (overhead ${Math.round(run.overheadRatio * 100)} %)`;
}

/** Command that repeats a run; for runs put together one line each. Empty: there is none. */
export function commandsOf(run: Summary['run']): string {
  return [...new Set((run.merged ?? [run]).map(({ command }) => shellCommand(command)))].join('\n');
}

/** A command line that a shell reads back as the same words. */
export function shellCommand(command: readonly string[]): string {
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** Machine and versions: what each is called, and what it is. */
export function machineFacts(summary: Summary): [string, string][] {
  const { host, plan, tool } = summary;
  const commit = commitWithFiles(summary);
  const tools: [string, string] = ['Tools', `${tool.name} ${tool.version}, k6 ${tool.k6}`];
  const load = (plan.elsewhere?.generators ?? []).map((generator): [string, string] => [
    'Load from',
    describeGenerator(generator),
  ]);
  if (plan.elsewhere?.kind === 'cluster') return [['Site', plan.elsewhere.target], ...load, tools];
  return [
    ...(commit ? [['Commit', commit] as [string, string]] : []),
    [
      'CPU',
      `${host.cpuModel}: ${plural(host.cores, 'core')}, ${plural(host.cpus, 'thread')}${host.virtual ? ', virtual machine' : ''}`,
    ],
    ['Governor', host.governor ?? 'not known'],
    ['CPU layout', describeLayout(plan.cpus)],
    ...load,
    ['Memory', bytes(host.memoryBytes)],
    ['System', `${host.os}, kernel ${host.kernel}, ${host.arch}, cgroup v${host.cgroup}`],
    ['Docker', `engine ${host.engine}, buildx ${host.buildx}${storeOf(host)}`],
    tools,
  ];
}

/** `servers 0, 1; load 2, 3; system none (given)`. Services and a proxy are in it if they have CPUs of their own. */
function describeLayout({ server, front = [], load, services, system, source }: CpuLayout): string {
  const some = Object.entries({ front, services }).filter(([, list]) => list.length > 0);
  const parts = [...Object.entries({ servers: server, load, system }), ...some].map(
    ([part, list]) => `${part} ${list.join(', ') || 'none'}`,
  );
  return `${parts.join('; ')} (${source === 'given' ? 'given' : 'found from the topology'})`;
}

/** What image sizes include depends on it. */
function storeOf({ imageStore }: Summary['host']): string {
  if (!imageStore) return '';
  return `, image store ${imageStore}: sizes ${imageStore === 'containerd' ? 'include' : 'without'} compressed layers`;
}

/** `4c0f362`, `4c0f362 and uncommitted changes`; empty where nobody knows. */
export function commitOf({ run: { head } }: Pick<Summary, 'run'>): string {
  if (!head) return '';
  return `${head.commit.slice(0, 7)}${head.uncommitted > 0 ? ' and uncommitted changes' : ''}`;
}

/** The same with the files: `4c0f362 and 2 uncommitted changes (public/index.php, src/shop.php)`. */
export function commitWithFiles(summary: Pick<Summary, 'run'>): string {
  const { head } = summary.run;
  if (!head || head.uncommitted === 0) return commitOf(summary);
  const names = [...head.files, ...(head.uncommitted > head.files.length ? ['…'] : [])].map(cleanLine);
  return `${head.commit.slice(0, 7)} and ${plural(head.uncommitted, 'uncommitted change')} (${names.join(', ')})`;
}
