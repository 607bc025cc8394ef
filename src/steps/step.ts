import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as core from '@actions/core';
import { withoutSecrets } from '../config/keys/flags.ts';
import type { Key } from '../config/keys/key-values.ts';
import { KEYS, type KeyName } from '../config/keys.ts';
import { parseConfig } from '../config/parse.ts';
import { displayPath } from '../config/text.ts';
import type { Config } from '../config/types.ts';
import { readMachineError, Stopped, UserError } from '../errors.ts';
import { makeProgress } from '../report/progress.ts';
import type { Bench, Caller } from '../stages/desk.ts';

/** We as a step of a job: what it logs, what it leaves to the post step, how it ends. */
export async function makeStepCaller(
  packageRoot: string,
  inputs: Readonly<Record<string, string>>,
): Promise<Caller> {
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
  const flags = Object.entries(inputs).flatMap(([name, value]) => flagsOf(name, value.trim()));
  return {
    version,
    packageRoot,
    command: ['php-runtime-bench', 'run', ...withoutSecrets(flags)],
    ...makeProgress(
      (text) => process.stdout.write(text),
      () => null,
    ),
    began: (run, engine) => {
      core.saveState('run', run);
      core.saveState('engine', engine ?? '');
    },
  };
}

/** The configuration of a step. Errors name files from the top of the workspace, as GitHub does. */
export function readConfig(
  { inputs, cwd }: { inputs: Readonly<Record<string, string>>; cwd: string },
  packageRoot: string,
): Config {
  try {
    return parseConfig({ flags: [], inputs, cwd, packageRoot });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { where, ...detail } = error.detail;
    if (where?.line === undefined || where.name.startsWith('input ')) throw error;
    const name = displayPath(resolve(cwd, where.name), resolve(process.env.GITHUB_WORKSPACE ?? cwd));
    throw new UserError(error.message, { ...detail, where: { ...where, name } });
  }
}

/** An input as flags of the command line, which mean the same. */
export function flagsOf(name: string, value: string): string[] {
  const key: Key | undefined = KEYS[name as KeyName];
  if (key && key.value === undefined) return [`--${name}=${value}`];
  if (key?.many !== 'texts' && key?.many !== 'lines') return [`--${name}`, value];
  const lines = value.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).flatMap((line) => [`--${name}`, line]);
}

/** Does work whose log may hold text of others, such as a container's: the runner takes no line of it for a command. */
export async function withoutCommands<T>(work: () => Promise<T>): Promise<T> {
  const end = randomUUID();
  core.info(`::stop-commands::${end}`);
  try {
    return await work();
  } finally {
    core.info(`::${end}::`);
  }
}

/** Logs why the step fails, if it does. */
export function concludeStep(exitCode: Bench['exitCode']): number {
  const reasons = {
    1: 'a pass criterion was missed or a limit exceeded; see the report',
    3: 'some variant could not be built or measured, or a limit could not be judged; see the report',
    4: 'the Docker engine or the machine failed; the report has the results so far',
    130: 'stopped by SIGINT',
    143: 'stopped by SIGTERM',
  };
  if (exitCode !== 0) core.error(`Exit code ${exitCode}: ${reasons[exitCode]}`);
  return exitCode;
}

/**
 * Prints what went wrong and returns the exit code. A mistake of the user's points at its place; anything unexpected
 * keeps its stack trace.
 */
export function fail(thrown: unknown): number {
  const error = readMachineError(thrown) ?? thrown;
  if (error instanceof UserError) {
    const { name = '', line } = error.detail.where ?? {};
    const inFile = line !== undefined && !name.startsWith('input ');
    core.error(error.format(), inFile ? { file: name, startLine: line } : {});
    return error.exitCode;
  }
  core.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return error instanceof Stopped ? error.exitCode : 70;
}
