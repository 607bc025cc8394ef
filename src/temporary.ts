import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from './errors.ts';
import type { Host } from './host.ts';

/** Purposes of temporary folders: the files of another commit, builds, k6 scripts, passes, a connection. */
const PURPOSES = ['base', 'build', 'script', 'pass', 'ssh', 'k6', 'push', 'seen'] as const;
type Purpose = (typeof PURPOSES)[number];

const NAME = new RegExp(`^php-runtime-bench-(\\d{8}-\\d{6}-[0-9a-f]{4})-(?:${PURPOSES.join('|')})$`);
/** Temporary folders of other commands: the results of an A/A run, the branch of a history. */
const SCRATCH = /^php-runtime-bench-(?:aa|history)-\w{6}$/;
const folderOf = (run: string, purpose: Purpose) => join(tmpdir(), `php-runtime-bench-${run}-${purpose}`);

/** Makes a temporary folder with the run's id and its owner: a later run removes it if the owner was killed. */
export async function makeTemporary(run: string, purpose: Purpose): Promise<string> {
  const folder = folderOf(run, purpose);
  // Not recursive: a folder that is there already is somebody else's.
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EACCES') throw error;
    throw new UserError('cannot make a temporary folder', {
      ...{ where: { name: 'TMPDIR' }, found: error.message, allowed: 'a folder that you may write to' },
    });
  });
  await nameOwner(folder);
  return folder;
}

const nameOwner = (folder: string) =>
  writeFile(join(folder, 'owner'), JSON.stringify({ pid: process.pid, host: hostname() }));

/** The same for a command that is no run. The caller removes it. */
export async function makeScratch(purpose: 'aa' | 'history'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `php-runtime-bench-${purpose}-`));
  await nameOwner(folder);
  return folder;
}

/** The same for what a run may have several of: a numbered folder in the one of that purpose. */
export async function makeOneOfSeveral(run: string, purpose: Purpose): Promise<string> {
  await makeTemporary(run, purpose).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const taken = (await readdir(folderOf(run, purpose))).map(Number).filter((n) => n > 0);
  const folder = join(folderOf(run, purpose), String(Math.max(0, ...taken) + 1));
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Removes a run's temporary folders. Returns whether it had any to remove. Never throws: it is what happens last. */
export async function removeTemporary(run: string): Promise<boolean> {
  const removed = await Promise.all(
    PURPOSES.map(async (purpose) => {
      const there = (await lstat(folderOf(run, purpose)).catch(() => null)) !== null;
      // Another user's stays.
      const gone = await rm(folderOf(run, purpose), { recursive: true, force: true }).then(
        () => true,
        () => false,
      );
      return there && gone;
    }),
  );
  return removed.includes(true);
}

/** Removes what killed runs and commands of this machine have left. */
export async function sweepTemporary(host: Host, say: (line: string) => void): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const run = NAME.exec(name)?.[1];
    const folder = join(tmpdir(), name);
    if ((run === undefined && !SCRATCH.test(name)) || (await isInUse(host, folder))) continue;
    // Another user's stays.
    if (run === undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
    else if (await removeTemporary(run)) say(`removed what run ${run} left behind: ${name}`);
  }
}

/** An owner counts as alive unless it is surely dead: it may be on another machine, or about to write its name. */
async function isInUse(host: Host, folder: string): Promise<boolean> {
  try {
    const { pid, host: machine } = JSON.parse(await readFile(join(folder, 'owner'), 'utf8'));
    return machine !== hostname() || host.isAlive(Number(pid));
  } catch {
    const made = (await lstat(folder).catch(() => null))?.mtimeMs ?? host.now();
    return host.now() - made < 60_000;
  }
}
