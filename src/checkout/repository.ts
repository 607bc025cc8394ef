import { UserError } from '../errors.ts';
import type { ExecOptions, Host } from '../host.ts';
import { connectGit, type Git, GitError, lastWords } from './git.ts';

/** The repository that the app lies in. */
export interface Repository {
  git: Git;
  /** Absolute path of its top folder. */
  top: string;
  /** Not all of its history is there, as `actions/checkout` leaves it. */
  shallow: boolean;
  /** The remote for missing commits: `origin`, else the first; null: there is none. */
  remote: string | null;
  /** Whether it may be fetched from there. */
  fetches: boolean;
  options: Pick<ExecOptions, 'signal'>;
}

/**
 * The place of a folder in its repository: `apps/shop`, '' at the top. Or why it lies in none. `trust`: it lies in one of another
 * user, which git reads after this command.
 */
type RepositoryPlace = { top: string; path: string } | { reason: string; trust?: string | undefined };

export async function locate(host: Host, folder: string): Promise<RepositoryPlace> {
  try {
    const text = await connectGit(host, folder).run(['rev-parse', '--show-toplevel', '--show-prefix']);
    const [top = '', prefix = ''] = text.split('\n');
    return { top, path: prefix.replace(/\/$/, '') };
  } catch (error) {
    if (error instanceof GitError) return { reason: error.message, trust: error.detail.hint };
    return { reason: 'there is no git on PATH' };
  }
}

/** Its `rev-parse` does not know `--end-of-options`, so that no ref has a commit. */
const TOO_OLD = /^git version (1|2\.[12]?\d)\./;

/** Errors: UserError where git is too old. */
export async function openRepository(
  host: Host,
  top: string,
  fetches: boolean,
  options: Pick<ExecOptions, 'signal'>,
): Promise<Repository> {
  const git = connectGit(host, top);
  const version = await git.run(['version']);
  if (TOO_OLD.test(version))
    throw new UserError('git is too old', { found: version, allowed: '2.30 or newer' });
  const remotes = (await git.run(['remote'])).split('\n').filter(Boolean);
  return {
    ...{ git, top, fetches, options },
    shallow: (await git.run(['rev-parse', '--is-shallow-repository'])) === 'true',
    remote: remotes.find((name) => name === 'origin') ?? remotes[0] ?? null,
  };
}

/** The commit that a ref means, if it is here. */
export async function findCommit({ git }: Repository, ref: string): Promise<string | null> {
  const { code, stdout } = await git.try([
    ...['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`],
  ]);
  return code === 0 ? stdout.trim() : null;
}

/** Makes sure that a commit with its files is here. Returns why it is not. */
export async function bringCommit(repository: Repository, commit: string): Promise<string | null> {
  const { git, remote, fetches, shallow, options } = repository;
  if ((await findCommit(repository, commit)) !== null) return null;
  if (remote === null) return 'there is no remote to fetch it from';
  if (!fetches) return `plan fetches nothing, and run fetches it from ${remote}`;
  const fetched = await git.try(
    [
      ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
      // One commit is enough; but a depth would make a whole repository a shallow one.
      ...(shallow ? ['--depth=1'] : []),
      ...['--end-of-options', remote, commit],
    ],
    options,
  );
  options.signal?.throwIfAborted();
  return fetched.code === 0 ? null : `${remote} did not provide it: ${lastWords(fetched.stderr)}`;
}

/** A commit's parents: the commit itself names them, also where a shallow clone does not have them. */
export async function parentsOf({ git }: Repository, commit: string): Promise<string[]> {
  const text = await git.run(['cat-file', 'commit', commit]);
  const [head = ''] = text.split('\n\n');
  return [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = '']) => parent);
}

/** So far back a shallow clone is followed commit by commit. */
const MAX_STEPS = 20;

/**
 * A commit; or why one that must be there is missing; or why the remote could not be asked for it. With both it is as it was
 * last fetched.
 */
export type Resolved = { commit: string; unasked?: string } | { reason: string } | { unasked: string };

/**
 * The commit of a ref, fetched if it is not here. That may be a branch or tag of the remote, a full commit id, or `~N`
 * and `^` of something at the end of a shallow clone. Null: there is no such commit, as far as is known.
 */
export async function resolveRef(repository: Repository, ref: string): Promise<Resolved | null> {
  const here = await findCommit(repository, ref);
  if (here !== null) return { commit: here };
  const back = /^(.+?)(?:~(\d{0,3})|\^)$/.exec(ref);
  if (back?.[1]) return resolveAncestor(repository, back[1], back[2] ? Number(back[2]) : 1);
  const isId = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
  const asked = isId ? { commit: ref } : await askRemote(repository, ref);
  if (asked === null) return null;
  if ('unasked' in asked) {
    // Without credentials, as actions/checkout may leave a clone, the branch is as it was last fetched.
    const fetched = await findCommit(repository, `refs/remotes/${repository.remote}/${ref}`);
    return fetched === null ? asked : { commit: fetched, ...asked };
  }
  const { commit } = asked;
  const reason = await bringCommit(repository, commit);
  if (reason === null) return { commit };
  return repository.shallow || !repository.fetches ? { reason } : null;
}

async function resolveAncestor(repository: Repository, ref: string, steps: number): Promise<Resolved | null> {
  const from = await resolveRef(repository, ref);
  if (from === null || !('commit' in from)) return from;
  let { commit } = from;
  for (let i = 0; i < steps; i++) {
    const [parent] = await parentsOf(repository, commit);
    if (parent === undefined) return null;
    if (i >= MAX_STEPS)
      return { reason: `it is more than ${MAX_STEPS} commits behind what is in this clone` };
    const reason = await bringCommit(repository, parent);
    if (reason !== null) return { reason };
    commit = parent;
  }
  return { ...from, commit };
}

async function askRemote(
  { git, remote, options }: Repository,
  ref: string,
): Promise<{ commit: string } | { unasked: string } | null> {
  if (remote === null) return null;
  const name = ref.startsWith(`${remote}/`) ? ref.slice(`${remote}/`.length) : ref;
  if ((await git.try(['check-ref-format', '--allow-onelevel', name])).code !== 0) return null;
  const { code, stdout, stderr } = await git.try(
    // The names are patterns to git: what they found is looked through again.
    ['ls-remote', '--quiet', '--end-of-options', remote, `refs/heads/${name}`, `refs/tags/${name}*`],
    options,
  );
  options.signal?.throwIfAborted();
  if (code !== 0) return { unasked: `${remote} did not answer: ${lastWords(stderr)}` };
  const refs = new Map(stdout.split('\n').map((line) => line.split('\t').reverse() as [string, string]));
  // `^{}` is the commit that an annotated tag is on.
  const known = [`refs/heads/${name}`, `refs/tags/${name}^{}`, `refs/tags/${name}`];
  const commit = known.map((full) => refs.get(full)).find(Boolean);
  return commit === undefined ? null : { commit };
}

/** The default branch: the remote's, else a branch that is called so. */
export async function findDefaultBranch(repository: Repository): Promise<string | null> {
  const remote = remoteOf(repository);
  const head = await repository.git.try(['rev-parse', '--abbrev-ref', `${remote}/HEAD`]);
  const names = [
    ...(head.code === 0 ? [head.stdout.trim()] : []),
    ...[`${remote}/main`, `${remote}/master`, 'main', 'master'],
  ];
  return firstBranch(repository, names);
}

const remoteOf = ({ remote }: Repository) => remote ?? 'origin';

/** A branch by its name, as the remote has it or else as it is here; null where this clone has neither. */
export async function findBranch(repository: Repository, name: string): Promise<string | null> {
  return firstBranch(repository, [`${remoteOf(repository)}/${name}`, name]);
}

async function firstBranch(repository: Repository, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    const full = name.startsWith(`${remoteOf(repository)}/`) ? `refs/remotes/${name}` : `refs/heads/${name}`;
    if ((await repository.git.try(['show-ref', '--verify', '--quiet', full])).code === 0) return name;
  }
  return null;
}

/** The commit at which two others parted; null if the clone knows of none. */
export async function findMergeBase({ git }: Repository, a: string, b: string): Promise<string | null> {
  const { code, stdout } = await git.try(['merge-base', '--end-of-options', a, b]);
  return code === 0 ? stdout.trim() : null;
}

/** The type of the object at a path of a commit. Folders on the way may be links, as in the checkout. */
export async function typeAt(
  { git }: Repository,
  commit: string,
  path: string,
): Promise<'tree' | 'blob' | null> {
  const name = path.replace(/\/$/, '');
  if (name === '' || name === '.') return 'tree';
  // The folder knows it. To ask for the file itself would fetch it in a partial clone, and a remote may refuse.
  const { stdout } = await git.try(['ls-tree', '-z', '--full-tree', commit, '--', name]);
  const type = /^\d+ (\w+) /.exec(stdout)?.[1] ?? (await followLinks(git, `${commit}:${name}`));
  return type === 'tree' || type === 'blob' ? type : null;
}

/** The type of an object behind links within its commit. */
async function followLinks(git: Git, object: string): Promise<string | null> {
  const input = `${object}\n`;
  const { stdout } = await git.try(['cat-file', '--batch-check', '--follow-symlinks'], { input });
  return /^[0-9a-f]+ (\w+) \d+\n$/.exec(stdout)?.[1] ?? null;
}

/** The text of a file of a commit; null: there is none. */
export async function readAt({ git }: Repository, commit: string, path: string): Promise<string | null> {
  const { code, stdout } = await git.try(['cat-file', 'blob', `${commit}:${path}`]);
  return code === 0 ? stdout : null;
}

/** The id of what stands at a path of a commit: same id, same content. */
export async function idAt({ git }: Repository, commit: string, path: string): Promise<string | null> {
  const { code, stdout } = await git.try(['rev-parse', '--verify', '--quiet', `${commit}:${path}`]);
  return code === 0 ? stdout.trim() : null;
}
