import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutSecrets } from '../config/keys/flags.ts';
import { MACHINE_SCRIPT, parseMachine } from '../engine/machine/machine.ts';
import type { Host } from '../host.ts';
import { SHARED } from '../images/shared-images.ts';
import { makeProgress } from '../report/progress.ts';
import type { Caller } from '../stages/desk.ts';

/** Input and output of a command. */
export interface Shell {
  argv: readonly string[];
  host: Host;
  packageRoot: string;
  cwd: string;
  /** On standard output, as whole lines. */
  print(text: string): void;
}

export async function makeShellCaller({ argv, packageRoot }: Shell) {
  const { stderr } = process;
  const progress = makeProgress(
    (text) => stderr.write(text),
    // 0 of a terminal that does not know.
    () => (stderr.isTTY ? stderr.columns || 80 : null),
  );
  const caller: Caller = {
    ...{ version: await readVersion(packageRoot), packageRoot },
    command: ['php-runtime-bench', ...withoutSecrets(argv)],
    ...progress,
    ...(process.env[SHARED] && { sharedImages: process.env[SHARED] }),
  };
  return { ...caller, progress };
}

/**
 * Writes to standard output. The last character has a write of its own: if a full disk cuts one short, Node only reports
 * that the next one fails.
 */
export function writeOut(text: string): void {
  process.stdout.write(text.slice(0, -1));
  process.stdout.write(text.slice(-1));
}

export async function readVersion(packageRoot: string): Promise<string> {
  return JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')).version;
}

/** This machine's CPUs; `run` asks the engine's machine, which may be another one, or a virtual machine on this one. */
export async function readMachine(host: Host) {
  const { stdout } = await host.exec('sh', ['-c', MACHINE_SCRIPT]);
  const machine = parseMachine(stdout);
  if (machine.cpus.length > 0) return machine;
  const { cpus } = await import('node:os');
  return { ...machine, cpus: cpus().map((_, cpu) => ({ cpu, core: cpu })) };
}
