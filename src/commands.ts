import { setFlagsFromString } from 'node:v8';
import { mergeResults } from './analyse/merge.ts';
import { ejectLoad } from './commands/cluster/eject-load-command.ts';
import { readEjectedResults } from './commands/cluster/ejected-load.ts';
import { examine } from './commands/doctor-command.ts';
import { ejectRuntime } from './commands/eject-command.ts';
import { showHistory } from './commands/history-command.ts';
import { listParts } from './commands/list-command.ts';
import { showPlanned } from './commands/plan-command.ts';
import { runAndPrint } from './commands/run-command.ts';
import { readVersion, type Shell, writeOut } from './commands/shell.ts';
import { parseCommand } from './config/command.ts';
import { realFiles } from './config/files.ts';
import { helpText } from './config/help.ts';
import { loadRuntimes } from './config/parts/runtimes.ts';
import type { Host } from './host.ts';
import { renderAs } from './report/formats.ts';
import { readOutput } from './store/stored.ts';

/**
 * V8 makes room for new objects as long as they survive. A report's pages do, so that the room grows to 200 MB although
 * 40 MB are in use: from here on it stays as it is.
 */
function keepYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** One command of the CLI, as typed; returns the exit code. Results go to stdout, the rest to stderr. */
export async function runCommand(argv: readonly string[], host: Host, packageRoot: string): Promise<number> {
  const cwd = process.cwd();
  const command = parseCommand(argv, (name) => loadRuntimes(packageRoot, cwd, realFiles).has(name));
  const print = (text: string) => writeOut(text.endsWith('\n') ? text : `${text}\n`);
  const shell: Shell = { argv, host, packageRoot, cwd, print };
  const terminal = {
    // 0 of a terminal that does not know.
    width: process.stdout.columns || 120,
    color: process.stdout.isTTY && !process.env.NO_COLOR,
  };
  switch (command.command) {
    case 'help':
      print(helpText(command.of));
      return 0;
    case 'version':
      print(await readVersion(packageRoot));
      return 0;
    case 'run':
      return runAndPrint(command, shell, terminal);
    case 'plan':
      return showPlanned(command, shell);
    case 'report': {
      const groups = mergeResults(await Promise.all(command.folders.map(readStored)));
      keepYoungGeneration();
      for (const text of renderAs(command.format, groups, terminal)) writeOut(text);
      return 0;
    }
    case 'history':
      return showHistory(command, shell);
    case 'list':
      print(listParts(shell, command.json));
      return 0;
    case 'eject':
      return ejectRuntime(command, shell);
    case 'eject-load':
      return ejectLoad(command, shell);
    case 'doctor':
      return examine(command, shell);
  }
}

/** Results of a run, or of pods that loaded a site by an ejected scenario. */
async function readStored(folder: string) {
  return (await readEjectedResults(folder)) ?? readOutput(folder);
}
