import { awaitClient, expectEngine, LABEL, lastLines } from '../../engine/docker.ts';
import type { Services } from '../../engine/services.ts';
import { formatCpus } from '../../plan/cpus.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import { spanMs } from '../../plan/timeline/timeline.ts';
import type { CpuLayout, Warning } from '../../results/results.ts';
import { type K6Summary, loadedFromMs, sliceId } from '../load/k6.ts';
import type { Server } from '../servers/servers.ts';
import type { Engine, Sink } from '../world.ts';
import { Samples } from './samples.ts';

/** Reads resource counters as long as the run lives. */
export interface Sampler {
  /** From now on those of the arena and of these servers; waits until it does. `keep` appends to the raw file. */
  watch(
    servers: readonly Server[],
    services: Services['containers'] | undefined,
    keep: (text: string) => Promise<void>,
  ): Promise<Watch>;
  close(): Promise<void>;
}

/** The counters of one instance's containers. */
export interface Watch {
  samples: Samples;
  raw: RawLines;
  /** Variant id → its index in the samples; the arena is 0. */
  indices: Map<string, number>;
  /** The same of services, by name. */
  services: Map<string, number>;
  /** Variant id → index of what stands before it; it is counted with the variant. */
  fronts: Map<string, number>;
}

/** Image and script of the sampler, and the CPU layout of the run. */
export interface SamplerTool {
  /** The image of k6: it has a shell. */
  image: string;
  script: string;
  cpus: CpuLayout;
}

/** On a slow or busy machine a container takes its time to start, ms. */
const START_MS = 60_000;

/** Starts the container that reads, and waits until it knows the time: up to a second or two. */
export async function startSampler(
  { host, docker, run, arena, signal }: Engine,
  sink: Pick<Sink, 'say' | 'warn'>,
  tool: SamplerTool,
): Promise<Sampler> {
  const name = `php-runtime-bench-${run}-sampler`;
  const heard = new Heard();
  let closing = false;
  const running = host.start('docker', samplerArguments(name, run, arena.pid, tool), {
    onLine: (line, stream) => {
      if (stream === 'stdout') heard.take(line);
    },
  });
  // One that could not even be started has ended, too; whoever waits for `done` hears why.
  const end = () => {
    heard.end();
    if (heard.clock === '' || closing || signal.aborted) return;
    sink.warn(ENDED);
  };
  running.done.then(end, end);
  const until = async (holds: () => boolean, ms: number) => {
    await pollUntil({ host, signal }, () => holds() || heard.ended, ms);
    signal.throwIfAborted();
  };
  const close = async () => {
    closing = true;
    await docker.try(['container', 'rm', '--force', name]).catch(() => {});
    running.end();
    await awaitClient(host, running);
  };
  try {
    await until(() => heard.clock !== '', START_MS);
  } catch (error) {
    await close();
    throw error;
  }
  if (heard.clock === '') {
    await expectEngine(docker);
    const why = heard.ended ? lastLines((await running.done).stderr, 1) : 'it prints nothing';
    sink.say(`CPU and memory cannot be read on this engine: ${why}`);
  }
  return {
    close,
    async watch(servers, services = [], keep) {
      const watch = openWatch(servers, services, keep);
      const number = heard.begin(watch);
      const fronts = servers.flatMap(({ front }) => front ?? []);
      const pids = [...servers, ...services, ...fronts].map(({ pid }) => pid);
      running.write(`${[number, arena.pid, ...pids].join(' ')}\n`);
      if (heard.clock !== '') await until(() => heard.told === number, SETTLE_MS);
      return watch;
    },
  };
}

/** Passes on the sampler's lines to the newest watch. */
class Heard {
  /** Line with the sampler's clock; empty: it has not started. */
  clock = '';
  /** Number of the watch that the sampler reads for. */
  told = 0;
  /** The sampler is gone. */
  ended = false;
  #number = 0;
  #current: Watch | null = null;

  take(line: string): void {
    if (line.startsWith('watch ')) this.told = Number(line.slice(6));
    else {
      const isClock = line.startsWith('clock ');
      if (isClock) this.clock = line;
      if (isClock || this.told === this.#number) this.#keep(line);
    }
  }

  /** Its number: lines count for it once the sampler repeats the number. */
  begin(watch: Watch): number {
    this.#current = watch;
    watch.samples.ended = this.ended;
    watch.raw.add(describeColumns(watch));
    this.#keep(this.clock);
    return ++this.#number;
  }

  end(): void {
    this.ended = true;
    if (this.#current) this.#current.samples.ended = true;
  }

  #keep(line: string): void {
    this.#current?.samples.add(line);
    this.#current?.raw.add(line);
  }
}

/** The sampler looks for a new watch every 0.1 s. A machine that stands still or is busy may delay it by seconds, ms. */
const SETTLE_MS = 15_000;

/** Waits until it holds, at most so long, or until the signal. */
async function pollUntil(
  { host, signal }: Pick<Engine, 'host' | 'signal'>,
  holds: () => boolean,
  ms: number,
): Promise<void> {
  const deadline = host.elapsed() + ms;
  while (!holds() && host.elapsed() < deadline && !signal.aborted) await host.sleep(20, signal);
}

const ENDED: Warning = {
  code: 'sampler-ended',
  message: 'CPU and memory are no longer measured: the sampler container stopped',
  remedy: 'run again; throughput and latency are not affected',
  variant: null,
};

function samplerArguments(
  name: string,
  run: string,
  arenaPid: number,
  { image, script, cpus: { system, load } }: SamplerTool,
): string[] {
  return [
    ...['container', 'run', '--rm', '--interactive'],
    ...[`--name=${name}`, `--label=${LABEL}=${run}`],
    // To find the containers' control groups by pid, wherever the engine runs. Reads only.
    ...['--pid=host', '--cgroupns=host', '--volume=/sys/fs/cgroup:/sys/fs/cgroup:ro', '--network=none'],
    ...['--cap-drop=ALL', '--security-opt=no-new-privileges', '--read-only', '--tmpfs=/tmp'],
    ...[`--cpuset-cpus=${formatCpus(system.length > 0 ? system : load)}`, '--user=0', '--entrypoint=sh'],
    ...[image, '-c', script, 'sh', String(arenaPid)],
  ];
}

/** In the samples the arena is first, then servers, services, and what stands before servers. */
function openWatch(
  servers: readonly Server[],
  services: Services['containers'],
  keep: (text: string) => Promise<void>,
): Watch {
  const fronts = servers.filter(({ front }) => front);
  const first = servers.length + services.length + 1;
  const indexOf = (server: Server) => servers.indexOf(server) + 1;
  return {
    samples: new Samples(new Map(fronts.map((server, i) => [first + i, indexOf(server)]))),
    raw: keepLines(keep),
    indices: new Map(servers.map((s, i) => [s.variant.id, i + 1])),
    services: new Map(services.map((s, i) => [s.service, servers.length + i + 1])),
    fronts: new Map(fronts.map(({ variant }, i) => [variant.id, first + i])),
  };
}

/** k6 ends as soon as its last request has; the counters are read where the last slice's time to drain ends, those of warm-ups never. */
export async function waitForSamples(
  engine: Pick<Engine, 'host' | 'signal'>,
  { samples }: Watch,
  batch: Batch,
  summary: K6Summary | null,
): Promise<void> {
  const last = batch.slices.at(-1);
  if (!last || samples.bootMs === null || batch.slices.every(({ warmup }) => warmup)) return;
  const startedMs =
    summary &&
    (summary.metrics[`bench_slice_start{slice:${sliceId(last)}}`]?.min ||
      loadedFromMs(summary) + last.startMs);
  const endMs = startedMs
    ? startedMs + (last.durationMs === null ? summary.durationMs : spanMs(last, batch)) + batch.drainMs
    : samples.completeMs + 200;
  const failed = Object.entries(summary?.metrics ?? {}).some(
    ([name, values]) => name.startsWith('http_req_failed{slice:') && (values.passes ?? 0) > 0,
  );
  // Memory is read less often, OOM kills with it. Without failed requests, one reading since the start is enough.
  const readMs = failed ? endMs : startedMs || -Infinity;
  const isSampled = () => samples.completeMs >= endMs && (samples.memory.at(-1)?.atMs ?? -Infinity) >= readMs;
  await pollUntil(engine, () => samples.ended || isSampled(), batch.drainMs + SETTLE_MS);
}

/** Lines as the sampler prints them, on their way to a file: those of hours do not fit into memory. */
export interface RawLines {
  add(line: string): void;
  /** Writes the remaining lines. Errors: those of any writing before. */
  flush(): Promise<void>;
}

/** Some minutes of samples, as a rule. */
const LINES_AT_ONCE = 5000;

export function keepLines(keep: (text: string) => Promise<void>): RawLines {
  let lines: string[] = [];
  let written = Promise.resolve();
  const write = () => {
    const text = lines.map((line) => `${line}\n`).join('');
    lines = [];
    written = written.then(() => keep(text));
    // The caller of `flush` gets the error.
    written.catch(() => {});
  };
  return {
    add(line) {
      lines.push(line);
      if (lines.length >= LINES_AT_ONCE) write();
    },
    flush() {
      if (lines.length > 0) write();
      return written;
    },
  };
}

/** The first line of the raw file. */
function describeColumns({
  indices,
  services,
  fronts,
}: Pick<Watch, 'indices' | 'services' | 'fronts'>): string {
  const before = [...fronts.keys()].map((id) => `before-${id}`);
  const names = [...indices.keys(), ...services.keys(), ...before];
  return `# columns: k6 ${names.join(' ')} (see scenarios/lib/sampler.sh)`;
}
