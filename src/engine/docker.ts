import { existsSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, join, relative } from 'node:path';
import { MachineError, UserError } from '../errors.ts';
import type { ExecOptions, Finished, Host, Running } from '../host.ts';
import { NAMESPACE } from '../namespace.ts';
import type { EngineLimits } from '../plan/warn/discarded-limits.ts';
import { readable } from '../text/readable.ts';

/** Everything that a run starts carries this label, with the run's id as its value. */
export const LABEL = NAMESPACE;
/** Marks containers that work before their run has an arena. They end by themselves, and a sweep removes only old ones. */
export const EARLY_LABEL = `${NAMESPACE}.early`;
export const earlyFlags = (run: string): string[] => [`--label=${LABEL}=${run}`, `--label=${EARLY_LABEL}=1`];
/** Marks the images that we build; they stay as the build cache. */
export const IMAGE_LABEL = `${NAMESPACE}.image`;

/** A docker command that failed; the run decides what that means for a variant. */
export class DockerError extends Error {
  override name = 'DockerError';
  readonly finished: Finished;

  constructor(args: readonly string[], finished: Finished) {
    const how = finished.timedOut ? 'did not end' : `failed (${finished.code})`;
    super(`docker ${args.slice(0, 2).join(' ')} ${how}: ${lastLines(finished.stderr, 3)}`);
    this.finished = finished;
  }
}

/** The docker client, as a few verbs. Output is asked for in JSON or by template, never scraped from tables. */
export interface Docker {
  /** Standard output of a docker command that has to succeed. */
  run(args: readonly string[], options?: ExecOptions): Promise<string>;
  /** The same, but a failure is an answer too. */
  try(args: readonly string[], options?: ExecOptions): Promise<Finished>;
}

/** Time limits of docker commands, ms. */
export const LIMITS_MS = {
  /** An engine on a busy machine takes seconds to answer; one that needs a minute hangs. */
  answer: 60_000,
  /** A build of images, with all that is downloaded and compiled. */
  build: 2 * 3_600_000,
  pull: 3_600_000,
  /** A command of the user's, such as one that fills a database. */
  command: 3_600_000,
  /** A copy of files. */
  copy: 600_000,
  /** `docker compose`, which waits for containers. */
  compose: 600_000,
} as const;
/** Once it has hung, nobody waits so long again until it answers, and each time only half as long as before. */
const SUSPECT_MS = { most: 10_000, least: 2000 } as const;
/** A client is a process of some 30 MiB, and hundreds of containers are legal. */
const AT_ONCE = 8;

export function connectDocker(host: Pick<Host, 'exec'>): Docker {
  const inTurn = limitConcurrency(AT_ONCE);
  let answerMs: number = LIMITS_MS.answer;
  const tryRun = (args: readonly string[], options: ExecOptions = {}) =>
    inTurn(async () => {
      const finished = await host.exec('docker', args, { timeoutMs: answerMs, ...options });
      if (finished.timedOut) {
        answerMs = Math.max(SUSPECT_MS.least, Math.min(SUSPECT_MS.most, answerMs / 2));
      } else if (options.timeoutMs === undefined) answerMs = LIMITS_MS.answer;
      return finished;
    });
  return {
    try: tryRun,
    async run(args, options) {
      const finished = await tryRun(args, options);
      if (finished.code !== 0) throw new DockerError(args, finished);
      return finished.stdout;
    },
  };
}

/** Runs work, at most so much of it at once; the rest waits for its turn. */
function limitConcurrency(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // Its place goes to the next one, who does not count anew.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

export interface EngineFacts extends EngineLimits {
  /** Its own, wherever it is asked from; empty: it has none. */
  id: string;
  version: string;
  buildx: string;
  /** Absent: the engine does not show it. */
  imageStore?: 'containerd' | 'graph driver';
  cgroup: '1' | '2';
  os: string;
  kernel: string;
  arch: string;
  memoryBytes: number;
}

/**
 * Ubuntu also has Docker as a snap. It has a /tmp of its own, and reads what is not hidden in the home folder, but nothing else: it
 * would find no build file. A TMPDIR that it can read was set for it.
 */
function refuseSnap(): void {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'docker'));
  const client = files.find((file) => existsSync(file));
  if (client === undefined || basename(realpathSync(client)) !== 'snap') return;
  // Outside of the home folder, or hidden in it.
  if (!relative(homedir(), tmpdir()).startsWith('.')) return;
  throw new UserError('Docker from a snap cannot read the files of a run', {
    found: `${client}, which does not see ${tmpdir()}`,
    hint: 'install it from https://docs.docker.com/engine/install/ubuntu/, or set TMPDIR to a folder below your home folder, where this tool must be, too',
  });
}

/**
 * Asks the engine who it is. Errors: MachineError where none answers, UserError where buildx is missing, Docker is too old, or its
 * client cannot read our files.
 */
export async function askEngine(docker: Docker, signal?: AbortSignal): Promise<EngineFacts> {
  const hint = 'see https://docs.docker.com/engine/install/, or run script/bootstrap in a clone of this tool';
  const options = signal && { signal };
  refuseSnap();
  const info = await docker.try(['info', '--format', '{{json .}}'], options).catch(() => null);
  signal?.throwIfAborted();
  if (info === null) throw new UserError('there is no docker client on PATH', { hint });
  const parsed = info.code === 0 ? JSON.parse(info.stdout) : { ServerErrors: [lastLines(info.stderr, 1)] };
  if (parsed.ServerErrors?.length > 0) {
    const found = String(parsed.ServerErrors[0]);
    if (/permission denied/i.test(found)) {
      throw new UserError('permission denied for the Docker engine', {
        found,
        hint: 'join the group docker (sudo usermod --append --groups docker "$USER") and log in again',
      });
    }
    throw new MachineError('no Docker engine answers', { found, hint });
  }
  const version = await docker.try(['version', '--format', '{{json .}}'], options);
  signal?.throwIfAborted();
  const client = refusePodman(parsed, version);
  const buildx = await docker.try(['buildx', 'version'], options);
  signal?.throwIfAborted();
  if (buildx.code !== 0)
    throw new UserError('docker buildx is missing', { found: lastLines(buildx.stderr, 1), hint });
  refuseOld({ engine: String(parsed.ServerVersion), client }, hint);
  return {
    id: String(parsed.ID ?? ''),
    version: String(parsed.ServerVersion),
    buildx: buildx.stdout.trim().split(' ')[1] ?? '',
    ...readImageStore(parsed.DriverStatus),
    cgroup: parsed.CgroupVersion === '2' ? '2' : '1',
    os: String(parsed.OperatingSystem),
    kernel: String(parsed.KernelVersion),
    arch: String(parsed.Architecture),
    memoryBytes: Number(parsed.MemTotal),
    // An engine that does not show them is believed.
    pinsCpus: parsed.CPUSet !== false,
    limitsMemory: parsed.MemoryLimit !== false,
  };
}

/**
 * Returns the version of the client. Podman answers as Docker does, with a `buildx version`, but it has no BuildKit: nothing
 * could be built. It has a report of its own as `docker`, and names itself as an engine.
 */
function refusePodman(info: { version?: { Version?: string } }, { code, stdout }: Finished): string {
  const { Client, Server } = code === 0 && stdout.startsWith('{') ? JSON.parse(stdout) : {};
  const engine = (Server?.Components ?? []).find(({ Name }: { Name?: string }) => Name === 'Podman Engine');
  const found = engine?.Version ?? info.version?.Version;
  if (found === undefined) return String(Client?.Version ?? '');
  throw new UserError('Podman is not supported', {
    ...{ found: `Podman ${found}`, allowed: 'Docker 23 or newer: images are built by its BuildKit' },
    hint: 'choose an engine of Docker by `docker context use`, DOCKER_HOST or --engine',
  });
}

/** Docker 17 to 20, before `docker context show` and named contexts. Builds of one's own have other numbers. */
const TOO_OLD = /^(1[7-9]|20)\.\d/;

function refuseOld(versions: Readonly<Record<'engine' | 'client', string>>, hint: string): void {
  for (const [part, version] of Object.entries(versions)) {
    if (!TOO_OLD.test(version)) continue;
    throw new UserError('Docker is too old', { found: `${part} ${version}`, allowed: '23 or newer', hint });
  }
}

/** Names the image store by the pairs that `docker info` shows of the storage driver. */
function readImageStore(status: unknown): Pick<EngineFacts, 'imageStore'> {
  if (!Array.isArray(status)) return {};
  const type = status.find((pair) => Array.isArray(pair) && pair[0] === 'driver-type')?.[1];
  return {
    imageStore: String(type).startsWith('io.containerd.snapshotter.') ? 'containerd' : 'graph driver',
  };
}

/** Checks that the engine still answers, once a container is missing. Errors: MachineError if it does not. */
export async function expectEngine(docker: Docker): Promise<void> {
  const { code, stderr } = await docker.try(['version', '--format', '{{.Server.Version}}']);
  if (code === 0) return;
  throw new MachineError('the Docker engine stopped answering', { found: lastLines(stderr, 1) });
}

/** A client that runs a container hears of its end, unless the engine hangs. */
const CLIENT_MS = 5000;

/** Waits for the client of a container that was removed; one that does not hear of it is ended. */
export async function awaitClient(
  host: Pick<Host, 'sleep'>,
  client: Running,
  ms = CLIENT_MS,
): Promise<Finished> {
  const waiting = new AbortController();
  const end = () => waiting.abort();
  client.done.then(end, end);
  await host.sleep(ms, waiting.signal);
  if (!waiting.signal.aborted) client.kill('SIGKILL');
  return client.done;
}

export interface ContainerState {
  running: boolean;
  pid: number;
  exitCode: number;
  oomKilled: boolean;
  /** Unix ms. */
  startedMs: number;
  /** Its limit; 0: none. */
  memoryBytes: number;
}

export async function inspectContainer(docker: Docker, name: string): Promise<ContainerState | null> {
  return (await inspectContainers(docker, [name])).get(name) ?? null;
}

/** The state of containers by the names that were asked for; one that is not there is not in it. */
export async function inspectContainers(
  docker: Docker,
  names: readonly string[],
): Promise<Map<string, ContainerState>> {
  if (names.length === 0) return new Map();
  const format =
    '{"id":{{json .Id}},"name":{{json .Name}},"state":{{json .State}},"memory":{{.HostConfig.Memory}}}';
  // Docker prints the containers that exist; the exit code is 1 if any is missing.
  const found = await docker.try(['container', 'inspect', '--format', format, ...names]);
  const lines = found.stdout.split('\n').filter((line) => line.startsWith('{'));
  const states = lines.map((line) => {
    const { id, name, state, memory } = JSON.parse(line);
    const about: ContainerState = {
      running: state.Running,
      pid: state.Pid,
      exitCode: state.ExitCode,
      oomKilled: state.OOMKilled,
      startedMs: Date.parse(state.StartedAt),
      memoryBytes: memory,
    };
    const asked = names.find((one) => name === `/${one}` || id.startsWith(one));
    return [asked ?? name, about] as const;
  });
  return new Map(states);
}

/** The last lines of a container's log, both streams; `sinceMs`: of those from then on, by the engine's clock. */
export async function readLog(
  docker: Docker,
  name: string,
  lines: number,
  sinceMs: number | null = null,
): Promise<string> {
  const since = sinceMs === null ? [] : ['--since', (sinceMs / 1000).toFixed(3)];
  const log = await docker.try(['container', 'logs', '--tail', String(lines), ...since, name]);
  const text = [log.stdout, log.stderr].filter(Boolean).join('');
  return text.split('\n').map(readable).join('\n');
}

export async function listContainers(
  docker: Docker,
  filter: string,
): Promise<{ name: string; run: string; state: string; isEarly: boolean }[]> {
  const format = `{{.Names}}\t{{.Label "${LABEL}"}}\t{{.State}}\t{{.Label "${EARLY_LABEL}"}}`;
  const out = await docker.run(['container', 'ls', '--all', '--filter', filter, '--format', format]);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [name = '', run = '', state = '', early = ''] = line.split('\t');
      return { name, run, state, isEarly: early !== '' };
    });
}

/** The engine removes one after the other, so that many take longer. Those that are not there do not matter. */
export async function removeContainers(docker: Docker, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const timeoutMs = LIMITS_MS.answer + names.length * 5000;
  await docker.try(['container', 'rm', '--force', '--volumes', ...names], { timeoutMs });
}

/**
 * Removes containers, networks and volumes of one run, except one container. Never throws: it is what happens last.
 * Returns what was removed.
 */
export async function removeRun(
  docker: Docker,
  run: string,
  { except }: { except?: string } = {},
): Promise<string[]> {
  const filter = `label=${LABEL}=${run}`;
  const removed: string[] = [];
  const containers = await listContainers(docker, filter).catch(() => []);
  const names = containers.map(({ name }) => name).filter((name) => name !== except);
  if (names.length > 0) {
    await removeContainers(docker, names).catch(() => {});
    removed.push(...names);
  }
  for (const kind of ['network', 'volume'] as const) {
    for (const { name } of await listOthers(docker, kind, filter)) {
      if (kind === 'network' && except)
        await docker.try(['network', 'disconnect', '--force', name, except]).catch(() => {});
      await docker.try([kind, 'rm', name]).catch(() => {});
      removed.push(name);
    }
  }
  return removed;
}

/** Networks or volumes, and whose they are. Without a docker client there are none. */
export async function listOthers(
  docker: Docker,
  kind: 'network' | 'volume',
  filter: string,
): Promise<{ name: string; run: string }[]> {
  const format = `{{.Name}}\t{{.Label "${LABEL}"}}`;
  const found = await docker.try([kind, 'ls', '--filter', filter, '--format', format]).catch(() => null);
  const lines = found?.stdout.split('\n').filter(Boolean) ?? [];
  return lines.map((line) => {
    const [name = '', run = ''] = line.split('\t');
    return { name, run };
  });
}

/** Docker prints it behind the cause of a container that does not start, and of a plugin that is missing. */
const HELP = /\n+(See|Run) 'docker[a-z -]* --help'( for more information)?\.?\s*$/;

export function lastLines(text: string, n: number): string {
  return text.replace(HELP, '').trimEnd().split('\n').slice(-n).join('\n');
}
