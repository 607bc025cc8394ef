import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { INPUT_NAME, INPUT_PATH, INPUT_OVERWRITE, ARTIFACTS, GITHUB_WORKSPACE } = process.env;
const target = join(ARTIFACTS, INPUT_NAME);
if (existsSync(target) && INPUT_OVERWRITE !== 'true') throw new Error(`${INPUT_NAME} is there already`);
rmSync(target, { recursive: true, force: true });
cpSync(resolve(GITHUB_WORKSPACE, INPUT_PATH), target, { recursive: true });
