import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectRow } from '../../test/faults/elsewhere.ts';
import { root } from '../../test/fixtures/docs.ts';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { fixtures } from '../../test/fixtures/results/make.ts';
import { realHost } from '../host.ts';
import type { WorkflowJob } from '../publish/job.ts';
import type { Outlets } from '../publish/publish.ts';
import type { Results } from '../results/results.ts';
import { publishLeft } from './salvage.ts';

let out: string;
useFolder(() => {
  out = join(folder, 'out');
});

const job: WorkflowJob = {
  pull: { owner: 'octo', repo: 'shop', number: 7 },
  ...{ isCheck: true, key: 'k', isKeyGiven: true, token: 't', artifactName: 'raw' },
  runUrl: 'https://github.com/octo/shop/actions/runs/42',
};

/** What a run leaves on the disk: its results as of the beginning, and the measurements that came since. */
function leave(stopped: string | null = 'an error or SIGKILL'): Results {
  const made = fixtures['one-start']?.() as Results;
  const results = { ...made, run: { ...made.run, stopped } };
  const atFirst = stopped === null ? results : { ...results, measurements: [], duets: [], comparisons: [] };
  mkdirSync(out);
  writeFileSync(join(out, 'results.json'), JSON.stringify(atFirst));
  const lines = results.measurements.map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(out, 'measurements.ndjson'), `${lines.join('')}{"variant":"apa`);
  return results;
}

const read = (name: string) => readFileSync(join(out, name), 'utf8');

function record() {
  const seen = { uploaded: [] as string[], summary: '', comments: 0, log: [] as string[] };
  const outlets: Outlets = {
    commentsOf: () => ({
      whoAmI: async () => 'us',
      async *list() {},
      create: async () => ({ id: ++seen.comments, url: 'https://github.com/comment' }),
      update: async () => 'unused',
      remove: async () => {},
    }),
    uploadFolder: async (from, name) => {
      seen.uploaded.push(`${from} as ${name}: ${readdirSync(from).sort().join()}`);
      return { id: 5, name };
    },
    writeSummary: async (markdown) => {
      seen.summary = markdown;
    },
    setOutput: () => {},
    annotate: () => {},
    info: (text) => seen.log.push(text),
    warn: (text) => seen.log.push(`warn ${text}`),
  };
  return { seen, outlets };
}

test('what a killed run has measured is written, uploaded and shown, but is no comment', async () => {
  const { run, measurements } = leave();
  const { seen, outlets } = record();
  await publishLeft(run.id, { out, job }, outlets);
  const written: Results = JSON.parse(read('results.json'));
  expect(written.measurements).toHaveLength(measurements.length);
  expect(written.comparisons.length).toBeGreaterThan(0);
  expect(seen.uploaded).toEqual([`${out} as raw: measurements.ndjson,report.html,report.md,results.json`]);
  expect(seen.summary).toContain('an error or SIGKILL');
  expect(seen.comments).toBe(0);
  expectRow('killed-step', { code: null, printed: seen.log.join('\n') });
});

test('a run that was complete when it was killed has its comment, too', async () => {
  const { run } = leave(null);
  const { seen, outlets } = record();
  await publishLeft(run.id, { out, job }, outlets);
  expect(seen.uploaded).toHaveLength(1);
  expect(seen.comments).toBe(1);
});

test('results of another run, or none, are left alone', async () => {
  const { seen, outlets } = record();
  await publishLeft('20261127-000000-0000', { out, job }, outlets);
  leave();
  const before = read('results.json');
  await publishLeft('20261127-000000-0000', { out, job }, outlets);
  expect(seen).toEqual(record().seen);
  expect(read('results.json')).toBe(before);
});

test('a report that cannot be written does not keep the rest from being published', async () => {
  const { run } = leave();
  mkdirSync(join(out, 'report.md.new'));
  const { seen, outlets } = record();
  await publishLeft(run.id, { out, job }, outlets);
  expect(seen.log[1]).toMatch(/^warn The reports could not be written: .*EISDIR/);
  expect(seen.uploaded).toHaveLength(1);
});

/** Runs the post step as a runner without Docker and without GitHub would. */
async function post(state: Record<string, string>) {
  const summary = join(folder, 'summary.md');
  writeFileSync(summary, '');
  const env = {
    PATH: folder,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: '',
    ACTIONS_RUNTIME_TOKEN: '',
    ...state,
  };
  const { code, stdout } = await realHost.exec(process.execPath, [join(root, 'src/post.ts')], { env });
  return { code, stdout, summary: readFileSync(summary, 'utf8') };
}

test('the post step publishes, although there is neither an engine nor a service for artifacts', async () => {
  const { run } = leave();
  const STATE_unpublished = JSON.stringify({ out, job: { ...job, token: '' } });
  const { code, stdout, summary } = await post({ STATE_run: run.id, STATE_unpublished });
  expect(stdout).toContain('::warning::Docker does not answer');
  expect(stdout).toContain('::warning::The raw data could not be uploaded');
  expect(summary).toContain('an error or SIGKILL');
  expect(code).toBe(0);
});

test('the post step: what it cannot do is a warning', async () => {
  const { code, stdout } = await post({ STATE_run: 'x', STATE_unpublished: '{' });
  expect(code).toBe(0);
  expect(stdout).toContain('::warning::The results so far could not be published: ');
});
