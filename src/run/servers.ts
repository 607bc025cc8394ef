import type { Config } from '../config/types.ts';
import type { Host } from '../host.ts';
import { formatCpus } from '../plan/cpus.ts';
import type { Instance } from '../plan/plan.ts';
import type { PlannedVariant } from '../plan/variants.ts';
import type { CpuLayout, Facts, Failure } from '../results.ts';
import { type ContainerState, type Docker, inspectContainer, LABEL, lastLines, readLog } from './docker.ts';
import { ask, FACTS_PATH, readFacts } from './probe.ts';

/** A variant that serves in the arena. */
export interface Server {
  variant: PlannedVariant;
  container: string;
  pid: number;
  port: number;
  facts: Facts | null;
  /** Container start → first 200, ms. */
  coldStartMs: number;
}

export interface ServerContext {
  host: Host;
  docker: Docker;
  run: string;
  arena: string;
  config: Config;
  cpus: CpuLayout;
  image: string;
  signal: AbortSignal;
}

const READY_SECONDS = 60;
const ROUND_MS = 2000;

/** Starts one variant and waits until PHP answers 200 behind it, or says why it does not. */
export async function startServer(
  context: ServerContext,
  variant: PlannedVariant,
  instance: Instance,
): Promise<Server | Failure> {
  const { docker, signal } = context;
  const port = instance.ports[variant.id] as number;
  const container = `php-runtime-bench-${context.run}-${instance.index}-${port}`;
  const url = `http://127.0.0.1:${port}${FACTS_PATH}`;
  // The first round begins before the container does, so that it sees the first answer.
  let round = ask(docker, context.arena, [{ id: 'facts', url, until: true }], ROUND_MS, signal);
  round.catch(() => {});
  // Not ended by a signal: a client that dies in between leaves a container which nobody has seen yet.
  const env = environmentOf(context.config, variant, port);
  const started = await docker.try(['container', 'run', ...runArguments(context, container, env)]);
  signal.throwIfAborted();
  if (started.code !== 0) {
    return {
      stage: 'start',
      reason: started.stderr.split('\n')[0] ?? '',
      log: lastLines(started.stderr, 20),
    };
  }
  let last = '';
  for (let rounds = 0; rounds < (READY_SECONDS * 1000) / ROUND_MS; rounds++) {
    const answer = (await round).facts;
    const state = await inspectContainer(docker, container);
    if (!state?.running) return await explainDeath(docker, container, 'start');
    if (answer?.status === 200) {
      const startedAt = await docker.run([
        'container',
        'inspect',
        '--format',
        '{{.State.StartedAt}}',
        container,
      ]);
      const coldStartMs = Math.max(0, answer.at - Date.parse(startedAt.trim()));
      return { variant, container, pid: state.pid, port, facts: readFacts(answer.body), coldStartMs };
    }
    last = answer?.status ? `HTTP ${answer.status}` : (answer?.error ?? 'nothing');
    round = ask(docker, context.arena, [{ id: 'facts', url, until: true }], ROUND_MS, signal);
  }
  const log = await readLog(docker, container, 50);
  return { stage: 'start', reason: `not ready after ${READY_SECONDS} s; its last answer: ${last}`, log };
}

function environmentOf(config: Config, variant: PlannedVariant, port: number): Record<string, string> {
  return {
    ...config.env,
    ...variant.env,
    PORT: String(port),
    DOCROOT: variant.app.root,
    BENCH_FACTS: '1',
  };
}

function runArguments(context: ServerContext, name: string, env: Readonly<Record<string, string>>): string[] {
  const { config } = context;
  const limits = config.memoryBytes
    ? [`--memory=${config.memoryBytes}`, `--memory-swap=${config.memoryBytes}`]
    : [];
  return [
    ...['--detach', `--name=${name}`, `--label=${LABEL}=${context.run}`],
    ...[`--network=container:${context.arena}`, `--cpuset-cpus=${formatCpus(context.cpus.server)}`],
    // The app's code may be a pull request's: it gets no more than a web server needs.
    ...['--cap-drop=ALL', '--security-opt=no-new-privileges'],
    ...['--log-driver=local', '--log-opt=max-size=10m', '--log-opt=max-file=2'],
    ...limits,
    // Not through the client's own environment: there a variable of the app could be one that docker obeys.
    ...Object.entries(env).map(([key, value]) => `--env=${key}=${value}`),
    context.image,
  ];
}

/** Why a container is not running any more. */
export async function explainDeath(
  docker: Docker,
  container: string,
  stage: Failure['stage'],
): Promise<Failure> {
  const state = await inspectContainer(docker, container);
  const log = await readLog(docker, container, 50);
  const reason = state ? describeEnd(state, log) : await explainAbsence(docker);
  return { stage, reason, log };
}

function describeEnd({ oomKilled, exitCode, memoryBytes }: ContainerState, log: string): string {
  if (oomKilled) return 'killed for lack of memory (OOM)';
  // Not every engine hears of it, as one within a container that does not see the control groups.
  if (exitCode === 137 && memoryBytes > 0) {
    return `killed, most likely for lack of memory: its limit is ${Math.round(memoryBytes / 2 ** 20)} MiB`;
  }
  return `its container ended with exit code ${exitCode}${log ? `: ${lastLines(log, 1)}` : ''}`;
}

async function explainAbsence(docker: Docker): Promise<string> {
  const engine = await docker.try(['version']);
  return engine.code === 0 ? 'its container is gone' : 'the Docker engine does not answer any more';
}

/** Has the container of a server ended, or lost a process for lack of memory? */
export async function findDeath(docker: Docker, server: Server): Promise<Failure | null> {
  const state = await inspectContainer(docker, server.container);
  return state?.running ? null : explainDeath(docker, server.container, 'run');
}
