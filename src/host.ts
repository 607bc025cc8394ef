import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { isatty } from 'node:tty';

/** The result of a finished process. */
export interface Finished {
  /** Exit code; 128 + n when ended by signal n. */
  code: number;
  stdout: string;
  stderr: string;
  /** It took longer than it may. */
  timedOut?: true;
}

export interface ExecOptions {
  /** Written to standard input, which is then closed. */
  input?: string | Uint8Array;
  cwd?: string;
  /** Over our own; undefined takes one away. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Ends the process, and all that it has started, when aborted. */
  signal?: AbortSignal;
  /** The same after so long; the exit code is then TIMED_OUT. */
  timeoutMs?: number;
  /** Called with each full line as it comes; stdout and stderr alike. */
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
}

/** A process that goes on until it is ended. */
export interface Running {
  /** Resolves when the process is gone. */
  done: Promise<Finished>;
  /** To its standard input, which stays open. */
  write(text: string): void;
  /** Closes its standard input. */
  end(): void;
  /** To it and to all that it has started. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | 'SIGSTOP' | 'SIGCONT'): void;
}

/** Exit code of a process that took longer than it may, as that of timeout(1). */
export const TIMED_OUT = 124;

/** The one seam to the world. `config`, `plan`, `analyse` and `report` never see it. */
export interface Host {
  /** Runs a program to its end, arguments as a list, never through a shell. Throws only when it cannot be started. */
  exec(program: string, args: readonly string[], options?: ExecOptions): Promise<Finished>;
  /** Starts a program and leaves it running. */
  start(program: string, args: readonly string[], options?: ExecOptions): Running;
  /** Is there a process of that number on this machine? */
  isAlive(pid: number): boolean;
  /** Unix time in ms. Somebody may set the clock meanwhile: how long something took is measured with `elapsed`. */
  now(): number;
  /** Time in ms since some moment, whatever becomes of the clock. */
  elapsed(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back on SIGINT, SIGTERM and the end of our terminal instead of ending the process; returns how to stop listening. */
  onSignal(handler: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
}

/**
 * Output beyond this is cut at the front: logs end with what matters. The measurements of one k6 must stay whole. With
 * the longest list of paths and the most slices, they take some 40 MiB.
 */
const MAX_OUTPUT = 64 * 1024 * 1024;
/** Docker loses what reaches it before its plugin (buildx) listens, so it is asked more than once. */
const ASK_AGAIN_MS = 1000;
/** From the first SIGTERM to SIGKILL. */
const FORCE_MS = 10_000;
/** Children of a process that has ended may keep its output open; after this time it is closed. */
const LINGER_MS = 5000;

export const realHost: Host = {
  async exec(program, args, options = {}) {
    const running = start(program, args, options);
    if (options.input === undefined) running.end();
    return running.done;
  },
  start,
  isAlive(pid) {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      // Somebody else's: it is there, and not ours to signal.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep(ms, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    });
  },
  onSignal(handler) {
    // A terminal that goes away asks to end, too. Without one, as after nohup, the process goes on: Node starts with all signals
    // in effect, also those that its parent ignored.
    const hasTerminal = [0, 1, 2].some(isatty);
    const hangUp = () => {
      if (hasTerminal) handler('SIGTERM');
    };
    process.on('SIGINT', handler).on('SIGTERM', handler).on('SIGHUP', hangUp);
    return () => {
      process.off('SIGINT', handler).off('SIGTERM', handler).off('SIGHUP', hangUp);
    };
  },
};

/** The last `MAX_OUTPUT` of a text that comes in pieces. Cutting it at each would copy all of it each time, for minutes in sum. */
function keepEnd() {
  let before = '';
  let now = '';
  return {
    add(piece: string) {
      if (now.length >= MAX_OUTPUT) {
        before = now;
        now = '';
      }
      now += piece;
    },
    text: () => (before + now).slice(-MAX_OUTPUT),
  };
}

function start(program: string, args: readonly string[], options: ExecOptions = {}): Running {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ? { ...process.env, ...options.env } : process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Our own group: a terminal's Ctrl-C reaches us alone, and we end things in order.
    detached: true,
  });
  // Without file descriptors Node makes no pipes, though its types have them.
  if ((child.stdout as unknown) === undefined) return notStarted(child);
  const finish = listen(child, options.onLine);
  // EPIPE: the program closed its input early; its exit code shows why.
  child.stdin.on('error', () => {});
  if (options.input !== undefined) child.stdin.end(options.input);
  let timedOut = false;
  let ending: Ending | undefined;
  const abort = () => {
    ending ??= endGroup(child);
  };
  // An abort that came before fires no event.
  if (options.signal?.aborted) abort();
  else options.signal?.addEventListener('abort', abort, { once: true });
  const limit = setTimeout(() => {
    timedOut = true;
    abort();
  }, options.timeoutMs ?? MAX_TIMER_MS);

  const done = (async (): Promise<Finished> => {
    const [code, signal] = await untilGone(child).finally(() => {
      options.signal?.removeEventListener('abort', abort);
      clearTimeout(limit);
      ending?.leaderIsGone();
    });
    const { stdout, stderr } = finish();
    const ended = 128 + (signal === null ? 0 : constants.signals[signal]);
    if (!timedOut) return { code: code ?? ended, stdout, stderr };
    const note = `no answer within ${(options.timeoutMs ?? 0) / 1000} s`;
    return {
      ...{ code: TIMED_OUT, timedOut: true, stdout },
      stderr: stderr === '' ? note : `${stderr.trimEnd()}\n${note}`,
    };
  })();
  // Avoids an unhandled rejection: a caller that awaits it later still gets the error.
  done.catch(() => {});
  return {
    done,
    write: (text) => {
      child.stdin.write(text);
    },
    end: () => child.stdin.end(),
    kill: (signal) => signalGroup(child, signal),
  };
}

/** Passes on each full line as it comes. Returns what to call at the end: it passes on an unfinished line and gives all output. */
function listen(child: ChildProcessWithoutNullStreams, onLine: ExecOptions['onLine']) {
  const output = { stdout: keepEnd(), stderr: keepEnd() };
  const rest = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream].add(text);
      if (!onLine) return;
      const lines = (rest[stream] + text).split(/\r?\n/);
      rest[stream] = lines.pop() ?? '';
      for (const line of lines) onLine(line, stream);
    });
  }
  return () => {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (rest[stream]) onLine?.(rest[stream], stream);
    }
    return { stdout: output.stdout.text(), stderr: output.stderr.text() };
  };
}

function notStarted(child: ChildProcessWithoutNullStreams): Running {
  // It throws what the error event has.
  const done = once(child, 'close') as Promise<never>;
  done.catch(() => {});
  return { done, write: () => {}, end: () => {}, kill: () => {} };
}

/** Beyond it a timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type End = [code: number | null, signal: NodeJS.Signals | null];

/** Resolves when a process is gone and all that it has printed is read. Errors: it could not be started. */
async function untilGone(child: ChildProcessWithoutNullStreams): Promise<End> {
  const closed = once(child, 'close') as Promise<End>;
  let linger: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    linger = setTimeout(() => {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }, LINGER_MS);
  });
  return closed.finally(() => clearTimeout(linger));
}

interface Ending {
  leaderIsGone(): void;
}

/** Asks a process and all that it has started to end, and ends what does not. */
function endGroup(child: ChildProcessWithoutNullStreams): Ending {
  signalGroup(child, 'SIGTERM');
  const asking = setInterval(() => signalGroup(child, 'SIGTERM'), ASK_AGAIN_MS);
  const forcing = setTimeout(() => {
    clearInterval(asking);
    signalGroup(child, 'SIGKILL');
  }, FORCE_MS);
  return {
    leaderIsGone() {
      clearInterval(asking);
      clearTimeout(forcing);
      // Its children were asked to end as well, and nothing waits for them.
      signalGroup(child, 'SIGKILL');
    },
  };
}

/** A process leads a group of its own, which has its number as long as anybody is in it. */
function signalGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // There is nobody left in it.
  }
}
