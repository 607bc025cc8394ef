import { fileURLToPath } from 'node:url';
import * as core from '@actions/core';
import { checkSize, planShards, warnOfSharedEngine } from '../plan/shard-plan.ts';
import { checkTime } from '../plan/time.ts';
import { timesColdStarts } from '../plan/timeline/pass-seconds.ts';
import { planVariants } from '../plan/variants.ts';
import { readWorkflow } from '../publish/job.ts';
import { fail, readConfig } from './step.ts';

// First job of the reusable workflow: lists the shards. Measures nothing.
process.exitCode = await main().catch(fail);

async function main(): Promise<number> {
  const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
  const { inputs, cwd, shards, minutes } = readWorkflow(process.env);
  const config = readConfig({ inputs, cwd }, packageRoot);
  const variants = planVariants(config);
  const planned = planShards(variants, config, shards);
  checkSize(variants, config, planned);
  checkTime(variants, config, planned, minutes);
  const warning = warnOfSharedEngine(config, planned);
  if (warning !== null) core.warning(warning, { title: 'Shards wait for each other' });
  for (const { index, of, variants } of planned) core.info(`${index}/${of}: ${variants.join(', ')}`);
  core.setOutput('shards', JSON.stringify(planned));
  core.setOutput('cold-start', timesColdStarts(config));
  return 0;
}
