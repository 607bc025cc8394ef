import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { INPUT_NAME, INPUT_PATTERN, INPUT_PATH, ARTIFACTS, GITHUB_WORKSPACE } = process.env;
const target = resolve(GITHUB_WORKSPACE, INPUT_PATH);
mkdirSync(target, { recursive: true });
if (INPUT_NAME) cpSync(join(ARTIFACTS, INPUT_NAME), target, { recursive: true });
else {
  const literal = INPUT_PATTERN.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  for (const name of readdirSync(ARTIFACTS)) {
    if (!pattern.test(name)) continue;
    cpSync(join(ARTIFACTS, name), join(target, name), { recursive: true });
  }
}
