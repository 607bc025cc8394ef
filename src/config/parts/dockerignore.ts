import { posix } from 'node:path';
import { RESULTS_MARK } from '../../results/mark.ts';
import { type Files, SETTINGS_FILES } from '../files.ts';

/**
 * Lines for files that no app serves: git's own, our settings, and Laravel's file cache. The latter has rows of this
 * machine's database, which the base would lack. Relative to the app's folder.
 */
export const UNSERVED_FILES = ['**/.git', 'storage/framework/cache/data/*', ...SETTINGS_FILES] as const;

/** Folders directly in the app's that have results of runs, also of earlier ones with another `out`. */
export function listResultFolders(folder: string, files: Files): string[] {
  const isOne = (name: string) =>
    files.read(posix.join(folder, name, '.gitignore'), Infinity)?.startsWith(RESULTS_MARK) ?? false;
  return files.list(folder).filter(isOne);
}

/**
 * Whether a `.dockerignore` leaves a file out of the build, with the rules of BuildKit. Patterns are relative to the
 * app's folder. The last one that matches the file or a folder above it decides, and `!` takes it back in.
 *
 * @param path relative to the app's folder, with slashes
 */
export function isIgnored(dockerignore: string, path: string): boolean {
  const parts = path.split('/');
  // The file itself, and each folder that it lies in.
  const paths = parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  let ignored = false;
  for (const line of dockerignore.replace(/^\uFEFF/, '').split('\n')) {
    // A mark of a comment counts in the first column alone.
    const text = line.startsWith('#') ? '' : line.trim();
    const back = text.startsWith('!');
    const pattern = back ? text.slice(1).trim() : text;
    if (pattern === '') continue;
    const expression = compile(posix.normalize(pattern).replace(/^\/(?=.)|(?<=.)\/$/g, ''));
    if (expression && paths.some((part) => expression.test(part))) ignored = !back;
  }
  return ignored;
}

const WILD: Record<string, string> = { '*': '[^/]*', '?': '[^/]' };

/** A pattern as an expression; null where it is none, which BuildKit refuses with a message of its own. */
function compile(pattern: string): RegExp | null {
  const source = pattern.replace(
    /\*\*\/?$|\*\*\/?|\*|\?|\\.|\[[^\]]*\]|[^\w/[\]-]/gs,
    (token, at: number) => {
      if (token.startsWith('**')) return at + token.length === pattern.length ? '.*' : '(?:.*/)?';
      if (token.startsWith('[') && token.length > 2) return token;
      if (token.length === 2 && token.startsWith('\\')) return token.slice(1).replace(/\W/, '\\$&');
      return WILD[token] ?? token.replace(/\W/g, '\\$&');
    },
  );
  try {
    return new RegExp(`^${source}$`, 's');
  } catch {
    return null;
  }
}
