import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NAMESPACE } from '../integration/namespace.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Event {
  name: 'pull_request' | 'push' | 'workflow_run' | 'issue_comment';
  payload: object;
}

export interface WorkflowRun {
  /** act's own: 0 when all jobs succeeded, but also when it skipped them; see `jobs`. */
  code: number;
  /** Job → result. */
  jobs: Record<string, string>;
  /** Outputs of the step with the id `bench`. */
  outputs: Record<string, string>;
  summary: string;
  /** The output of all steps. */
  log: string;
  /** The complete output of the steps that run Node: act loses the last lines of one that fails. */
  printed: string;
  /** The same for one stage of the action: `Main`, `Post`. */
  logOf(stage: 'Main' | 'Post'): string;
}

export interface StartedRun {
  done: Promise<WorkflowRun>;
  /** Ends the action's own process, as a runner does when its job is cancelled. Resolves once it was sent. */
  signalAction(signal: NodeJS.Signals): Promise<void>;
  /** Resolves when a step has printed this. */
  printed(text: string): Promise<void>;
}

/** A repository with one workflow, and the action as users get it: what the package ships, nothing else. */
export class Sandbox {
  readonly folder: string;
  readonly repository: string;
  readonly #action: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.repository = join(folder, 'shop');
    this.#action = join(folder, 'action');
  }

  static async create(): Promise<Sandbox> {
    const sandbox = new Sandbox(await mkdtemp(join(tmpdir(), 'bench-act-')));
    const shipped = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).files as string[];
    await mkdir(sandbox.#action);
    for (const path of [...shipped, 'package.json']) {
      await cp(join(ROOT, path), join(sandbox.#action, path), { recursive: true });
    }
    await cp(join(ROOT, '.github'), join(sandbox.#action, '.github'), { recursive: true });
    await adaptWorkflows(join(sandbox.#action, '.github/workflows'));
    await mkdir(join(sandbox.repository, '.github/workflows'), { recursive: true });
    return sandbox;
  }

  async remove() {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Runs the workflow under act on this machine itself. */
  async start(
    workflow: string,
    event: Event,
    options: { token: string; env: Record<string, string>; secrets?: Record<string, string> },
  ) {
    await writeFile(join(this.repository, '.github/workflows/bench.yml'), workflow);
    await this.commit();
    const eventFile = join(this.folder, 'event.json');
    await writeFile(eventFile, JSON.stringify(event.payload));
    const printed = join(this.folder, 'printed.log');
    await writeFile(printed, '');
    return start(
      [
        event.name,
        '--json',
        ...['--eventpath', eventFile],
        ...['--platform', 'ubuntu-latest=-self-hosted'],
        ...Object.entries({ GITHUB_TOKEN: options.token, ...options.secrets }).flatMap(([name, value]) => [
          '--secret',
          `${name}=${value}`,
        ]),
        ...['--local-repository', `octo/php-runtime-bench@v1=${this.#action}`],
        ...STANDINS.flatMap((name) => [
          '--local-repository',
          `${name}@standin=${join(ROOT, 'test/standins/actions', basename(name))}`,
        ]),
        ...['--no-cache-server', '--env', `TOOLKIT=${join(ROOT, 'node_modules')}`],
        ...['--env', `PHP_RUNTIME_BENCH_NAMESPACE=${NAMESPACE}`, '--env', `BENCH_PRINTED=${printed}`],
        ...['--env', `NODE_OPTIONS=--import=${join(import.meta.dirname, 'tee.mjs')}`],
        ...Object.entries(options.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ],
      this.repository,
      // Where act keeps the workspace.
      join(this.folder, 'cache'),
      printed,
    );
  }

  /** Commits all there is. Gives the commit. */
  async commit(): Promise<string> {
    const git = [
      '-c',
      'user.name=octo',
      '-c',
      'user.email=octo@example.com',
      '-c',
      'init.defaultBranch=main',
    ];
    for (const args of [
      ['init', '--quiet'],
      ['add', '.'],
      ['commit', '--quiet', '--allow-empty', '--message', 'Bench'],
    ]) {
      const child = spawn('git', [...git, ...args], { cwd: this.repository, stdio: 'inherit' });
      await new Promise((resolve) => child.on('close', resolve));
    }
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: this.repository, encoding: 'utf8' }).trim();
  }
}

const STANDINS = [
  ...['actions/upload-artifact', 'actions/download-artifact', 'actions/github-script'],
  'docker/setup-buildx-action',
];

/**
 * Adapts workflows to the limits of act. It does not know `$/`, this repository at the commit that runs. It takes a
 * checkout with a `ref` for one of another repository. Actions of others that handle artifacts need GitHub.
 */
async function adaptWorkflows(folder: string) {
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    const adapted = text
      .replaceAll(/uses: \$\/(\S+)/g, 'uses: octo/php-runtime-bench/$1@v1')
      .replaceAll(/^ +ref: \$\{\{ inputs\.ref \}\}\n/gm, '')
      .replaceAll(new RegExp(`(${STANDINS.join('|')})@\\S+`, 'g'), '$1@standin');
    await writeFile(join(folder, name), adapted);
  }
}

function start(args: string[], cwd: string, cache: string, printed: string): StartedRun {
  const bin = join(
    process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache'),
    'php-runtime-bench/bin',
  );
  const child = spawn('act', args, {
    cwd,
    // act takes the first node on PATH: the one that runs this test.
    env: {
      ...process.env,
      PATH: [join(process.execPath, '..'), process.env.PATH, bin].join(':'),
      XDG_CACHE_HOME: cache,
      // The developer's own Docker settings stay in force although act moves its cache.
      DOCKER_CONFIG: process.env.DOCKER_CONFIG ?? join(process.env.HOME ?? '', '.docker'),
    },
  });
  const lines: string[] = [];
  let rest = '';
  const waiting: { text: string; resolve: () => void }[] = [];
  const take = (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const { text, resolve } of waiting) if (parts.some((part) => part.includes(text))) resolve();
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const done = new Promise<WorkflowRun>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ ...read(lines, code ?? 1), printed: readFileSync(printed, 'utf8') }),
    );
  });
  return {
    done,
    printed: (text) =>
      new Promise((resolve, reject) => {
        if (lines.some((line) => line.includes(text))) return resolve();
        waiting.push({ text, resolve });
        done.then((run) => reject(new Error(`never printed '${text}':\n${run.log}`)));
      }),
    async signalAction(signal) {
      const pid = await findProcess(child.pid as number, '/dist/action.mjs');
      process.kill(pid, signal);
    },
  };
}

/** A line of `act --json`. */
interface Line {
  msg: string;
  stage?: string;
  stepID?: string[];
  job?: string;
  jobResult?: string;
  command?: string;
  name?: string;
  arg?: string;
  content?: string;
}

function read(texts: string[], code: number): Omit<WorkflowRun, 'printed'> {
  const lines = texts.filter(Boolean).map((text): Line => {
    try {
      return JSON.parse(text);
    } catch {
      return { msg: `${text}\n` };
    }
  });
  const print = (some: Line[]) => some.map(({ msg }) => (msg.endsWith('\n') ? msg : `${msg}\n`)).join('');
  const ours = lines.filter(({ stepID }) => stepID?.[0] === 'bench');
  const jobs = lines.filter(({ jobResult }) => jobResult);
  return {
    code,
    jobs: Object.fromEntries(
      jobs.map(({ job, jobResult }) => [job?.split('/').at(-1) ?? '', jobResult ?? '']),
    ),
    outputs: Object.fromEntries(
      ours.filter(({ command }) => command === 'set-output').map(({ name, arg }) => [name ?? '', arg ?? '']),
    ),
    summary: lines
      .filter(({ command }) => command === 'summary')
      .map(({ content }) => content)
      .join(''),
    log: print(lines),
    logOf: (stage) => print(ours.filter((line) => line.stage === stage)),
  };
}

/** The descendant of a process whose command line contains this. */
async function findProcess(root: number, text: string): Promise<number> {
  const pids = [root];
  // A process of several threads has a list of children for each of them.
  for (const pid of pids) {
    for (const task of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      const children = await readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '');
      pids.push(...children.split(' ').filter(Boolean).map(Number));
    }
    if ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(text)) return pid;
  }
  throw new Error(`no process of ${text}`);
}
