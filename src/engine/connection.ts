/**
 * Which Docker engine a run works on. Docker itself reaches engines on other machines. This file adds four things: an
 * unknown one is refused at once, a run stays on its engine, all commands share one ssh connection, and a lost connection is noticed.
 */
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isEngineUrl } from '../config/engine-key.ts';
import { suggest } from '../config/text.ts';
import { MachineError, UserError } from '../errors.ts';
import type { ExecOptions, Finished, Host, Running } from '../host.ts';
import { makeOneOfSeveral } from '../temporary.ts';
import { LABEL, lastLines } from './docker.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The environment in which docker talks to this engine, whatever the user's own has. */
function engineEnvironment(engine: string): Env {
  return isEngineUrl(engine)
    ? { DOCKER_HOST: engine, DOCKER_CONTEXT: undefined }
    : { DOCKER_HOST: undefined, DOCKER_CONTEXT: engine };
}

/** `buildx bake` builds for the engine's own processor. With another default, k6 would be emulated and no server would start. */
const NATIVE: Env = { DOCKER_DEFAULT_PLATFORM: undefined };

/** Programs that talk to an engine: hyperfine times shell scripts that call docker. */
const AIMED = ['docker', 'hyperfine'];

/**
 * The same host, with all docker commands aimed at an engine: a context's name, or a URL as DOCKER_HOST takes it.
 * Undefined: the one that docker itself chooses. Other programs are left alone.
 */
export function hostAt(host: Host, engine: string | undefined, more: Env = {}): Host {
  const env = { ...NATIVE, ...(engine === undefined ? {} : engineEnvironment(engine)), ...more };
  const aim = (program: string, options: ExecOptions = {}) =>
    AIMED.includes(program) ? { ...options, env: { ...env, ...options.env } } : options;
  return {
    ...host,
    exec: (program, args, options) => host.exec(program, args, aim(program, options)),
    start: (program, args, options) => host.start(program, args, aim(program, options)),
  };
}

interface FindOptions {
  /** The setting that names the engine, for error messages. */
  key?: 'engine' | 'engines';
  signal?: AbortSignal;
}

/** The URL of an engine. Errors: UserError where there is no such context. Null: there is no docker to ask. */
export async function findEngine(
  host: Host,
  engine: string | undefined,
  { key = 'engine', signal }: FindOptions = {},
): Promise<string | null> {
  if (engine !== undefined && isEngineUrl(engine)) return engine;
  const format = ['--format', '{{.Endpoints.docker.Host}}'];
  // The current one, or the name, which cannot be taken for an option.
  const args = ['context', 'inspect', ...format, ...(engine === undefined ? [] : [engine])];
  // Without an engine of our own docker's own rules decide, which prefer DOCKER_HOST.
  const ask = { timeoutMs: 60_000, ...(signal && { signal }) };
  const found = await host.exec('docker', args, ask).catch(() => null);
  signal?.throwIfAborted();
  if (found === null) return null;
  if (found.code === 0) return found.stdout.trim();
  if (engine === undefined && !process.env.DOCKER_CONTEXT) {
    throw new UserError('docker does not know its current context', {
      where: { name: 'docker context' },
      found: lastLines(found.stderr, 1),
      hint: 'docker context use default',
    });
  }
  // Docker lists a context that the environment names, whether there is one or not.
  const listed = await host.exec('docker', ['context', 'ls', '--format', '{{.Name}}'], {
    ...{ ...ask, env: { DOCKER_CONTEXT: undefined } },
  });
  signal?.throwIfAborted();
  const names = listed.stdout.split('\n').filter(Boolean);
  const wanted = engine ?? process.env.DOCKER_CONTEXT ?? '';
  throw new UserError('no such Docker context', {
    where: { name: engine === undefined ? 'DOCKER_CONTEXT' : key },
    found: `'${wanted}'`,
    allowed: `${names.join(', ')}, or an address such as ssh://user@host`,
    hint:
      suggest(wanted, names) ?? `create it: docker context create ${wanted} --docker host=ssh://user@host`,
  });
}

/**
 * The current context. `docker context use` or the start of Docker Desktop may change it during a run, whose engine stays the same.
 * Undefined: the environment chooses.
 */
async function findCurrent(host: Host, signal: AbortSignal): Promise<string | undefined> {
  if (process.env.DOCKER_HOST || process.env.DOCKER_CONTEXT) return undefined;
  const ask = { timeoutMs: 60_000, signal };
  const shown = await host.exec('docker', ['context', 'show'], ask).catch(() => null);
  signal.throwIfAborted();
  return shown?.code === 0 ? shown.stdout.trim() || undefined : undefined;
}

/** A connection that stays open as long as a run. */
export interface Connection {
  /** All docker commands of this host go there. */
  host: Host;
  /** `ssh://bench@box`; null: not known. */
  url: string | null;
  /** On another machine: it does not see when we are gone. */
  isRemote: boolean;
  /** How a person reaches it: the beginning of a docker command. */
  command: readonly string[];
  close(): Promise<void>;
}

/** Commands that remove by hand what may be left on an engine that is out of reach. */
export function describeLeft({ command }: Pick<Connection, 'command'>, run: string): string[] {
  const docker = command.join(' ');
  const filter = `--quiet --filter label=${LABEL}=${run}`;
  return [
    'the next run removes what is left on the engine; to remove it by hand:',
    `  ${docker} container ls --all ${filter} | xargs -r ${docker} container rm --force --volumes`,
    `  ${docker} network ls ${filter} | xargs -r ${docker} network rm`,
    `  ${docker} volume ls ${filter} | xargs -r ${docker} volume rm`,
  ];
}

interface ConnectOptions {
  engine: string | undefined;
  run: string;
  signal: AbortSignal;
  /** Called when the connection is lost, once. */
  onLost(error: MachineError): void;
}

/** Connects to an engine. Errors: UserError for a context that is not there, MachineError where ssh does not connect. */
export async function connect(host: Host, options: ConnectOptions): Promise<Connection> {
  const { signal } = options;
  const url = await findEngine(host, options.engine, { signal });
  const engine = options.engine ?? (await findCurrent(host, signal));
  const isRemote = url !== null && /^(ssh|tcp):/.test(url);
  const named = engine === undefined ? [] : isEngineUrl(engine) ? ['--host', engine] : ['--context', engine];
  const command = ['docker', ...named];
  const state: State = { lost: false, closing: false, again: null };
  if (url?.startsWith('ssh:')) {
    const link = await openSsh(host, new URL(url), { ...options, engine }, state);
    const guarded = guard(hostAt(host, engine, link.env), state, url);
    return { host: guarded, url, isRemote, command, close: link.close };
  }
  const aimed = hostAt(host, engine);
  if (url === null || !isRemote) {
    return { host: aimed, url, isRemote, command, close: async () => {} };
  }
  return {
    ...{ host: guard(aimed, state, url), url, isRemote, command },
    close: watchEngine(aimed, url, { ...options, engine }, state),
  };
}

interface State {
  lost: boolean;
  closing: boolean;
  /** Whether it is there again; asked once. */
  again: Promise<boolean> | null;
}

/** After a loss a connection gets so long to come back, ms. */
const AGAIN_MS = 15_000;

/** Once the connection is lost, each command would wait for its own timeout: one is tried, and the others believe it. */
function guard(host: Host, state: State, url: string): Host {
  const isThere = async () => {
    if (!state.lost) return true;
    state.again ??= host
      .exec('docker', ['version', '--format', '{{.Server.Version}}'], { timeoutMs: AGAIN_MS })
      .then(
        ({ code }) => code === 0,
        () => false,
      );
    return state.again;
  };
  const gone: Finished = { code: 255, stdout: '', stderr: `the connection to ${url} was lost` };
  const exec: Host['exec'] = async (program, args, options) =>
    program !== 'docker' || (await isThere()) ? host.exec(program, args, options) : gone;
  return { ...host, exec };
}

/** The error for a lost connection. It names the engine as the user does, since there may be several. */
const lostTo = (engine: string, found: string) =>
  new MachineError('the connection to the Docker engine was lost', {
    found: found === '' ? engine : `${engine}: ${found}`,
    hint: 'check the network and run again: the next run removes what was left there',
  });

/** Unanswered for so long, a connection counts as lost: 4 times 5 s. */
const ALIVE = ['-o', 'ServerAliveInterval=5', '-o', 'ServerAliveCountMax=4'] as const;
/** Nobody is there to type a password; a machine that does not answer is not waited for. */
const SSH_OPTIONS = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', ...ALIVE] as const;
/** Linux takes 107 bytes, macOS 103, and ssh adds 17 to the name while it makes a socket. */
const MAX_SOCKET = 103 - 17;
const CONNECT_MS = 30_000;

/**
 * Docker starts ssh for each connection of each command. Our own `ssh`, before it on PATH, sends these through one
 * master connection, which also notices when it breaks. The master reads from us: when we are gone, however that came,
 * it ends.
 */
async function openSsh(
  host: Host,
  { username, hostname, port }: URL,
  { engine, run, onLost, signal }: ConnectOptions,
  state: State,
): Promise<{ env: Env; close: () => Promise<void> }> {
  const folder = await makeOneOfSeveral(run, 'ssh');
  const socket = join(folder, 's');
  const name = hostname.replace(/^\[|\]$/g, '');
  const destination = [
    ...(username ? ['-l', decodeURIComponent(username)] : []),
    ...(port ? ['-p', port] : []),
    ...['--', name],
  ];
  const shares = Buffer.byteLength(socket) <= MAX_SOCKET;
  await writeFile(join(folder, 'ssh'), sshScript(shares ? socket : null, name));
  await chmod(join(folder, 'ssh'), 0o700);
  const master = host.start('ssh', [
    ...SSH_OPTIONS,
    ...(shares ? ['-M', '-S', socket.replaceAll('%', '%%')] : []),
    ...['-T', ...destination, 'cat'],
  ]);
  let ended: Finished | null = null;
  const end = (finished: Finished) => {
    ended = finished;
    if (state.closing || signal.aborted) return;
    state.lost = true;
    onLost(lostTo(engine ?? `ssh://${hostname}`, lastLines(finished.stderr, 1)));
  };
  state.closing = true; // Not yet open.
  master.done.then(end, () => end({ code: 255, stdout: '', stderr: 'ssh could not be started' }));
  const deadline = host.elapsed() + CONNECT_MS;
  const isOpen = async () => !shares || (await readdir(folder)).includes('s');
  while (!ended && !signal.aborted && host.elapsed() < deadline && !(await isOpen())) await host.sleep(50);
  state.closing = false;
  const failed = ended as Finished | null;
  if (failed) {
    throw new MachineError('no ssh connection to the Docker engine', {
      found: `${engine ?? `ssh://${hostname}`}: ${lastLines(failed.stderr, 1)}`,
      hint: `this has to work without a password: ssh ${destination.join(' ')} docker version`,
    });
  }
  return { env: { PATH: `${folder}:${process.env.PATH}` }, close: () => closeSsh(host, master, state) };
}

async function closeSsh(host: Host, master: Running, state: State): Promise<void> {
  state.closing = true;
  master.end();
  const waiting = new AbortController();
  master.done.finally(() => waiting.abort()).catch(() => {});
  await host.sleep(2000, waiting.signal);
  if (!waiting.signal.aborted) master.kill('SIGTERM');
  await master.done.catch(() => {});
}

/** Connections to other machines go their own way: what the engine's host is called stands behind `--`. */
function sshScript(socket: string | null, name: string): string {
  const word = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const share = socket === null ? '' : ` -o ControlMaster=no -S ${word(socket.replaceAll('%', '%%'))}`;
  return `#!/bin/sh
PATH=\${PATH#*:}
case " $* " in
*${word(` -- ${name} `)}*) exec ssh ${SSH_OPTIONS.join(' ')}${share} "$@" ;;
*) exec ssh "$@" ;;
esac
`;
}

const ASK_EVERY_MS = 15_000;
const ASK_MS = 30_000;

/** TCP alone does not notice a cut for many minutes. Returns how to stop watching. */
function watchEngine(
  host: Host,
  url: string,
  { engine, onLost, signal }: ConnectOptions,
  state: State,
): () => Promise<void> {
  const stop = new AbortController();
  const watching = (async () => {
    for (;;) {
      await host.sleep(ASK_EVERY_MS, stop.signal);
      if (stop.signal.aborted || signal.aborted) return;
      const asked = host.exec('docker', ['version'], { timeoutMs: ASK_MS, signal: stop.signal });
      const found = await asked.catch(() => null);
      if (stop.signal.aborted || signal.aborted) return;
      // One that refuses is there: what is asked of it next will show that.
      if (!found?.timedOut) continue;
      state.lost = true;
      return onLost(lostTo(engine ?? url, ''));
    }
  })();
  return () => {
    stop.abort();
    return watching;
  };
}
