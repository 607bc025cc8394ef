import { MachineError, UserError } from '../errors.ts';
import type { Host, Running } from '../host.ts';
import { NAMESPACE } from '../namespace.ts';
import {
  awaitClient,
  type Docker,
  EARLY_LABEL,
  expectEngine,
  LABEL,
  LIMITS_MS,
  lastLines,
  listContainers,
  listOthers,
  removeRun,
} from './docker.ts';

/**
 * The arena: a container whose network namespace the servers and k6 share, and in which k6 runs.
 *
 * It is also the lock. Its name is fixed, so the engine lets only one be there, and its only process
 * reads from our standard input: when we are gone, however that came, it ends. Resources with the label
 * of a run that has no arena are left over and can be swept.
 */
export interface Arena {
  name: string;
  pid: number;
  /** Folders on this machine whose scripts lie in it. */
  scripts: Set<string>;
  /** How long another run held the engine, ms. */
  waitedMs: number;
  close(): Promise<void>;
}

const NAME = `${NAMESPACE}-arena`;

interface ArenaOptions {
  run: string;
  image: string;
  /** The host name that the servers and k6 resolve to this machine. */
  name: string;
  /** Owner of the lock, for the message to others: free text. */
  owner: string;
  wait: boolean;
  /** The engine does not see when we are gone: without a sign of life for so long the arena ends. */
  beats: boolean;
  /** The address of this engine's machine, and the range of ports, where engines elsewhere find the servers. */
  publish?: { address: string; first: number; last: number };
  /** k6 alone works in it: in the network of its machine. */
  loads?: true;
  signal: AbortSignal;
  say: (line: string) => void;
}

/**
 * Opens the arena or throws who holds it (UserError); with `wait`, waits until it is free. Other errors: MachineError where the
 * engine stops answering or does not start it in time.
 */
export async function openArena(host: Host, docker: Docker, options: ArenaOptions): Promise<Arena> {
  /** Since when another run has been in the way; null: none has. */
  let heldMs: number | null = null;
  let hasWaited = false;
  for (;;) {
    await sweep(host, docker, options.say);
    const started = start(host, options);
    const over = new AbortController();
    if (options.beats) void beat(host, started, over.signal);
    let ended = false;
    // One that could not even be started has ended, too; whoever waits for `done` hears why.
    const end = () => {
      ended = true;
      over.abort();
    };
    started.done.then(end, end);
    const found = await waitForArena(host, docker, options, () => ended);
    if (found !== null) {
      return {
        name: found.id,
        pid: found.pid,
        scripts: new Set(),
        waitedMs: heldMs === null ? 0 : host.elapsed() - heldMs,
        async close() {
          // A run that waits for the arena takes what is still there for that of a dead run.
          await removeRun(docker, options.run, { except: NAME });
          // By its id, and before its name is free: another run may wait for that.
          // If no process can be started, only the end of its standard input ends it.
          await docker.try(['container', 'rm', '--force', found.id]).catch(() => {});
          started.end();
          await awaitClient(host, started);
        },
      };
    }
    const isLate = !ended;
    // However far it came, it ends: a container that is made just now goes away by itself.
    started.end();
    const { stderr } = await awaitClient(host, started);
    options.signal.throwIfAborted();
    const holder = await docker.try(['container', 'inspect', '--format', '{{json .Config.Labels}}', NAME]);
    if (holder.code !== 0) {
      if (/is already in use/.test(stderr)) continue; // It went away just now.
      await expectEngine(docker);
      throw notStarted(options, stderr, isLate);
    }
    const labels = JSON.parse(holder.stdout);
    if (labels[LABEL] === options.run) throw notStarted(options, stderr, isLate);
    const who = `run ${labels[LABEL]}, ${labels[`${LABEL}.owner`]}`;
    if (!options.wait) {
      if (!hasWaited && (await endsSoon(host, docker, options.signal))) {
        hasWaited = true;
        continue;
      }
      throw new UserError('another benchmark is running on this Docker engine', {
        found: who,
        hint: 'wait for it, or pass --wait',
      });
    }
    if (heldMs === null) options.say(`waiting for ${who}`);
    heldMs ??= host.elapsed();
    await awaitHolder(host, docker, options.signal);
  }
}

/** The arena of a run that was killed a moment ago ends by itself, and an engine with much to do is late with that. */
const ENDING_MS = 5000;

async function endsSoon(host: Host, docker: Docker, signal: AbortSignal): Promise<boolean> {
  const deadline = host.elapsed() + ENDING_MS;
  while (host.elapsed() < deadline) {
    if (!(await isHeld(docker, signal))) return true;
    await host.sleep(500, signal);
  }
  return false;
}

async function isHeld(docker: Docker, signal: AbortSignal): Promise<boolean> {
  const ask = ['container', 'inspect', '--format', '{{.State.Running}}', NAME];
  const { stdout } = await docker.try(ask, { signal });
  signal.throwIfAborted();
  return stdout.trim() === 'true';
}

const ASK_HOLDER_MS = 5000;
const ASKS_PER_ATTEMPT = 12;

/**
 * Waits until no arena runs, a minute at most: an attempt also removes what dead runs left.
 * One small question at a time: a whole attempt would take CPU from the run that measures.
 */
async function awaitHolder(host: Host, docker: Docker, signal: AbortSignal): Promise<void> {
  for (let asked = 0; asked < ASKS_PER_ATTEMPT; asked += 1) {
    await host.sleep(ASK_HOLDER_MS, signal);
    signal.throwIfAborted();
    if (!(await isHeld(docker, signal))) return;
  }
}

function notStarted({ publish }: ArenaOptions, stderr: string, isLate: boolean): UserError {
  const late = `it was not running after ${LIMITS_MS.answer / 1000} s`;
  const found = isLate ? late : lastLines(stderr, 3) || 'it ended at once';
  const about = publish && {
    where: { name: 'load-address' },
    allowed: `an address of the servers' machine whose ports ${publish.first} to ${publish.last} are free`,
  };
  // A full disk, or an engine that answers but starts nothing, is no mistake of the user's.
  const Kind = isLate || stderr === '' || /no space left on device/i.test(stderr) ? MachineError : UserError;
  return new Kind('the arena container could not be started', { found, ...about });
}

function start(host: Host, options: ArenaOptions): Running {
  const labels = [`${LABEL}=${options.run}`, `${LABEL}.owner=${options.owner}`, `${LABEL}.arena=1`];
  return host.start('docker', [
    ...['container', 'run', '--rm', '--interactive', '--init', `--name=${NAME}`],
    ...labels.map((label) => `--label=${label}`),
    // Requests of an app to itself, and followed redirects, must not reach a real site of this name.
    ...(options.loads ? [] : [`--add-host=${options.name}:127.0.0.1`]),
    // Docker sets the proxies of its config.json in each container. k6 may download modules through them, but asks the app itself.
    ...['NO_PROXY', 'no_proxy'].map((variable) => `--env=${variable}=${options.name}`),
    ...['--cap-drop=ALL', '--security-opt=no-new-privileges'],
    ...(options.loads ? ['--network=host'] : []),
    ...publishFlags(options),
    ...(options.beats
      ? ['--entrypoint=sh', options.image, '-c', LISTEN, 'sh', String(SILENCE_SECONDS)]
      : ['--entrypoint=cat', options.image]),
  ]);
}

/** Ends with standard input, and where nothing comes from there for so long: a cut network closes no input. */
const LISTEN = 'while [ -n "$(timeout "$1" dd bs=1 count=1 2>/dev/null)" ]; do :; done';
const SILENCE_SECONDS = 45;
const BEAT_MS = 5000;

/** Keeps an arena on another machine alive while this process lives. */
async function beat(host: Host, arena: Running, over: AbortSignal): Promise<void> {
  for (; !over.aborted; await host.sleep(BEAT_MS, over)) arena.write('.');
}

/** On that address alone, for as long as the arena is there. */
function publishFlags({ publish }: ArenaOptions): string[] {
  if (!publish) return [];
  const ports = `${publish.first}-${publish.last}`;
  return [`--publish=${publish.address}:${ports}:${ports}/tcp`];
}

/** Null: it has ended, or is not running in time. */
async function waitForArena(
  host: Host,
  docker: Docker,
  options: ArenaOptions,
  ended: () => boolean,
): Promise<{ id: string; pid: number } | null> {
  const { signal } = options;
  const deadline = host.elapsed() + LIMITS_MS.answer;
  while (!ended() && !signal.aborted && host.elapsed() < deadline) {
    const found = await docker.try(['container', 'inspect', '--format', '{{json .}}', NAME], { signal });
    if (found.code === 0) {
      const { Id, Config, State } = JSON.parse(found.stdout);
      if (Config.Labels[LABEL] === options.run && State.Running) return { id: Id, pid: State.Pid };
    }
    await host.sleep(100, signal);
  }
  return null;
}

/** Removes what dead runs left: anything with our label whose run has no running arena, unless that may still prepare. */
export async function sweep(host: Host, docker: Docker, say: (line: string) => void): Promise<void> {
  // Containers first, arenas after: what starts in between has its arena in the second list.
  const list = async () => [
    ...(await listContainers(docker, `label=${LABEL}`)).filter(({ isEarly }) => !isEarly),
    ...(await listOthers(docker, 'network', `label=${LABEL}`)),
    ...(await listOthers(docker, 'volume', `label=${LABEL}`)),
  ];
  let all = await list();
  let arenas = await listContainers(docker, `label=${LABEL}.arena`);
  const deadline = host.elapsed() + LIMITS_MS.answer;
  while (arenas.some((arena) => arena.state === 'created') && host.elapsed() < deadline) {
    // Created and not yet running: a run that starts right now gets the time to.
    await host.sleep(500);
    all = await list();
    arenas = await listContainers(docker, `label=${LABEL}.arena`);
  }
  const alive = new Set(arenas.filter(({ state }) => ALIVE.includes(state)).map((arena) => arena.run));
  for (const run of new Set(all.map((c) => c.run).filter((id) => !alive.has(id)))) {
    const removed = await removeRun(docker, run);
    if (removed.length > 0) say(`removed what run ${run} left behind: ${removed.join(', ')}`);
  }
  // Stopped ones alone, and by the engine's clock, which may differ from ours.
  await docker.try(['container', 'prune', '--force', `--filter=label=${EARLY_LABEL}`, '--filter=until=1h']);
}

const ALIVE = ['running', 'paused', 'restarting'];
