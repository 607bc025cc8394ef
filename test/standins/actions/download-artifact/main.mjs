import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { INPUT_NAME, INPUT_PATTERN, INPUT_PATH, ARTIFACTS, GITHUB_WORKSPACE } = process.env;
const target = resolve(GITHUB_WORKSPACE, INPUT_PATH);
mkdirSync(target, { recursive: true });
if (INPUT_NAME) cpSync(join(ARTIFACTS, INPUT_NAME), target, { recursive: true });
else {
  const literal = INPUT_PATTERN.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  const names = readdirSync(ARTIFACTS).filter((name) => pattern.test(name));
  // As the real one does since version 5: the only one that fits has no folder of its own.
  for (const name of names)
    cpSync(join(ARTIFACTS, name), names.length === 1 ? target : join(target, name), { recursive: true });
}
