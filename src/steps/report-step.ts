import * as core from '@actions/core';
import { context } from '@actions/github';
import { gatherResults, WantedShards } from '../publish/gather.ts';
import { readJob } from '../publish/job.ts';
import { summarise, writeGathered } from '../publish/publish-shards.ts';
import { fail } from './step.ts';

// Third job of the reusable workflow: puts together what the shards have measured, in one folder and one summary.
process.exitCode = await main().catch(fail);

async function main(): Promise<number> {
  const wanted = WantedShards.parse(JSON.parse(core.getInput('shards', { required: true })));
  const gathered = await gatherResults(core.getInput('folder', { required: true }), wanted);
  for (const text of gathered.refused) core.warning(text, { title: 'Results that cannot be used' });
  await writeGathered(core.getInput('out', { required: true }), gathered.results, wanted);
  await summarise(gathered.results, wanted, readJob(process.env, context.payload).runUrl);
  const missing = wanted.length - gathered.results.length;
  if (missing > 0) {
    const where =
      gathered.refused.length > 0
        ? 'the warnings above, and the logs of their jobs'
        : 'the logs of their jobs';
    core.error(`${missing} of ${wanted.length} machines gave no results that can be used; see ${where}`);
  }
  return missing > 0 ? 3 : 0;
}
