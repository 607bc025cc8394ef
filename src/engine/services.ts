import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { escapeText } from '../config/text.ts';
import type { Config } from '../config/types.ts';
import { MachineError, UserError } from '../errors.ts';
import type { Host } from '../host.ts';
import { formatCpus } from '../plan/cpus.ts';
import type { PlannedVariant } from '../plan/variants.ts';
import type { CpuLayout, Failure, Warning } from '../results/results.ts';
import { makeOneOfSeveral } from '../temporary.ts';
import {
  adaptCompose,
  type ComposeFile,
  findLocalFiles,
  findReplaced,
  findUnfit,
  healthySeconds,
  imagesOf,
  networksOf,
  projectOf,
  withFreshData,
} from './compose.ts';
import { expectCompose } from './compose-plugin.ts';
import {
  type Docker,
  earlyFlags,
  expectEngine,
  inspectContainer,
  LIMITS_MS,
  lastLines,
  readLog,
  removeContainers,
} from './docker.ts';
import { execute } from './execute.ts';
import { pullImage } from './image-store.ts';

/** Services that the app needs, such as a database: a compose project of the run's own that the arena joins. */
export interface Services {
  /** Those that run, by name. */
  containers: readonly { service: string; container: string; pid: number }[];
  /** Before a variant starts: its database is made anew, as configured. */
  reset(variant: PlannedVariant): Promise<Failure | null>;
  /** Services that have ended since they were last asked for. */
  findDead(): Promise<Warning[]>;
}

interface ServicesWorld {
  docker: Docker;
  host: Pick<Host, 'elapsed' | 'sleep'>;
  run: string;
  config: Pick<Config, 'images'>;
  signal: AbortSignal;
  say(line: string): void;
}

interface Container {
  service: string;
  container: string;
  /** 0: it does not run. */
  pid: number;
  /** As the engine calls it: `running`, `exited`, … */
  state: string;
  exitCode: number;
  /** `starting`, `healthy`, `unhealthy`; empty if nothing shows it. */
  health: string;
}

type Wanted = NonNullable<Config['services']>;

/** Services get this long to become healthy, s; longer if their own checks allow it, but not without end. */
const READY_SECONDS = 180;
const LONGEST_SECONDS = 1800;
/** A look takes a command of Docker, and CPU from the services. */
const POLL_MS = 500;
const LOG_LINES = 2000;

/** Each variant has a database of its own, by this name; fit for any of them, and for a file. */
export function databaseOf(variant: PlannedVariant, variants: readonly PlannedVariant[]): string {
  return `bench_${variants.findIndex(({ id }) => id === variant.id) + 1}`;
}

/** The beginning of each compose command: all of them read the `.env` beside the file. */
function composeArguments(run: string, { file, compose }: Wanted): string[] {
  const folder = compose === undefined ? ['--project-directory', dirname(file)] : [];
  return ['compose', '--project-name', projectOf(run), ...folder];
}

/** Reads the compose file, before anything starts, with fresh volumes for data of the machine. Errors: the plugin is missing or too old, the file is not right. */
export async function readCompose(
  { docker, run, signal, say }: Pick<ServicesWorld, 'docker' | 'run' | 'signal' | 'say'>,
  wanted: Wanted,
): Promise<ComposeFile> {
  await expectCompose(docker);
  const source = wanted.compose === undefined ? wanted.file : '-';
  const args = [...composeArguments(run, wanted), '--file', source, 'config', '--format', 'json'];
  const input = wanted.compose === undefined ? {} : { input: wanted.compose };
  const { code, stdout, stderr } = await docker.try(args, { ...input, signal });
  signal.throwIfAborted();
  if (code !== 0) {
    throw new UserError('the compose file cannot be used', {
      where: { name: wanted.file },
      found: lastLines(stderr, 3),
    });
  }
  const file: ComposeFile = JSON.parse(stdout);
  const known = Object.keys(file.services ?? {});
  const unknown = Object.keys(wanted.reset).find((service) => !known.includes(service));
  if (known.length === 0)
    throw new UserError('the compose file has no services', { where: { name: wanted.file } });
  const unfit = findUnfit(file);
  if (unfit) {
    throw new UserError('this service cannot be used in a run', {
      where: { name: wanted.file },
      found: unfit.found,
      allowed: unfit.allowed,
      hint: 'write a separate compose file for the benchmark, without this key',
    });
  }
  if (unknown !== undefined) {
    throw new UserError('no such service to reset', {
      where: { name: wanted.file },
      found: unknown,
      allowed: known.join(', '),
    });
  }
  const fresh = withFreshData(file);
  const kept = new Set(findLocalFiles(fresh).map(({ path }) => path));
  for (const { path, found } of findLocalFiles(file))
    if (!kept.has(path)) say(`a fresh volume takes the place of ${escapeText(found)}`);
  for (const name of findReplaced(file, fresh))
    say(`a fresh volume takes the place of the external volume ${escapeText(name)}`);
  return fresh;
}

/**
 * Docker would make an empty folder of a file that the engine does not see. A remote engine may be on this machine, and a local one
 * in a virtual machine or outside of our container. Each is therefore asked to bind the files, and a remote one to bind one of our
 * folders. If it cannot bind that, the files are its own, and a line names them.
 * Errors: UserError where there is none at this path, MachineError where it cannot bind it.
 */
export async function refuseUnseenFiles(
  world: Pick<ServicesWorld, 'docker' | 'run' | 'signal' | 'say'> & { isRemote: boolean },
  image: string,
  file: ComposeFile,
  { file: name }: Wanted,
): Promise<void> {
  const { isRemote } = world;
  // A folder that is nowhere is made empty by Docker, as in any compose project on this machine.
  const files = findLocalFiles(file).filter(({ path }) => isRemote || existsSync(path));
  for (const { path, found } of files) {
    const stderr = await findBindFault(world, image, path);
    if (stderr === null) continue;
    const where = { name };
    if (!NO_SUCH_PATH.test(stderr)) {
      const words = `${found}: ${lastLines(stderr, 3)}`;
      throw new MachineError('the engine could not bind this file', { where, found: words });
    }
    const build = 'build an image with the file: COPY it in the Dockerfile of `build`';
    throw new UserError(isRemote ? 'an engine on another machine does not have this file' : UNSEEN, {
      ...{ where, found, allowed: 'named volumes, images that have the files, `configs` with `content`' },
      hint: isRemote ? build : `mount it at the same path where the engine runs, or ${build}`,
    });
  }
  if (!isRemote || files.length === 0) return;
  const fault = await findBindFault(world, image, await makeOneOfSeveral(world.run, 'seen'));
  if (fault !== null && NO_SUCH_PATH.test(fault))
    world.say(`services use the engine's own files: ${files.map(({ path }) => path).join(', ')}`);
}

const UNSEEN =
  'the Docker engine does not see this file: it runs in a virtual machine or outside this container';
const NO_SUCH_PATH = /bind source path does not exist/;

/** Why the engine cannot bind this path, in its words; null: it can. Errors: MachineError where it does not answer. */
async function findBindFault(
  { docker, run, signal }: Pick<ServicesWorld, 'docker' | 'run' | 'signal'>,
  image: string,
  path: string,
): Promise<string | null> {
  // As a field of CSV: a path may have commas and quotes.
  const mount = `--mount=type=bind,"source=${path.replaceAll('"', '""')}",target=/seen`;
  const create = ['container', 'create', ...earlyFlags(run), mount, image];
  const { code, stdout, stderr } = await docker.try(create, { signal });
  signal.throwIfAborted();
  if (code !== 0) {
    await expectEngine(docker);
    return stderr;
  }
  await removeContainers(docker, [stdout.trim()]);
  return null;
}

/**
 * Starts them on CPUs of their own, waits until they are healthy, and lets the arena join their networks. All
 * have the run's label and are removed with the run. Errors: UserError with the output of the services.
 */
export async function startServices(
  world: ServicesWorld & { arena: string; cpus: CpuLayout; variants: readonly PlannedVariant[] },
  file: ComposeFile,
  wanted: Wanted,
): Promise<Services> {
  const { docker, run, signal, config } = world;
  const project = projectOf(run);
  const cpus = world.cpus.services.length > 0 ? world.cpus.services : world.cpus.server;
  const adapted = adaptCompose(file, { run, project, images: config.images, cpus: formatCpus(cpus) });
  const input = JSON.stringify(adapted);
  const seconds = Math.min(LONGEST_SECONDS, Math.max(READY_SECONDS, healthySeconds(adapted)));
  const compose = async (args: readonly string[], abort?: AbortSignal) => {
    const all = [...composeArguments(run, wanted), '--file', '-', '--progress', 'quiet', ...args];
    // A service that waits for another one waits in there.
    const limitMs = LIMITS_MS.compose + (args[0] === 'up' ? seconds * 1000 : 0);
    const timeoutMs = args[0] === 'build' ? LIMITS_MS.build : limitMs;
    const { code, stderr } = await docker.try(all, { input, timeoutMs, ...(abort && { signal: abort }) });
    signal.throwIfAborted();
    if (code !== 0) throw new UserError('the services did not start', await explain(world, wanted, stderr));
  };
  for (const [image, platform] of imagesOf(adapted)) await pull(world, image, platform, wanted);
  world.say(`starting services: ${Object.keys(adapted.services ?? {}).join(', ')}`);
  await compose(['build', '--quiet'], signal);
  // Not ended by a signal: a client that dies in between leaves a container which nobody has seen yet.
  await compose(['create', '--no-build', '--pull', 'never']);
  await compose(['up', '--detach', '--no-build', '--no-recreate'], signal);
  const ready = await awaitServices(world, wanted, seconds);
  for (const network of networksOf(adapted)) await docker.run(['network', 'connect', network, world.arena]);
  // A user who gives an image, and maybe a dump, has written no reset.
  const failed = (service: string) =>
    wanted.compose === undefined
      ? `reset of ${service} failed`
      : `its database in ${service} could not be made`;
  const dead = new Set<string>();
  // One that has done its work and ended is no more to be watched.
  const containers = ready.filter(({ pid }) => pid > 0);
  return {
    containers,
    reset: async (variant) => {
      const database = databaseOf(variant, world.variants);
      for (const [service, command] of Object.entries(wanted.reset)) {
        const one = containers.find((c) => c.service === service);
        if (!one) return { stage: 'start', reason: `the service ${service} does not run`, log: '' };
        const { failure } = await execute(world, one.container, command, { BENCH_DATABASE: database });
        if (failure) return { ...failure, reason: `${failed(service)}: ${failure.reason}` };
      }
      return null;
    },
    findDead: async () => {
      const warnings: Warning[] = [];
      for (const { service, container } of containers.filter((c) => !dead.has(c.service))) {
        if ((await inspectContainer(docker, container))?.running) continue;
        const lost = await expectEngine(docker).catch((error: Error) => error);
        if (lost) return warnings;
        dead.add(service);
        const log = lastLines(await readLog(docker, container, 20), 1);
        warnings.push({
          code: 'service-ended',
          message: `the service ${service} stopped during the run${log ? `: ${log}` : ''}`,
          remedy: 'see its log in raw/services/',
          variant: null,
        });
      }
      return warnings;
    },
  };
}

/**
 * Waits until each service runs, and is healthy if it has a health check, or has ended with 0. `docker compose up
 * --wait` fails for one that does its work and ends, unless another depends on that.
 */
async function awaitServices(world: ServicesWorld, wanted: Wanted, seconds: number): Promise<Container[]> {
  const { host, signal } = world;
  const fail = async (why: string) => {
    throw new UserError('the services did not start', await explain(world, wanted, why));
  };
  const deadline = host.elapsed() + seconds * 1000;
  // All of them have been created.
  const listed = await listServices(world);
  for (;;) {
    const services = await inspectServices(world.docker, listed);
    for (const { service, state, exitCode, health } of services) {
      if (state === 'exited' && exitCode !== 0) await fail(`${service} ended with exit code ${exitCode}`);
      // Docker calls one that has ended unhealthy if it had a health check, whatever its exit code.
      if (state === 'running' && health === 'unhealthy') await fail(`${service} is unhealthy`);
    }
    const late = services.filter(
      ({ state, health }) => state !== 'exited' && (state !== 'running' || health === 'starting'),
    );
    if (late.length === 0) return services;
    const names = late.map(({ service }) => service).join(', ');
    if (host.elapsed() > deadline) await fail(`not ready after ${seconds} s: ${names}`);
    await host.sleep(POLL_MS, signal);
    signal.throwIfAborted();
  }
}

/** All logs of a run's services by their names, also of those that did not come up. */
export async function readLogs(world: Pick<ServicesWorld, 'docker' | 'run'>): Promise<Map<string, string>> {
  const logs = new Map<string, string>();
  for (const { service, container } of await listServices(world)) {
    const log = await readLog(world.docker, container, LOG_LINES);
    logs.set(service, `${logs.get(service) ?? ''}${log}`);
  }
  return logs;
}

type Listed = Pick<Container, 'service' | 'container'>;

async function listServices({ docker, run }: Pick<ServicesWorld, 'docker' | 'run'>): Promise<Listed[]> {
  const filter = `label=com.docker.compose.project=${projectOf(run)}`;
  const format = '{"container":{{json .ID}},"service":{{json (.Label "com.docker.compose.service")}}}';
  const flags = ['--all', '--no-trunc', '--filter', filter, '--format', format];
  const lines = (await docker.run(['container', 'ls', ...flags])).split('\n');
  return lines.filter(Boolean).map((line): Listed => JSON.parse(line));
}

async function inspectServices(docker: Docker, listed: readonly Listed[]): Promise<Container[]> {
  if (listed.length === 0) return [];
  const ids = listed.map(({ container }) => container);
  const states = await docker.run(['container', 'inspect', '--format', '{{json .State}}', ...ids]);
  const lines = states.trim().split('\n');
  return listed.map((one, i) => {
    const { Pid: pid, Status: state, ExitCode: exitCode, Health: health } = JSON.parse(lines[i] as string);
    return { ...one, pid, state, exitCode, health: health?.Status ?? '' };
  });
}

async function pull(
  world: ServicesWorld,
  image: string,
  platform: string | undefined,
  wanted: Wanted,
): Promise<void> {
  try {
    await pullImage(world.docker, image, world, platform);
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof MachineError) throw error;
    throw new UserError(`the image ${image} of a service could not be pulled`, {
      where: { name: wanted.file },
      found: (error as Error).message,
      hint: `if no registry is available, use another image: --image ${image}=…`,
    });
  }
}

/** Compose 5 warns even of settings that its own `config` has added, such as `deploy.placement`. */
const COMPOSE_WARNING = /^time="[^"]*" level=warning .*\n?/gm;

/** The error as a message, with the last lines of the services. */
async function explain(world: ServicesWorld, wanted: Wanted, why: string) {
  const words: string[] = [];
  for (const [service, log] of await readLogs(world)) {
    if (log.trim() !== '') words.push(`${service}: ${lastLines(log, 1)}`);
  }
  return {
    where: { name: wanted.file },
    found: [lastLines(why.replaceAll(COMPOSE_WARNING, '').trim() || why, 2), ...words].join('\n           '),
  };
}
