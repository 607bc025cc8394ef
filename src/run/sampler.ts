import type { Host, Running } from '../host.ts';
import { formatCpus } from '../plan/cpus.ts';
import type { Batch } from '../plan/plan.ts';
import type { CpuLayout } from '../results.ts';
import type { Arena } from './arena.ts';
import { LABEL, lastLines } from './docker.ts';
import { type K6Summary, sliceId } from './k6.ts';
import { Samples } from './samples.ts';
import type { Server } from './servers.ts';

/** Reads the resource counters of one instance's containers while it lives. */
export interface Sampler {
  samples: Samples;
  lines: string[];
  running: Running;
  container: string;
  /** Variant id → its index in the samples; the arena is 0. */
  indices: Map<string, number>;
}

export interface SamplerWorld {
  host: Host;
  run: string;
  arena: Arena;
  plan: { cpus: CpuLayout };
  k6Image: string;
  samplerScript: string;
  signal: AbortSignal;
  say(line: string): void;
}

/** Starts reading the counters of all containers of this instance, and waits for the first. */
export async function startSampler(world: SamplerWorld, servers: readonly Server[]): Promise<Sampler> {
  const { plan, host, signal } = world;
  const samples = new Samples();
  const lines: string[] = [];
  const container = `php-runtime-bench-${world.run}-sampler`;
  const cpus = formatCpus(plan.cpus.system.length > 0 ? plan.cpus.system : plan.cpus.load);
  const running = host.start(
    'docker',
    [
      ...[
        'container',
        'run',
        '--rm',
        '--interactive',
        `--name=${container}`,
        `--label=${LABEL}=${world.run}`,
      ],
      // To find the containers' control groups by pid, wherever the engine runs. Reads only.
      ...['--pid=host', '--cgroupns=host', '--volume=/sys/fs/cgroup:/sys/fs/cgroup:ro', '--network=none'],
      ...['--cap-drop=ALL', '--security-opt=no-new-privileges', '--read-only'],
      ...[`--cpuset-cpus=${cpus}`, '--user=0', '--entrypoint=sh', world.k6Image, '-s'],
      ...[world.arena.pid, ...servers.map((s) => s.pid)].map(String),
    ],
    {
      input: world.samplerScript,
      onLine: (line) => {
        lines.push(line);
        samples.add(line);
      },
    },
  );
  let ended = false;
  running.done.then(() => {
    ended = true;
  });
  for (let i = 0; i < 100 && !samples.ready && !ended && !signal.aborted; i++) await host.sleep(100, signal);
  signal.throwIfAborted();
  if (!samples.ready) {
    const why = ended ? lastLines((await running.done).stderr, 1) : 'it prints nothing';
    world.say(`CPU and memory cannot be read on this engine: ${why}`);
  }
  const indices = new Map(servers.map((s, i) => [s.variant.id, i + 1]));
  return { samples, lines, running, container, indices };
}

/** k6 ends as soon as its last request has; the counters are read where the last slice's grace period ends. */
export async function waitForSamples(
  { host, signal }: Pick<SamplerWorld, 'host' | 'signal'>,
  { samples }: Sampler,
  batch: Batch,
  summary: K6Summary | null,
): Promise<void> {
  const last = batch.slices.at(-1);
  const startedMs = last && summary?.metrics[`bench_slice_start{slice:${sliceId(last)}}`]?.min;
  const endMs = startedMs
    ? startedMs + (last.durationMs ?? summary.durationMs) + batch.scenario.timeoutMs
    : (samples.cpu.at(-1)?.atMs ?? 0) + 200;
  const deadline = host.now() + batch.scenario.timeoutMs + 2000;
  while ((samples.cpu.at(-1)?.atMs ?? 0) < endMs && host.now() < deadline && !signal.aborted) {
    await host.sleep(50, signal);
  }
}

/** The first line of the raw file. */
export function describeColumns({ indices }: Sampler): string {
  return `# columns: k6 ${[...indices.keys()].join(' ')} (see scenarios/lib/sampler.sh)`;
}
