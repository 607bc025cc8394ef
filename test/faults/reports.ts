/** Faults in files that are read, and at the places where results are shown. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realHost } from '../../src/host.ts';
import { addToHistory } from '../../src/publish/add-history.ts';
import { gatherResults } from '../../src/publish/gather.ts';
import type { WorkflowJob } from '../../src/publish/job.ts';
import { type Outlets, publish } from '../../src/publish/publish.ts';
import { renderShards } from '../../src/report/shards.ts';
import type { Results } from '../../src/results/results.ts';
import { fail } from '../../src/steps/step.ts';
import { root } from '../fixtures/docs.ts';
import { fixtures, makeResults } from '../fixtures/results/make.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import type { Fault, Seen } from './fault.ts';

/** A folder of one's own, and the CLI from source in it. */
export interface Desk {
  folder: string;
}

const report = async ({ folder }: Desk, ...args: string[]): Promise<Seen> => {
  const command = [join(root, 'src/cli.ts'), 'report', ...args];
  const { code, stdout, stderr } = await realHost.exec(process.execPath, command, { cwd: folder });
  return { code, printed: stderr + stdout };
};

/** Results of a run as text, changed; `measurements` of it are appended lines. */
function writeResults(
  { folder }: Desk,
  change: (text: string) => string,
  appended?: (lines: string[]) => string,
) {
  const results = fixtures.quick?.();
  const text = JSON.stringify(results);
  mkdirSync(join(folder, 'run'), { recursive: true });
  writeFileSync(join(folder, 'run/results.json'), change(text));
  const lines = (results?.measurements ?? []).map((one) => JSON.stringify(one));
  if (appended) writeFileSync(join(folder, 'run/measurements.ndjson'), appended(lines));
}

export const resultFaults: readonly Fault<Desk>[] = [
  {
    what: 'results of a version to come',
    message: 'run/results.json: cannot read these results…found:…allowed: results of schema version 1',
    exitCode: 2,
    kept: 'the file as it is',
    async inject(desk) {
      writeResults(desk, (text) => text.replace('"schema":1', '"schema":2'));
      return report(desk, 'run');
    },
  },
  {
    what: 'results that were cut short',
    message: 'run/results.json: cannot read these results…found:…Expected',
    exitCode: 2,
    kept: 'the file as it is',
    async inject(desk) {
      writeResults(desk, (text) => text.slice(0, text.length / 2));
      return report(desk, 'run');
    },
  },
  {
    what: 'results with NaN',
    message: 'run/results.json: cannot read these results…NaN',
    exitCode: 2,
    kept: 'the file as it is',
    async inject(desk) {
      writeResults(desk, (text) => text.replace(/"achievedRps":[\d.]+/, '"achievedRps":NaN'));
      return report(desk, 'run');
    },
  },
  {
    what: 'results with null where a number belongs',
    message: 'run/results.json: cannot read these results…achievedRps',
    exitCode: 2,
    kept: 'the file as it is',
    async inject(desk) {
      writeResults(desk, (text) => text.replace(/"achievedRps":[\d.]+/, '"achievedRps":null'));
      return report(desk, 'run');
    },
  },
  {
    what: 'results in a file of rubbish',
    message: 'run/results.json: cannot read these results',
    exitCode: 2,
    kept: 'the file as it is',
    async inject(desk) {
      writeResults(desk, () => String.fromCharCode(...Array.from({ length: 4000 }, (_, i) => (i * 7) % 256)));
      const seen = await report(desk, 'run');
      // Nothing of it reaches the terminal as a command.
      expect(seen.printed).not.toMatch(/[^\P{Cc}\n]/u);
      return seen;
    },
  },
  {
    what: 'a run that was killed while it wrote its last measurement',
    message: 'apache',
    exitCode: 0,
    kept: 'every measurement before that line',
    async inject(desk) {
      writeResults(
        desk,
        (text) => JSON.stringify({ ...JSON.parse(text), measurements: [], duets: [], comparisons: [] }),
        (lines) => `${lines.join('\n')}\n${lines[0]?.slice(0, 100)}`,
      );
      const seen = await report(desk, 'run', '--format', 'json');
      expect(JSON.parse(seen.printed).measurements).toHaveLength(
        fixtures.quick?.().measurements.length ?? -1,
      );
      return seen;
    },
  },
  {
    what: 'a folder without results',
    message: 'no results found',
    exitCode: 2,
    kept: 'there was nothing',
    inject: (desk) => report(desk, '.'),
  },
];

/** GitHub's API, as a test wants it to be. Octokit reads its address once, when it is loaded. */
let answer: RequestListener = (_, response) => response.end();
let asked = 0;
const api = createServer((request, response) => {
  asked++;
  answer(request, response);
});
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
api.unref();
process.env.GITHUB_API_URL = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
const { commentsOf, pullsOf } = await import('../../src/publish/api/github.ts');
/** As in a job, but no waiting between tries. */
const MANNER = { timeoutMs: 60_000, wait: async () => {} };

/** Publishes results where GitHub's API answers so. */
async function publishTo(listener: RequestListener, manner = MANNER): Promise<Seen> {
  answer = listener;
  asked = 0;
  const printed: string[] = [];
  const summaries: string[] = [];
  const outlets: Outlets = {
    commentsOf: (pull, token) => commentsOf(pull, token, manner),
    uploadFolder: async () => null,
    writeSummary: async (text) => void summaries.push(text),
    setOutput: () => {},
    annotate: () => {},
    info: (text) => void printed.push(text),
    warn: (text) => void printed.push(text),
  };
  const job: WorkflowJob = {
    pull: { owner: 'octo', repo: 'shop', number: 7 },
    isCheck: true,
    ...{ key: 'bench', isKeyGiven: true, token: 'secret-token', artifactName: 'raw', runUrl: 'https://run' },
  };
  const stages = ['all that was measured'];
  await publish(
    { out: '/nowhere', stages, table: '', annotations: [], docs: '', stopped: null },
    job,
    outlets,
  );
  expect(asked).toBeGreaterThan(0);
  expect(summaries.join()).toContain('all that was measured');
  expect(printed.join()).not.toContain('secret-token');
  return { code: null, printed: printed.join('\n') };
}

const answers =
  (status: number, body = '{"message":"no"}', type = 'application/json'): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': type }).end(body);

export const githubFaults: readonly Fault<Desk>[] = [
  ...([401, 403, 404, 409, 422, 429, 500] as const).map(
    (status): Fault<Desk> => ({
      what: `GitHub's API answers ${status}`,
      message:
        status === 401
          ? 'No comment: GitHub does not accept the token (HTTP 401…check the input token'
          : status < 409
            ? `No comment: the token may not write one (HTTP ${status}…permissions: pull-requests: write`
            : `No comment: HTTP ${status}: …`,
      exitCode: null,
      kept: `the job summary and all files${status === 403 || status === 404 ? '' : '; the step goes on with a warning'}`,
      inject: () => publishTo(answers(status)),
    }),
  ),
  {
    what: "GitHub's API answers with a page of HTML",
    message: 'No comment: the answer is not from the GitHub API',
    exitCode: null,
    kept: 'the job summary and all files; the step goes on with a warning',
    inject: () => publishTo(answers(200, '<html><h1>Unicorn!</h1></html>', 'text/html')),
  },
  {
    what: "the connection to GitHub's API is cut",
    message: 'No comment: other side closed',
    exitCode: null,
    kept: 'the job summary and all files; the step goes on with a warning',
    inject: () => publishTo((request) => request.socket.destroy()),
  },
  {
    what: "GitHub's API does not answer",
    message: 'No comment: The operation was aborted due to timeout',
    exitCode: null,
    kept: 'the job summary and all files; the step goes on with a warning',
    inject: () => publishTo(() => {}, { ...MANNER, timeoutMs: 2000 }),
  },
  {
    what: "an artifact that is somebody else's",
    message: 'theirs: not a shard of this run',
    exitCode: null,
    kept: 'the results of all other machines',
    async inject({ folder }) {
      const theirs = makeResults({ servers: [{ id: 'apache@8.4', rps: 400 }] });
      const { results, refused } = await gather(folder, { ours: makeShard(), theirs });
      expect(results).toHaveLength(1);
      return { code: null, printed: refused.join('\n') };
    },
  },
  {
    what: 'results with hostile text',
    message: 'img src=x',
    exitCode: null,
    kept: 'everything; the text stays text',
    async inject({ folder }) {
      const hostile = makeShard();
      const label = `<img src=x>|@everyone \${{ secrets.X }} [x](https://evil.example) ::error::\u001b[31m`;
      for (const variant of hostile.variants) variant.label = label;
      const { results } = await gather(folder, { hostile });
      const printed = renderShards(results, WANTED).join('\n');
      // Nobody is notified by what is in a diagram.
      const outside = printed.replaceAll(/```mermaid.*?```/gs, '');
      expect(outside).not.toMatch(/<img|@everyone|\]\(https:\/\/evil|^::error|[^\P{Cc}\n]/mu);
      return { code: null, printed };
    },
  },
  {
    what: 'a pull request that is not there any more',
    message: 'null',
    exitCode: null,
    kept: 'nothing is written to a stranger',
    async inject() {
      answer = answers(404);
      return { code: null, printed: String(await pullsOf('octo/shop', 't', MANNER).open(7)) };
    },
  },
  {
    what: 'the branch of the history refuses a push, as by a ruleset',
    message: 'protected by a ruleset',
    exitCode: 2,
    kept: 'the results and the history as it was',
    async inject({ folder }) {
      const bare = join(folder, 'remote.git');
      execFileSync('git', ['init', '--quiet', '--bare', bare]);
      const hook = '#!/bin/sh\necho "protected by a ruleset" >&2\nexit 1\n';
      writeFileSync(join(bare, 'hooks/pre-receive'), hook, { mode: 0o755 });
      const artifact = join(folder, 'versions/8.4');
      mkdirSync(join(artifact, '1'), { recursive: true });
      writeFileSync(join(artifact, '1/results.json'), JSON.stringify(makeShard()));
      writeFileSync(join(artifact, 'shards.json'), JSON.stringify([{ index: 1, of: 1, variants: ['x'] }]));
      const printed: string[] = [];
      const write = process.stdout.write;
      process.stdout.write = ((text: string) => printed.push(text) > 0) as typeof write;
      let code: number;
      try {
        const keep = { remote: bare, settings: {}, branch: 'history' };
        const adding = { folder: join(folder, 'versions'), keep, commit: 'c0ffee', runUrl: 'https://run' };
        code = await addToHistory(adding).catch(fail);
      } finally {
        process.stdout.write = write;
      }
      expect(execFileSync('git', ['--git-dir', bare, 'branch', '--list'], { encoding: 'utf8' })).toBe('');
      return { code, printed: printed.join('') };
    },
  },
];

const WANTED = [{ index: 1, of: 1, variants: ['x'] }];

/** Downloaded artifacts, put together. */
async function gather(folder: string, artifacts: Readonly<Record<string, Results>>) {
  for (const [name, results] of Object.entries(artifacts)) {
    mkdirSync(join(folder, 'artifacts', name), { recursive: true });
    writeFileSync(join(folder, 'artifacts', name, 'results.json'), JSON.stringify(results));
  }
  return gatherResults(join(folder, 'artifacts'), WANTED);
}

function makeShard() {
  const results = makeResults({
    servers: ['apache', 'fpm'].map((name) => ({ id: `${name}@8.4`, rps: 400 })),
  });
  Object.assign(results.plan, { shard: { index: 1, of: 1 }, reference: 'apache@8.4' });
  return results;
}

export function makeDesk() {
  const whole = makeFolder();
  const [folder, temporary] = [join(whole, 'desk'), join(whole, 'tmp')];
  for (const path of [folder, temporary]) mkdirSync(path);
  return { folder, temporary, remove: () => rmSync(whole, { recursive: true }) };
}
