import { frameworkEnvironment } from '../../config/parts/apps.ts';
import {
  type ContainerState,
  type Docker,
  expectEngine,
  inspectContainer,
  inspectContainers,
  LABEL,
  readLog,
  removeContainers,
} from '../../engine/docker.ts';
import { databaseOf } from '../../engine/services.ts';
import type { Built } from '../../images/build.ts';
import { formatCpus } from '../../plan/cpus.ts';
import type { Instance } from '../../plan/instances.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Facts, Failure } from '../../results/results.ts';
import { findCause } from '../../text/log-cause.ts';
import type { Engine, World } from '../world.ts';

/** A variant that serves in the arena. */
export interface Server {
  variant: PlannedVariant;
  container: string;
  pid: number;
  /** The port that gets the requests: that of the proxy if there is one. */
  port: number;
  /** The proxy in front of it. */
  front?: { container: string; pid: number };
  facts: Facts | null;
  /** Container start → first 200, ms; what it means when others start as well is for the caller to judge. */
  coldStartMs: number;
}

/** The parts of the world that servers need. */
export type ServerContext = Pick<World, 'engine' | 'job'>;

/** A server to start: a variant with its image. */
export interface WantedServer {
  variant: PlannedVariant;
  image: string;
  /** The image of the proxy in front of it. */
  front?: string;
}

/** Null where an image of it could not be built. */
export function wantedOf(images: ReadonlyMap<string, Built>, variant: PlannedVariant): WantedServer | null {
  const nameOf = (key: string) => {
    const built = images.get(key);
    return built && 'facts' in built ? built.facts.name : null;
  };
  const image = nameOf(variant.image);
  const front = variant.front === undefined ? undefined : nameOf(variant.front);
  if (image === null || front === null) return null;
  return { variant, image, ...(front !== undefined && { front }) };
}

/** Behind a front, a server listens on its port plus this, which no other derives from its own. */
export const BEHIND = 10_000;

export const containerOf = (run: string, { index, ports }: Instance, variant: string) =>
  `php-runtime-bench-${run}-${index}-${ports[variant]}`;
/** Name of what stands before a container. */
export const frontOf = (container: string) => `${container}-front`;

/** A setting that PHP does not know, for facts.php: without it there, the runtime does not apply BENCH_INI. */
const PROBE = 'php_runtime_bench.read = 1';

function fullEnvironment(
  { job: { config, plan, outfits } }: ServerContext,
  variant: PlannedVariant,
  port: number,
  facts: boolean,
): Record<string, string> {
  const outfit = outfits?.get(variant.id);
  const ini = [...(facts ? [PROBE] : []), ...(outfit?.ini ?? [])];
  const env = withIni(frameworkEnvironment(variant.app, config.env), ini);
  return {
    ...(config.services ? nameDatabase(env, databaseOf(variant, plan.variants)) : env),
    ...variant.env,
    ...outfit?.env,
    ...(facts && { BENCH_FACTS: '1' }),
    PORT: String(port),
    DOCROOT: variant.app.root,
    APP_KIND: variant.app.kind,
  };
}

/** Later lines win. */
function withIni(env: Record<string, string>, ini: readonly string[]): Record<string, string> {
  if (ini.length === 0) return env;
  return { ...env, BENCH_INI: [...(env.BENCH_INI ? [env.BENCH_INI] : []), ...ini].join('\n') };
}

/** The clients' connections are what stands before it keeps: its own, to that, last longer. */
function behindFront(env: Record<string, string>): Record<string, string> {
  return env.KEEP_ALIVE === undefined ? env : { ...env, KEEP_ALIVE: '60s' };
}

function frontEnvironment({ env }: PlannedVariant, port: number): Record<string, string> {
  const taken = ['WORKERS', 'KEEP_ALIVE'].filter((name) => env[name] !== undefined);
  return {
    ...Object.fromEntries(taken.map((name) => [name, env[name] as string])),
    ...{ PORT: String(port), BACKEND_PORT: String(port + BEHIND) },
  };
}

/** `{variant}` in the app's environment means the variant's own database. */
function nameDatabase(env: Readonly<Record<string, string>>, database: string): Record<string, string> {
  const named = Object.entries(env).map(([key, value]) => [key, value.replaceAll('{variant}', database)]);
  return { ...Object.fromEntries(named), BENCH_DATABASE: database };
}

/**
 * How to create a variant's container, by this name, and the one before it where there is one: it listens on the port then.
 * Without `facts` it starts as in production, and has no facts path.
 */
export function createArguments(
  context: ServerContext,
  { variant, image, front }: WantedServer,
  name: string,
  port: number,
  { facts = true } = {},
): string[][] {
  const { cpus } = context.job.plan;
  const env = fullEnvironment(context, variant, front === undefined ? port : port + BEHIND, facts);
  if (front === undefined) return [containerArguments(context, name, image, env, cpus.server)];
  const own = frontEnvironment(variant, port);
  return [
    containerArguments(context, name, image, behindFront(env), cpus.server),
    containerArguments(context, frontOf(name), front, own, cpus.front ?? cpus.server),
  ];
}

function containerArguments(
  { engine, job }: ServerContext,
  name: string,
  image: string,
  env: Readonly<Record<string, string>>,
  cpus: readonly number[],
): string[] {
  const { config } = job;
  const limits = config.memoryBytes
    ? [`--memory=${config.memoryBytes}`, `--memory-swap=${config.memoryBytes}`]
    : [];
  return [
    ...[`--name=${name}`, `--label=${LABEL}=${engine.run}`],
    ...[`--network=container:${engine.arena.name}`, `--cpuset-cpus=${formatCpus(cpus)}`],
    // The app's code may be a pull request's: it gets no more than a web server needs.
    ...['--cap-drop=ALL', '--security-opt=no-new-privileges'],
    ...['--log-driver=local', '--log-opt=max-size=10m', '--log-opt=max-file=2'],
    ...limits,
    // Not through the client's own environment: there a variable of the app could be one that docker obeys.
    ...Object.entries(env).map(([key, value]) => `--env=${key}=${value}`),
    image,
  ];
}

/** Why a container is not running any more. */
export async function explainDeath(
  docker: Docker,
  container: string,
  stage: Failure['stage'],
): Promise<Failure> {
  const state = await inspectContainer(docker, container);
  if (!state) await expectEngine(docker);
  const log = await readLog(docker, container, 50);
  const reason = state ? describeEnd(state, log) : 'its container is gone';
  return { stage, reason, log };
}

function describeEnd({ oomKilled, exitCode, memoryBytes }: ContainerState, log: string): string {
  if (oomKilled) return 'killed: out of memory (OOM)';
  // Not every engine hears of it, as one within a container that does not see the control groups.
  if (exitCode === 137 && memoryBytes > 0) {
    return `killed, probably out of memory: its limit is ${Math.round(memoryBytes / 2 ** 20)} MiB`;
  }
  return `its container ended with exit code ${exitCode}${log ? `: ${findCause(log)}` : ''}`;
}

export async function explainFront(
  docker: Docker,
  container: string,
  stage: Failure['stage'],
): Promise<Failure> {
  const failure = await explainDeath(docker, container, stage);
  return { ...failure, reason: `nginx in front of it: ${failure.reason}` };
}

/** Removes variants' containers of an instance, as far as they are there. */
export async function removeServers(
  { docker, run }: Engine,
  instance: Instance,
  variants: readonly string[],
): Promise<void> {
  const names = variants.map((id) => containerOf(run, instance, id)).flatMap((name) => [name, frontOf(name)]);
  await removeContainers(docker, names);
}

/** Why the containers of servers, or of what stands before them, have ended, by variant. Errors: the engine does not answer. */
export async function findDeaths(docker: Docker, servers: readonly Server[]): Promise<Map<string, Failure>> {
  const names = servers.flatMap(({ container, front }) => [container, ...(front ? [front.container] : [])]);
  const states = await inspectContainers(docker, names);
  const deaths = new Map<string, Failure>();
  for (const { variant, container, front } of servers) {
    if (!states.get(container)?.running) {
      deaths.set(variant.id, await explainDeath(docker, container, 'run'));
    } else if (front && !states.get(front.container)?.running) {
      deaths.set(variant.id, await explainFront(docker, front.container, 'run'));
    }
  }
  return deaths;
}
