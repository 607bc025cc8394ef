import { resolve } from 'node:path';
import type { Command } from '../config/command.ts';
import { realFiles } from '../config/files.ts';
import { parseChoices } from '../config/keys/choices.ts';
import { findAppFolders } from '../config/keys/layers.ts';
import { loadRuntimes } from '../config/parts/runtimes.ts';
import { refuse } from '../config/text.ts';
import { eject, writeEjected } from './eject.ts';
import type { Shell } from './shell.ts';

type Asked = Extract<Command, { command: 'eject' }>;

/** `eject`: writes a runtime as a folder of its own. */
export async function ejectRuntime(command: Asked, { packageRoot, cwd, print }: Shell): Promise<number> {
  const besides = findAppFolders({ packageRoot, cwd }, realFiles);
  const choices = parseChoices(command.runtime, loadRuntimes(packageRoot, cwd, realFiles, besides));
  const [choice, other] = choices;
  if (!choice || other)
    throw refuse(
      '`eject` takes exactly one runtime',
      command.runtime,
      "one, such as 'nginx-fpm[workers=32]'",
    );
  const folder = resolve(cwd, command.out ?? choice.as ?? choice.runtime.name);
  await writeEjected(folder, eject(choice, packageRoot, realFiles), realFiles);
  print(`written to ${folder}: see README.md there`);
  return 0;
}
