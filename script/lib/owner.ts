/** The owner of this repository, as pages and workflows name it. package.json is the one place where it is set. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_URL } from '../../src/project.ts';

/** Actions and workflows of this repository, by owner and name, and links to it. */
const NAMED = [
  /(?<![\w./-])[\w-]+\/php-runtime-bench(?=@|\/\*@|\/\.github|\/blob\/)/g,
  /(?<=https:\/\/github\.com\/)[\w-]+\/php-runtime-bench\b/g,
];

/** The files that may name the owner. Sources and tests take it from src/project.ts, and script/build writes the rest. */
export function listFilesWithOwner(root: string): string[] {
  const not = [':!dist', ':!schema', ':!src', ':!test', ':!package.json', ':!package-lock.json'];
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...not], { cwd: root, encoding: 'utf8' });
  return listed
    .split('\0')
    .filter((path) => /\.(md|ya?ml|json|ts|sh)$/.test(path) && existsSync(join(root, path)));
}

/** The text with this repository's owner wherever it names the repository. Throws when that has another name. */
export function nameOwner(text: string, url = REPOSITORY_URL): string {
  const own = new URL(url).pathname.slice(1);
  if (!/^[\w-]+\/php-runtime-bench$/.test(own)) {
    throw new Error(`repository.url in package.json: '${own}' is not OWNER/php-runtime-bench`);
  }
  return NAMED.reduce((named, pattern) => named.replaceAll(pattern, own), text);
}
