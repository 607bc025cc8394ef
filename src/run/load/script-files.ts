import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { displayPath } from '../../config/text.ts';
import { type Place, UserError } from '../../errors.ts';

/** Files that a k6 script needs. */
export interface ScriptFiles {
  /** The project: nothing outside of it is taken. */
  root: string;
  /** Absolute paths of the script, what it imports and what it opens. */
  files: string[];
  /** Absolute paths at which a script expects our `lib/bench.js`; there is no such file. */
  ours: string[];
  /** Named files that do not exist. */
  missing: Named[];
  /** Named modules of k6 and of the web. */
  modules: Named[];
}

interface Named {
  spec: string;
  file: string;
  line: number;
}

const MOST_BYTES = 50 * 2 ** 20;
/** Files that are only like one that k6 missed must leave room for those that the script names. */
const MOST_LIKE_BYTES = MOST_BYTES / 2;
const SOURCE = /^\.[cm]?[jt]s$/;
/** Imports and opened files with a literal name in the script. */
const NAMED = [
  /\bfrom\s*(['"])([^'"\n]+)\1/g,
  /\bimport\s*(['"])([^'"\n]+)\1/g,
  /\b(?:import|open|require|resolve)\s*\(\s*(['"`])([^'"`\n$]+)\1/g,
];
const ELSEWHERE = /^(?:k6$|k6\/|[a-z][a-z0-9+.-]+:)/i;
const OURS = /(?:^|\/)lib\/bench\.js$/;
/** May make HTTP requests: an extension of k6 and a module of the web, too. */
const HTTP = /^(?:k6\/http$|k6\/x\/|https?:)/i;
const OTHER_PROTOCOL = /^k6\/(?:ws|(?:experimental\/)?websockets|(?:net|experimental)\/grpc)$/;
const BROWSER = /^k6\/(?:experimental\/)?browser$/;

/**
 * The files that a script names, and those that they name. Names that it puts together are not seen: k6 says what it
 * misses, and it is added by `more`.
 */
export function collectFiles(entry: string, cwd: string, more: readonly string[] = []): ScriptFiles {
  const root = findRoot(entry, cwd);
  const found: ScriptFiles = { root, files: [], ours: [], missing: [], modules: [] };
  const seen = new Set<string>();
  let bytes = 0;
  for (const file of more)
    checkInside(file, root, { spec: displayPath(file, cwd), file: entry, line: 1 }, cwd);
  const waiting = [entry, ...more];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const { size } = statSync(file);
    bytes += size;
    if (bytes > MOST_BYTES) throw tooLarge(file, entry, cwd, bytes);
    found.files.push(file);
    if (!SOURCE.test(extname(file))) continue;
    for (const { spec, line } of namedIn(readFileSync(file, 'utf8'))) {
      if (ELSEWHERE.test(spec)) {
        found.modules.push({ spec, file, line });
        continue;
      }
      const there = [resolve(dirname(file), spec), resolve(dirname(entry), spec)].find(isFile);
      if (there !== undefined) {
        checkInside(there, root, { spec, file, line }, cwd);
        waiting.push(there);
      } else if (OURS.test(spec)) found.ours.push(resolve(dirname(file), spec));
      else found.missing.push({ spec, file, line });
    }
  }
  return found;
}

/**
 * The files to add for one that k6 missed. The second of its kind brings all of its folder whose names differ in digits
 * alone: k6 stops at the first file that it misses, so each would need a start of its own.
 */
export function filesLike(missed: string, more: readonly string[]): string[] {
  const isLike = (path: string) => path.replace(/\d+/g, '#') === missed.replace(/\d+/g, '#');
  if (!more.some(isLike)) return [missed];
  const folder = dirname(missed);
  const all = readdirSync(folder).map((name) => join(folder, name));
  // A link may lead out of the project, and none of the others need be what the script opens.
  const like = all.filter((path) => isLike(path) && lstatSync(path).isFile());
  const bytes = like.reduce((sum, path) => sum + lstatSync(path).size, 0);
  return bytes > MOST_LIKE_BYTES ? [missed] : like;
}

/** Errors: UserError, a script makes no requests that are measured. */
export function expectHttp({ modules, ours }: ScriptFiles, cwd: string): void {
  if (ours.length > 0 || modules.some(({ spec }) => HTTP.test(spec))) return;
  for (const { spec, file, line } of modules) {
    const where = { name: displayPath(file, cwd), line };
    if (BROWSER.test(spec)) throw withBrowser(where, `'${spec}'`);
    if (!OTHER_PROTOCOL.test(spec)) continue;
    throw new UserError('the script makes no HTTP requests', {
      where,
      found: `'${spec}', and no 'k6/http'`,
      hint: 'only HTTP requests are measured: make them with `k6/http`',
    });
  }
}

export function withBrowser(where: Place, found: string): UserError {
  return new UserError('the script loads with a browser', {
    where,
    found: `${found}: the load has no browser, which would use most of the CPU`,
    hint: 'request the pages with `k6/http`; a browser measures itself, not how many requests the server can answer',
  });
}

export function tooManyNames(most: number, missed: string, entry: string, cwd: string): UserError {
  return new UserError(`the script needs more than ${most} files whose names it puts together`, {
    where: { name: displayPath(entry, cwd) },
    found: displayPath(missed, cwd),
    allowed: `${most}, and any number in a folder if their names differ in digits alone`,
    hint: 'write the names as text in the script, or put the data into one file',
  });
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function namedIn(text: string): { spec: string; line: number }[] {
  return NAMED.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 2: spec = '', index }) =>
      isAbsolute(spec) ? [] : [{ spec, line: text.slice(0, index).split('\n').length }],
    ),
  );
}

/** The repository, or else the nearest folder that looks like a project's, or else the script's own. */
function findRoot(entry: string, cwd: string): string {
  const above: string[] = [];
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    above.push(folder);
    if (folder === dirname(folder)) break;
  }
  const marked = (...names: string[]) =>
    above.find((folder) => names.some((name) => existsSync(join(folder, name))));
  const project = marked('.git') ?? marked('.bench', '.bench.yml', 'composer.json', 'package.json');
  return project ?? (isInside(dirname(entry), cwd) ? cwd : dirname(entry));
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A script that comes with a pull request must not read what else lies on this machine. */
function checkInside(path: string, root: string, at: Named, cwd: string): void {
  const real = realpathSync(path);
  const way = relative(realpathSync(root), real);
  const where = { name: displayPath(at.file, cwd), line: at.line };
  if (!isInside(real, realpathSync(root))) {
    throw new UserError(`'${at.spec}' lies outside of the project`, {
      where,
      allowed: `files in ${root}`,
      hint: 'copy it into the project',
    });
  }
  if (way.split(sep).includes('.git')) {
    throw new UserError(`'${at.spec}' belongs to git`, {
      where,
      allowed: 'files of the project outside of .git',
    });
  }
}

function tooLarge(file: string, entry: string, cwd: string, bytes: number): UserError {
  return new UserError('the files of a k6 script are too large', {
    where: { name: displayPath(entry, cwd) },
    found: `${Math.ceil(bytes / 2 ** 20)} MiB with ${displayPath(file, cwd)}`,
    allowed: `${MOST_BYTES / 2 ** 20} MiB`,
    hint: 'use a smaller file in the script',
  });
}
