import { UserError } from '../errors.ts';
import type { ExecOptions, Finished, Host } from '../host.ts';

/** Everything that a run starts carries this label, with the run's id as its value. */
export const LABEL = 'php-runtime-bench';

/** A docker command that failed; the run decides what that means for a variant. */
export class DockerError extends Error {
  override name = 'DockerError';
  readonly finished: Finished;

  constructor(args: readonly string[], finished: Finished) {
    super(`docker ${args.slice(0, 2).join(' ')} failed (${finished.code}): ${lastLines(finished.stderr, 3)}`);
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

export function connectDocker(host: Host): Docker {
  const tryRun = (args: readonly string[], options: ExecOptions = {}) => host.exec('docker', args, options);
  return {
    try: tryRun,
    async run(args, options) {
      const finished = await tryRun(args, options);
      if (finished.code !== 0) throw new DockerError(args, finished);
      return finished.stdout;
    },
  };
}

export interface EngineFacts {
  version: string;
  buildx: string;
  cgroup: '1' | '2';
  os: string;
  kernel: string;
  arch: string;
  memoryBytes: number;
}

/** Asks the engine who it is. UserError where none answers or buildx is missing. */
export async function askEngine(docker: Docker): Promise<EngineFacts> {
  const hint = 'see https://docs.docker.com/engine/install/, or run script/bootstrap in a clone of this tool';
  const info = await docker.try(['info', '--format', '{{json .}}']).catch(() => null);
  if (info === null) throw new UserError('there is no docker client on PATH', { hint });
  const parsed = info.code === 0 ? JSON.parse(info.stdout) : { ServerErrors: [lastLines(info.stderr, 1)] };
  if (parsed.ServerErrors?.length > 0) {
    const found = String(parsed.ServerErrors[0]);
    if (/permission denied/i.test(found)) {
      throw new UserError('you may not use the Docker engine', {
        found,
        hint: 'join the group docker (sudo usermod --append --groups docker "$USER") and log in anew',
      });
    }
    throw new UserError('no Docker engine answers', { found, hint });
  }
  const buildx = await docker.try(['buildx', 'version']);
  if (buildx.code !== 0)
    throw new UserError('docker buildx is missing', { found: lastLines(buildx.stderr, 1), hint });
  return {
    version: String(parsed.ServerVersion),
    buildx: buildx.stdout.trim().split(' ')[1] ?? '',
    cgroup: parsed.CgroupVersion === '2' ? '2' : '1',
    os: String(parsed.OperatingSystem),
    kernel: String(parsed.KernelVersion),
    arch: String(parsed.Architecture),
    memoryBytes: Number(parsed.MemTotal),
  };
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
  const format = '{"state":{{json .State}},"memory":{{.HostConfig.Memory}}}';
  const found = await docker.try(['container', 'inspect', '--format', format, name]);
  if (found.code !== 0) return null;
  const { state, memory } = JSON.parse(found.stdout);
  return {
    running: state.Running,
    pid: state.Pid,
    exitCode: state.ExitCode,
    oomKilled: state.OOMKilled,
    startedMs: Date.parse(state.StartedAt),
    memoryBytes: memory,
  };
}

/** The last lines of a container's log, both streams. */
export async function readLog(docker: Docker, name: string, lines: number): Promise<string> {
  const log = await docker.try(['container', 'logs', '--tail', String(lines), name]);
  return [log.stdout, log.stderr].filter(Boolean).join('');
}

export async function listContainers(
  docker: Docker,
  filter: string,
): Promise<{ name: string; run: string; state: string }[]> {
  const format = `{{.Names}}\t{{.Label "${LABEL}"}}\t{{.State}}`;
  const out = await docker.run(['container', 'ls', '--all', '--filter', filter, '--format', format]);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [name = '', run = '', state = ''] = line.split('\t');
      return { name, run, state };
    });
}

/** Removes containers, networks and volumes of one run. Never throws: it is what happens last. Returns what was removed. */
export async function removeRun(docker: Docker, run: string): Promise<string[]> {
  const filter = `label=${LABEL}=${run}`;
  const removed: string[] = [];
  const containers = await listContainers(docker, filter).catch(() => []);
  if (containers.length > 0) {
    const names = containers.map((c) => c.name);
    await docker.try(['container', 'rm', '--force', '--volumes', ...names]);
    removed.push(...names);
  }
  for (const kind of ['network', 'volume'] as const) {
    for (const { name } of await listOthers(docker, kind, filter)) {
      await docker.try([kind, 'rm', name]);
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

export function lastLines(text: string, n: number): string {
  return text.trimEnd().split('\n').slice(-n).join('\n');
}
