import type { Config } from '../config/types.ts';
import type { Failure } from '../results/results.ts';
import { advise } from '../text/advice.ts';
import { readComplaint, readPrinted } from './complaint.ts';
import { type Docker, LIMITS_MS } from './docker.ts';

interface ExecuteWorld {
  docker: Docker;
  signal: AbortSignal;
}

/**
 * The folder in which runtimes keep the PHP settings of a run, as in runtimes/_shared/options.sh. Commands in their
 * containers need it.
 */
const PHP_INI_SCAN_DIR = ':/tmp/php-runtime-bench/php';

/** The outcome of a command. */
interface Executed {
  /** With what it printed; null: it worked. */
  failure: Failure | null;
  /** The message in what it printed, or the end of that; null: nothing. */
  said: string | null;
}

/** Runs a user's shell command in a container. */
export async function execute(
  { docker, signal }: ExecuteWorld,
  container: string,
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<Executed> {
  const set = Object.entries(env).map(([key, value]) => `--env=${key}=${value}`);
  const { code, stdout, stderr } = await docker.try(['exec', ...set, container, 'sh', '-ec', command], {
    signal,
    timeoutMs: LIMITS_MS.command,
  });
  signal.throwIfAborted();
  const { log, complaint } = readPrinted(`${stdout}\n${stderr}`);
  const reason = `exit code ${code}${complaint ? `: ${complaint}` : ''}`;
  return { failure: code === 0 ? null : { stage: 'start', reason, log }, said: complaint };
}

/** Runs `set-up` in a variant that has just started, if there is one. */
export async function setUp(
  { engine, job }: { engine: ExecuteWorld; job: { config: Pick<Config, 'setUp'> } },
  container: string,
): Promise<Executed> {
  const command = job.config.setUp;
  if (command === undefined) return { failure: null, said: null };
  const { failure, said } = await execute(engine, container, command, { PHP_INI_SCAN_DIR });
  if (failure === null) return { failure, said };
  // A command that asks the app over HTTP prints no more than its status.
  const { log, complaint } = await readComplaint(engine.docker, container, null);
  const why = complaint === null || said?.includes(complaint) ? '' : `; the server's log: ${complaint}`;
  const reason = `set-up failed: ${failure.reason}${why}`;
  const advice = advise(reason);
  return {
    failure: { ...failure, reason: `${reason}${advice}`, log: `${failure.log}\n${log}`.trim() },
    said,
  };
}
