import { randomBytes } from 'node:crypto';
import type { Summary } from '../analyse/summary.ts';
import type { PullEnds } from '../checkout/base.ts';
import { type CleanUp, makeCleanUp } from '../clean-up.ts';
import { connectDocker, type Docker, DockerError, removeRun } from '../engine/docker.ts';
import { type ExitCode, MachineError, readMachineError, Stopped } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Results } from '../results/results.ts';

/** What a finished run amounts to. */
export interface Bench {
  results: Results;
  /** What the reports say of them. */
  summary: Summary;
  /** The output folder. */
  out: string;
  exitCode: ExitCode;
}

/** Who calls, and how to tell them what happens. */
export interface Caller {
  version: string;
  /** Folder with runtimes/, scenarios/ and apps/. */
  packageRoot: string;
  /** As typed, for 'how to repeat this'. */
  command: readonly string[];
  /** Something that stays on the screen. */
  say(line: string): void;
  /** What runs now, how much of the load is done (0…1), seconds left. */
  at(what: string, share: number, left: number): void;
  /** The pull request that this is about, for `compare-to: base`. */
  pull?: PullEnds | null;
  /** The branch that `compare-to: base` starts from where there is no pull request. */
  branch?: string | null;
  /** The run's id, as soon as there is one: who finds us dead can clean up by it. */
  began?(run: string): void;
}

/** What all stages of one run share. */
export interface Desk {
  host: Host;
  docker: Docker;
  caller: Caller;
  run: string;
  startedMs: number;
  /** The same by the clock that nobody sets. */
  beganMs: number;
  signal: AbortSignal;
  /** A stage adds here how to close what it opened. All of it is closed at the end, the last first. */
  cleanUp: CleanUp;
}

export function openDesk(host: Host, caller: Caller, startedMs: number): Desk {
  const stop = new AbortController();
  const cleanUp = makeCleanUp(caller.say);
  const forget = host.onSignal((signal) => stop.abort(new Stopped(signal)));
  cleanUp.later('stop listening to signals', forget);
  const docker = connectDocker(host);
  const run = makeRunId(startedMs);
  caller.began?.(run);
  cleanUp.later('remove containers and networks of the run', () => removeRun(docker, run));
  const beganMs = host.elapsed();
  return { host, docker, caller, run, startedMs, beganMs, signal: stop.signal, cleanUp };
}

/** `20261121-140102-3f9a`: sorts by time, and tells two of the same second apart. */
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
