import { expect, test } from 'vitest';
import type { Job } from './job.ts';
import { type Outlets, type Publication, publish } from './publish.ts';

const job: Job = {
  pull: { owner: 'octo', repo: 'shop', number: 7 },
  key: 'k',
  token: 't',
  artifactName: 'raw',
  runUrl: 'https://github.com/octo/shop/actions/runs/42',
};
const publication: Publication = { out: '/out', stages: ['# Report'], table: '| a |', stopped: null };

function record(broken: Partial<Outlets> = {}) {
  const seen = { outputs: {} as Record<string, string>, summary: '', comment: '', log: [] as string[] };
  const outlets: Outlets = {
    commentsOf: () => ({
      whoAmI: async () => 'us',
      async *list() {},
      async create(body) {
        seen.comment = body;
        return 'https://github.com/comment';
      },
      update: async () => 'unused',
    }),
    uploadFolder: async () => ({ id: 5, name: 'raw' }),
    writeSummary: async (markdown) => {
      seen.summary = markdown;
    },
    setOutput: (name, value) => {
      seen.outputs[name] = value;
    },
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
  expect(seen.summary).toMatch(/^# Report\n\n\[Raw data\]\(.*artifacts\/5\) of \[this run\]/);
  expect(seen.comment).toContain(seen.summary);
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
  expect(seen.comment).toContain('From [this run]');
});

test('too long for a comment: the shorter rendering there, the full one in the summary', async () => {
  const { seen, outlets } = record();
  await publish({ ...publication, stages: ['x'.repeat(70_000), 'short'] }, job, outlets);
  expect(seen.comment).toContain('short');
  expect(seen.summary.length).toBeGreaterThan(70_000);
});
