import { EOL } from 'node:os';
import { expect, test, vi } from 'vitest';
import { fixtures, makeResults } from '../../test/fixtures/results/make.ts';
import { analyse } from '../analyse/analyse.ts';
import type { Results } from '../results/results.ts';
import { readJob, type WorkflowJob } from './job.ts';
import { realOutlets } from './outlets.ts';
import { describePublication, type Outlets, type Publication, placeOf, publish } from './publish.ts';
import { commentOnOrigin } from './publish-shards.ts';

const gated = {
  servers: [
    { id: 'a', rps: 90 },
    { id: 'b', rps: 50 },
  ],
  compareTo: { reason: 'it is gone' },
  gates: [{ source: 'slower > 3%', metric: null, above: 0.03, scenario: null, variant: null }],
  change: ({ warnings }: Results) => {
    const message = 'nothing to compare with: it is gone';
    warnings.push({ code: 'no-base', message, remedy: 'fetch it', variant: null });
  },
};

const job: WorkflowJob = {
  pull: { owner: 'octo', repo: 'shop', number: 7 },
  isCheck: true,
  key: 'k',
  isKeyGiven: true,
  token: 't',
  artifactName: 'raw',
  runUrl: 'https://github.com/octo/shop/actions/runs/42',
};
const publication: Publication = {
  out: '/out',
  stages: ['# Report'],
  table: '| a |',
  annotations: [],
  docs: 'https://docs.example/reading',
  stopped: null,
};

function record(broken: Partial<Outlets> = {}) {
  const seen = { outputs: {} as Record<string, string>, summary: '', comment: '', log: [] as string[] };
  const outlets: Outlets = {
    commentsOf: () => ({
      whoAmI: async () => 'us',
      async *list() {},
      async create(body) {
        seen.comment = body;
        return { id: 1, url: 'https://github.com/comment' };
      },
      update: async () => 'unused',
      remove: async () => {},
    }),
    uploadFolder: async () => ({ id: 5, name: 'raw' }),
    writeSummary: async (markdown) => {
      seen.summary = markdown;
    },
    setOutput: (name, value) => {
      seen.outputs[name] = value;
    },
    annotate: ({ level, title, text }) => seen.log.push(`${level} ${title}: ${text}`),
    info: (text) => seen.log.push(`info ${text}`),
    warn: (text) => seen.log.push(`warn ${text}`),
    ...broken,
  };
  return { seen, outlets };
}

test('publishes everywhere', async () => {
  const { seen, outlets } = record();
  await publish(publication, job, outlets);
  expect(seen.outputs).toEqual({
    'artifact-url': 'https://github.com/octo/shop/actions/runs/42/artifacts/5',
    results: '/out/results.json',
    report: '/out/report.md',
    table: '| a |',
    'comment-url': 'https://github.com/comment',
  });
  expect(seen.summary).toBe(
    '# Report\n\n<sub>[Full run](https://github.com/octo/shop/actions/runs/42) · [Full report and raw data](https://github.com/octo/shop/actions/runs/42/artifacts/5) · [How to read this](https://docs.example/reading)</sub>\n',
  );
  expect(seen.comment).toContain(seen.summary);
});

test.each([
  ['https://github.com/octo/shop/actions/runs/42', 'https://github.com/octo/shop'],
  ['https://ghe.example:8443/o/r.x/actions/runs/1', 'https://ghe.example:8443/o/r.x'],
  ['https://github.com/octo/shop)(evil/actions/runs/1', null],
  ['undefined/undefined/actions/runs/undefined', null],
])('commits are linked in the repository of %s, if that is known', (runUrl, repositoryUrl) => {
  const place = { isPull: false, isCheck: false, repositoryUrl };
  expect(placeOf({ pull: null, isCheck: false, runUrl })).toEqual(place);
});

test('annotates, whatever else is published', async () => {
  const annotations = [{ level: 'error', title: 'Limit slower > 3% exceeded', text: 'apache' }] as const;
  const { seen, outlets } = record();
  await publish({ ...publication, annotations }, { ...job, key: null }, outlets);
  expect(seen.log).toEqual(['error Limit slower > 3% exceeded: apache']);
});

test('the runner reads no command in an annotation', () => {
  const written: string[] = [];
  const write = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => written.push(String(text)) > 0);
  const text = '100 % \n::set-output name=x::y';
  try {
    realOutlets.annotate({ level: 'error', title: 'a,b::c\n::debug::', text });
  } finally {
    write.mockRestore();
  }
  expect(written.join('')).toBe(
    `::error title=a%2Cb%3A%3Ac%0A%3A%3Adebug%3A%3A::100 %25 %0A::set-output name=x::y${EOL}`,
  );
});

test('what is published of results says the verdict everywhere', () => {
  const { stages, annotations, table } = describePublication('/out', analyse(makeResults(gated)), job);
  for (const stage of stages)
    expect(stage).toMatch(/^### ❔ Not compared with the base\n\nReason: it is gone\.\n/);
  expect(table).toMatch(/^\| # \|/);
  expect(annotations.map(({ level, title }) => [level, title])).toEqual([
    ['warning', 'Limit slower > 3% could not be judged'],
    ['warning', 'Not compared with the base'],
  ]);
});

const BLOCKS = '**This check fails, and blocks merging if it is required:**';
const EXIT_CODE = '**This check fails (exit code 1):**';
const slower = fixtures.base?.() as Results;
const asked = { issue: { number: 7, pull_request: {} } };
const jobOf = (event: string, payload: object) =>
  readJob({ GITHUB_REPOSITORY: 'octo/shop', GITHUB_EVENT_NAME: event, INPUT_TOKEN: 't' }, payload);

test.each([
  ['pull_request', { pull_request: { number: 7 } }, BLOCKS],
  ['pull_request_target', { pull_request: { number: 7 } }, BLOCKS],
  ['issue_comment', asked, EXIT_CODE],
  ['push', {}, EXIT_CODE],
])('what a failed check of the event %s does', (event, payload, words) => {
  const { stages } = describePublication('/out', analyse(slower), jobOf(event, payload));
  for (const stage of stages) expect(stage).toContain(words);
});

test.each([
  ['a pull request that was asked for', 'issue_comment', asked, null, EXIT_CODE],
  ['an adopted workflow run', 'workflow_run', {}, { run: 41, workflow: 'CI' }, BLOCKS],
])('what a failed check does in the comment of shards: %s', async (_, event, payload, measured, words) => {
  const { seen, outlets } = record();
  const origin = { pull: { owner: 'octo', repo: 'shop', number: 7 }, why: '', measured };
  const wanted = [{ index: 1, of: 1, variants: ['apache', 'nginx-fpm'] }];
  await commentOnOrigin({ job: jobOf(event, payload), origin, results: [slower], wanted }, outlets);
  expect(seen.comment).toContain(words);
});

test.each([
  ['the key of its call', 'php-8.4', '<!-- php-runtime-bench:php-8.4 -->'],
  ['the default key', 'true', '<!-- php-runtime-bench:workflow%2FCI%2Fraw -->'],
  ['no comment', 'false', ''],
])('an adopted workflow run gets %s', async (_, comment, marker) => {
  const { seen, outlets } = record();
  const env = { GITHUB_REPOSITORY: 'octo/shop', GITHUB_EVENT_NAME: 'workflow_run', INPUT_TOKEN: 't' };
  const own = readJob({ ...env, 'INPUT_ARTIFACT-NAME': 'raw', INPUT_COMMENT: comment }, {});
  const pull = { owner: 'octo', repo: 'shop', number: 7 };
  const origin = { pull, why: '', measured: { run: 41, workflow: 'CI' } };
  const wanted = [{ index: 1, of: 1, variants: ['apache', 'nginx-fpm'] }];
  await commentOnOrigin({ job: own, origin, results: [slower], wanted }, outlets);
  expect(seen.comment.split('\n', 1)[0]).toBe(marker);
});

test.each([
  ['an outdated one', false, 'info'],
  ['a failure of GitHub', true, 'warn'],
])('the reason for no comment of shards: %s', async (_, isFailure, level) => {
  const { seen, outlets } = record();
  const origin = { measured: null, pull: null, why: 'because', isFailure };
  const wanted = [{ index: 1, of: 1, variants: ['apache'] }];
  const what = { job: jobOf('pull_request', {}), origin, results: [slower], wanted };
  expect(await commentOnOrigin(what, outlets)).toBe(0);
  expect(seen).toMatchObject({ comment: '', log: [`${level} No comment: because.`] });
});

test('a machine that was stopped is named in the comment of shards', async () => {
  const { seen, outlets } = record();
  const origin = { pull: { owner: 'octo', repo: 'shop', number: 7 }, why: '', measured: null };
  const wanted = [
    { index: 1, of: 2, variants: ['apache'] },
    { index: 2, of: 2, variants: ['nginx-fpm'] },
  ];
  const results = wanted.map((shard) => {
    const one = structuredClone(slower);
    one.plan.shard = { index: shard.index, of: shard.of };
    if (shard.index === 2) one.run.stopped = 'SIGTERM';
    return one;
  });
  await commentOnOrigin({ job: jobOf('pull_request', asked), origin, results, wanted }, outlets);
  expect(seen.comment).toContain('The run was stopped: SIGTERM');
  expect(seen.outputs['comment-url']).not.toBe('');
});

test.each([
  ['no pull request', { pull: null }, 'info No comment: this event has no pull request.'],
  ['no token', { token: '' }, 'info No comment: the input token is empty.'],
])('%s: no comment, one line in the log', async (_, change, line) => {
  const { seen, outlets } = record();
  await publish(publication, { ...job, ...change }, outlets);
  expect(seen.log).toEqual([line]);
  expect(seen.outputs['comment-url']).toBe('');
});

test('results of an older commit leave the comment as it is', async () => {
  const { seen, outlets } = record({ whyOutdated: async () => 'the pull request has newer commits' });
  await publish(publication, job, outlets);
  expect(seen).toMatchObject({
    comment: '',
    log: ['info No comment: the pull request has newer commits.'],
    outputs: { 'artifact-url': expect.any(String), 'comment-url': '' },
  });
});

test('comment: false says nothing', async () => {
  const { seen, outlets } = record();
  await publish(publication, { ...job, key: null }, outlets);
  expect(seen).toMatchObject({ comment: '', log: [] });
});

test('a stopped run shows what it has in the summary, and leaves the comment as it was', async () => {
  const { seen, outlets } = record();
  await publish({ ...publication, stopped: 'SIGINT' }, job, outlets);
  expect(seen.comment).toBe('');
  expect(seen.summary).toContain('# Report');
  expect(seen.log).toEqual(['info No comment: the run was stopped by SIGINT.']);
});

test('one broken outlet does not close the others', async () => {
  const fail = async () => {
    throw new Error('down');
  };
  const { seen, outlets } = record({ uploadFolder: fail, writeSummary: fail });
  await publish(publication, job, outlets);
  expect(seen.log).toEqual([
    'warn The raw data could not be uploaded as an artifact: down',
    'warn No job summary: down',
    'info Comment created: https://github.com/comment',
  ]);
  expect(seen.outputs).toMatchObject({ 'artifact-url': '', table: '| a |' });
  expect(seen.comment).toContain(
    '<sub>[Full run](https://github.com/octo/shop/actions/runs/42) · [How to read',
  );
});

test('too long for a comment: the shorter rendering there, the full one in the summary', async () => {
  const { seen, outlets } = record();
  await publish({ ...publication, stages: ['x'.repeat(70_000), 'short'] }, job, outlets);
  expect(seen.comment).toContain('short');
  expect(seen.summary.length).toBeGreaterThan(70_000);
});
