import { randomBytes } from 'node:crypto';
import type { Summary } from '../analyse/summary.ts';
import type { PullEnds } from '../checkout/base.ts';
import { type CleanUp, makeCleanUp } from '../clean-up.ts';
import type { Config } from '../config/types.ts';
import { type Connection, connect, describeLeft } from '../engine/connection.ts';
import { connectDocker, type Docker, DockerError } from '../engine/docker.ts';
import { removeAll, standBy } from '../engine/standby.ts';
import { type ExitCode, MachineError, readMachineError, Stopped } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Results } from '../results/results.ts';
import { removeTemporary } from '../temporary.ts';

/** The outcome of a finished run. */
export interface Bench {
  results: Results;
  /** Their summary, as the reports show it. */
  summary: Summary;
  /** The output folder. */
  out: string;
  exitCode: ExitCode;
}

/** The caller of a run, and the ways to inform it. */
export interface Caller {
  version: string;
  /** Folder with runtimes/, scenarios/ and apps/. */
  packageRoot: string;
  /** As typed, for 'how to repeat this'. */
  command: readonly string[];
  /** Something that stays on the screen. */
  say(line: string): void;
  /** Reports the current work, the share of the load that is done (0…1), and the seconds left. */
  at(what: string, share: number, left: number): void;
  /** The pull request that this is about, for `compare-to: base`. */
  pull?: PullEnds | null;
  /** The branch that `compare-to: base` starts from where there is no pull request. */
  branch?: string | null;
  /** The file by which runs on several engines share images; absent: this one builds its own. */
  sharedImages?: string;
  /** The run's id, as soon as there is one: who finds us dead can clean up by it. */
  began?(run: string, engine: string | undefined): void;
}

/** The parts that all stages of one run share. */
export interface Desk {
  /** Its docker commands go to the run's engine. */
  host: Host;
  /** The same without an engine: a load engine has one of its own. */
  local: Host;
  /** A connection to an engine was lost: the run stops. */
  onLost(error: MachineError): void;
  /** The engine is on another machine, which does not see when we are gone. */
  isRemote: boolean;
  docker: Docker;
  connection: Connection;
  caller: Caller;
  run: string;
  startedMs: number;
  /** The same by the clock that nobody sets. */
  beganMs: number;
  signal: AbortSignal;
  /** A stage adds here how to close what it opened. All of it is closed at the end, the last first. */
  cleanUp: CleanUp;
}

/** Connects to the engine. Errors: UserError where no such engine is known, MachineError where it is out of reach. */
export async function openDesk(
  host: Host,
  { engine }: Pick<Config, 'engine'>,
  caller: Caller,
  startedMs: number,
): Promise<Desk> {
  const stop = new AbortController();
  const cleanUp = makeCleanUp(caller.say);
  const forget = host.onSignal((signal) => {
    // A slow engine takes a minute to remove containers.
    if (!stop.signal.aborted) caller.say('stopping: removing the containers and temporary files of this run');
    stop.abort(new Stopped(signal));
  });
  cleanUp.later('stop listening to signals', forget);
  const run = makeRunId(startedMs);
  caller.began?.(run, engine);
  // Also what a connection takes, so it is the last but one.
  cleanUp.later('remove temporary files', () => removeTemporary(run).then(() => {}));
  const onLost = (error: MachineError) => stop.abort(error);
  try {
    const connection = await connect(host, { engine, run, signal: stop.signal, onLost });
    cleanUp.later('close the connection to the engine', connection.close);
    const docker = connectDocker(connection.host);
    const { isRemote, host: at } = connection;
    const beganMs = host.elapsed();
    return {
      host: at,
      local: host,
      onLost,
      isRemote,
      docker,
      connection,
      caller,
      run,
      startedMs,
      beganMs,
      signal: stop.signal,
      cleanUp,
    };
  } catch (error) {
    await cleanUp.run();
    stop.signal.throwIfAborted();
    throw error;
  }
}

/**
 * At the end removes what the run has left on an engine that has answered. If it cannot see that all is gone, for example
 * because the engine hangs or was killed, it prints how to do that by hand.
 */
export function removeAtEnd(
  { local, caller, run, cleanUp }: Pick<Desk, 'local' | 'caller' | 'run' | 'cleanUp'>,
  connection: Connection,
  docker: Docker,
  what: string,
): void {
  const standby = standBy(local, connection, run);
  cleanUp.later(what, async () => {
    if (await removeAll(docker, run, standby)) return;
    for (const line of describeLeft(connection, run)) caller.say(line);
  });
}

/** `20261121-140102-3f9a`: sorts by time, and differs between two of the same second. */
export function makeRunId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${time}-${randomBytes(2).toString('hex')}`;
}

/** A command of Docker that fails where none may is the engine's failure. */
export function failureOfMachine(error: unknown): MachineError | null {
  if (error instanceof DockerError)
    return new MachineError('the Docker engine failed', { found: error.message });
  return readMachineError(error);
}
