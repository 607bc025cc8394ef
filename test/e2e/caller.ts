/** A repository whose workflow calls one of this repository, with stand-ins for GitHub and for what keeps artifacts. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Event, Sandbox, type WorkflowRun } from './act.ts';
import { Artifacts } from './artifacts.ts';
import { GitHub } from './github.ts';

export const SHA = 'c'.repeat(40);

export const PULL_REQUEST = {
  name: 'pull_request',
  payload: {
    action: 'opened',
    number: 7,
    pull_request: {
      number: 7,
      head: { ref: '"><img src=x>|`$(touch owned)`', sha: SHA, repo: { full_name: 'octo/shop' } },
      base: { ref: 'main' },
    },
  },
} as const satisfies Event;

export class Caller {
  readonly sandbox: Sandbox;
  readonly github: GitHub;
  readonly artifacts: Artifacts;
  /** Fresh after each `reset`; artifacts lie in its folder `artifacts`. */
  folder = '';

  private constructor(sandbox: Sandbox, github: GitHub, artifacts: Artifacts) {
    this.sandbox = sandbox;
    this.github = github;
    this.artifacts = artifacts;
  }

  static async create(): Promise<Caller> {
    return new Caller(await Sandbox.create(), await GitHub.start(), await Artifacts.start());
  }

  async remove(): Promise<void> {
    await this.github.close();
    await this.artifacts.close();
    await this.sandbox.remove();
    await this.removeFolder();
  }

  async reset(): Promise<void> {
    this.github.reset();
    this.artifacts.reset();
    await this.removeFolder();
    this.folder = await mkdtemp(join(tmpdir(), 'workflow-'));
    this.artifacts.folder = join(this.folder, 'artifacts');
    await mkdir(this.artifacts.folder);
  }

  private async removeFolder(): Promise<void> {
    if (this.folder !== '') await rm(this.folder, { recursive: true });
    this.folder = '';
  }

  /** Requests to the stand-ins that GitHub would not have accepted. */
  get violations(): string[] {
    return [...this.github.violations, ...this.artifacts.violations];
  }

  /** Writes files into the repository; a run commits them. */
  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.sandbox.repository, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }

  /**
   * Runs a workflow that calls one of this repository.
   *
   * @param auth credentials of Composer, which the workflow hands on as a secret
   */
  async call(
    uses: string,
    event: Event,
    inputs: Record<string, string> = {},
    env: Record<string, string> = {},
    auth?: string,
  ): Promise<WorkflowRun> {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
    const secrets = auth === undefined ? {} : { secrets: { COMPOSER_AUTH: '${{ secrets.COMPOSER_AUTH }}' } };
    const workflow = {
      name: 'Ours',
      on: ['pull_request', 'push', 'workflow_run', 'issue_comment'],
      jobs: {
        call: { uses: `octo/php-runtime-bench/.github/workflows/${uses}@v1`, with: inputs, ...secrets },
      },
    };
    const { github, artifacts } = this;
    const started = await this.sandbox.start(JSON.stringify(workflow), event, {
      token: 'write-token',
      ...(auth !== undefined && { secrets: { COMPOSER_AUTH: auth } }),
      env: {
        GITHUB_REPOSITORY: github.repository,
        GITHUB_API_URL: github.url,
        ACTIONS_RESULTS_URL: artifacts.url,
        ACTIONS_RUNTIME_TOKEN: artifacts.token,
        ARTIFACTS: artifacts.folder ?? '',
        ONCE: join(this.folder, 'once'),
        ...env,
      },
    });
    return started.done;
  }
}
