import * as core from '@actions/core';
import { context } from '@actions/github';
import { pullsOf } from '../publish/api/github.ts';
import { gatherResults, readWanted } from '../publish/gather.ts';
import { readJob } from '../publish/job.ts';
import { lookUpOrigin } from '../publish/origin.ts';
import { realOutlets } from '../publish/outlets.ts';
import { commentOnOrigin } from '../publish/publish-shards.ts';
import { fail } from './step.ts';

// Last job of the reusable workflow, and all of bench-comment.yml: the only one with a token that may write. It renders
// the comment from numbers alone, and trusts nothing of what it finds.
process.exitCode = await main().catch(fail);

async function main(): Promise<number> {
  const job = readJob(process.env, context.payload);
  const repository = process.env.GITHUB_REPOSITORY ?? '';
  const pulls = pullsOf(repository, job.token);
  const asked = { pull: core.getInput('pull-request'), commit: core.getInput('commit') };
  const origin = await lookUpOrigin(context.payload, asked, repository, pulls);
  const folder = core.getInput('folder', { required: true });
  const wanted = await readWanted(`${folder}/shards.json`);
  const { results, refused } = await gatherResults(folder, wanted);
  for (const text of refused) core.warning(text, { title: 'Results that cannot be used' });
  return commentOnOrigin({ job, origin, results, wanted }, realOutlets);
}
