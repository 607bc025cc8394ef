import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '../world.ts';

/**
 * The line of php.ini that loads `script` in front of each script of a variant. It replaces the variant's own
 * `auto_prepend_file`: if the server reported one, that file is loaded behind `script`, so that the app works as before.
 *
 * @param script its path in the container
 * @param to the folder on this machine that is copied to the folder of `script`
 */
export async function prependLine(
  { job }: Pick<World, 'job'>,
  variant: string,
  script: string,
  to: string,
): Promise<string> {
  const own = job.outcomes.get(variant)?.facts?.ini.auto_prepend_file;
  if (!own) return `auto_prepend_file = ${script}`;
  const required = [script, own].map((file) => ` require '${file.replace(/[\\']/g, '\\$&')}';`);
  await writeFile(join(to, 'prepend.php'), `<?php${required.join('')}\n`);
  return `auto_prepend_file = ${script.replace(/[^/]*$/, 'prepend.php')}`;
}
