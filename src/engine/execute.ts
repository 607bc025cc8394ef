import type { Config } from '../config/types.ts';
import type { Failure } from '../results/results.ts';
import { readPrinted } from './complaint.ts';
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

/** Runs a user's shell command in a container; the failure has what it printed. */
export async function execute(
  { docker, signal }: ExecuteWorld,
  container: string,
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<Failure | null> {
  const set = Object.entries(env).map(([key, value]) => `--env=${key}=${value}`);
  const { code, stdout, stderr } = await docker.try(['exec', ...set, container, 'sh', '-ec', command], {
    signal,
    timeoutMs: LIMITS_MS.command,
  });
  signal.throwIfAborted();
  if (code === 0) return null;
  const { log, complaint } = readPrinted(`${stdout}\n${stderr}`);
  return { stage: 'start', reason: `exit code ${code}${complaint ? `: ${complaint}` : ''}`, log };
}

/** Runs `set-up` in a variant that has just started; null: it worked, or there is none. */
export async function setUp(
  { engine, job }: { engine: ExecuteWorld; job: { config: Pick<Config, 'setUp'> } },
  container: string,
): Promise<Failure | null> {
  const command = job.config.setUp;
  if (command === undefined) return null;
  const failure = await execute(engine, container, command, { PHP_INI_SCAN_DIR });
  return failure && { ...failure, reason: `set-up failed: ${failure.reason}` };
}
