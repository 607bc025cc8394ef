import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { INPUT_NAME, INPUT_PATTERN, INPUT_PATH, ARTIFACTS, GITHUB_WORKSPACE } = process.env;
const target = resolve(GITHUB_WORKSPACE, INPUT_PATH);
mkdirSync(target, { recursive: true });
if (INPUT_NAME) cpSync(join(ARTIFACTS, INPUT_NAME), target, { recursive: true });
else {
  const [before, after] = INPUT_PATTERN.split('*');
  for (const name of readdirSync(ARTIFACTS)) {
    if (!name.startsWith(before) || !name.endsWith(after)) continue;
    cpSync(join(ARTIFACTS, name), join(target, name), { recursive: true });
  }
}
