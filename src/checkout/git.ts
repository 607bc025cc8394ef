import { relative, sep } from 'node:path';
import { escapeText } from '../config/text.ts';
import { UserError } from '../errors.ts';
import type { ExecOptions, Finished, Host } from '../host.ts';

/** The command by which git trusts a repository of another user, as git itself prints it. */
const TRUST = /^\t(git config --global --add safe\.directory .+)$/m;

/** A git command that failed: with the repository, or with what reaches its remote, something is wrong. */
export class GitError extends UserError {
  override name = 'GitError';
  /** As of an error of the system, for which git has only words. */
  readonly code: 'ENOSPC' | 'EDQUOT' | undefined;

  constructor(args: readonly string[], { code, stderr }: Finished) {
    const trust = TRUST.exec(stderr)?.[1];
    super(lastWords(stderr) || `git ${args[0]} ended with exit code ${code}`, trust ? { hint: trust } : {});
    this.code = /^(?!remote:).*no space left on device/im.test(stderr)
      ? 'ENOSPC'
      : /^(?!remote:).*disk quota exceeded/im.test(stderr)
        ? 'EDQUOT'
        : undefined;
  }
}

/** git in one folder, as a few verbs. Arguments are lists, never a shell's. */
export interface Git {
  /** Standard output, without the line break at its end, of a command that has to succeed. */
  run(args: readonly string[], options?: ExecOptions): Promise<string>;
  /** The same, but a failure is an answer too. */
  try(args: readonly string[], options?: ExecOptions): Promise<Finished>;
}

/**
 * Variables that git itself clears when it enters another repository (`git rev-parse --local-env-vars`), except for
 * settings. Within a hook they are set, for another repository or another index.
 */
const MISLEADING = [
  ...['GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_COMMON_DIR', 'GIT_DIR', 'GIT_GRAFT_FILE', 'GIT_INDEX_FILE'],
  ...['GIT_IMPLICIT_WORK_TREE', 'GIT_INTERNAL_SUPER_PREFIX', 'GIT_NAMESPACE', 'GIT_NO_REPLACE_OBJECTS'],
  ...['GIT_OBJECT_DIRECTORY', 'GIT_PREFIX', 'GIT_REPLACE_REF_BASE', 'GIT_SHALLOW_FILE', 'GIT_WORK_TREE'],
];

const ENV = {
  ...Object.fromEntries(MISLEADING.map((name) => [name, undefined])),
  // Nobody is there to answer.
  GIT_TERMINAL_PROMPT: '0',
  // `status` writes no refreshed index.
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/** No program that the repository's settings name runs on our account, nothing is tidied up, no network hangs for ever. */
const SETTINGS = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'fetch.writeCommitGraph': 'false',
  'submodule.recurse': 'false',
  'http.lowSpeedLimit': '1000',
  'http.lowSpeedTime': '30',
};

/**
 * In a job with a container the workspace belongs to the runner's user, and git refuses it to root. `actions/checkout` makes
 * git trust it for its own step alone.
 */
function trustWorkspace(folder: string): Record<string, string> {
  const workspace = process.env.GITHUB_WORKSPACE;
  const isInside = workspace && relative(workspace, folder).split(sep)[0] !== '..';
  return isInside ? { 'safe.directory': '*' } : {};
}

export function connectGit(host: Host, folder: string): Git {
  const all = Object.entries({ ...SETTINGS, ...trustWorkspace(folder) });
  const settings = all.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const tryRun = (args: readonly string[], options: ExecOptions = {}) =>
    host.exec('git', ['-C', folder, '--literal-pathspecs', ...settings, ...args], {
      ...options,
      env: { ...ENV, ...options.env },
    });
  return {
    try: tryRun,
    async run(args, options) {
      const finished = await tryRun(args, options);
      if (finished.code !== 0) throw new GitError(args, finished);
      return finished.stdout.replace(/\n$/, '');
    },
  };
}

/** Settings as environment variables, over those that are there: unlike `-c` they may hold any name. */
export function settingsEnv(settings: Readonly<Record<string, string>>): Record<string, string> {
  const before = Number(process.env.GIT_CONFIG_COUNT ?? 0) || 0;
  const entries = Object.entries(settings);
  return {
    GIT_CONFIG_COUNT: String(before + entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${before + i}`, key],
        [`GIT_CONFIG_VALUE_${before + i}`, value],
      ]),
    ),
  };
}

/** The last line with content, without git's `fatal: `. A remote may affect it. */
export function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim());
  const line = lines.findLast((text) => /^(fatal|error): /.test(text)) ?? lines.at(-1) ?? '';
  return escapeText(line.replace(/^(fatal|error): /, '').slice(0, 300));
}
