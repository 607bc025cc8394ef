import { runBench } from '../bench.ts';
import type { Command } from '../config/command.ts';
import { parseConfig } from '../config/parse.ts';
import type { TableOptions } from '../report/format/terminal.ts';
import { renderAs } from '../report/formats.ts';
import { listWritten } from '../store/output.ts';
import { runOnEngines } from './run-engines.ts';
import { makeShellCaller, type Shell, writeOut } from './shell.ts';

type Asked = Extract<Command, { command: 'run' }>;

/** `run`: measures, and prints the table. */
export async function runAndPrint(command: Asked, shell: Shell, terminal: TableOptions): Promise<number> {
  const { host, packageRoot, cwd, print } = shell;
  const config = parseConfig({ flags: command.flags, cwd, packageRoot });
  if (config.engines) return runOnEngines(config, config.engines, command, shell, terminal);
  const { progress, ...caller } = await makeShellCaller(shell);
  const { results, summary, out, exitCode } = await runBench(config, host, caller);
  progress.end();
  // Progress goes to standard error, so that both are on one terminal where both are terminals.
  const showsChecks = process.stdout.isTTY && process.stderr.isTTY;
  const seen = { ...terminal, showsChecks, isShare: true };
  for (const text of renderAs(command.format, [results], seen, () => summary)) writeOut(text);
  const written = `written to ${out}: ${(await listWritten(out)).join(', ')}`;
  // Programs read all of standard output in the other formats.
  if (command.format === 'table') print(`\n${written}`);
  else progress.say(written);
  return exitCode;
}
