import { fileURLToPath } from 'node:url';
import { context } from '@actions/github';
import { runBench } from './bench.ts';
import { parseConfig } from './config/parse.ts';
import { realHost } from './host.ts';
import { readInputs, readJob, readPullEnds } from './publish/job.ts';
import { realOutlets } from './publish/outlets.ts';
import { describe, publish } from './publish/publish.ts';
import { conclude, fail, makeCaller, salvage, withoutCommands } from './publish/step.ts';
import type { Results } from './results.ts';

process.exitCode = await main().catch(fail);

async function main(): Promise<number> {
  const packageRoot = fileURLToPath(new URL('..', import.meta.url));
  const job = readJob(process.env, context.payload);
  const { inputs, cwd } = readInputs(process.env);
  const config = parseConfig({ flags: [], inputs, cwd, packageRoot });
  const caller = { ...(await makeCaller(packageRoot, inputs)), pull: readPullEnds(context.payload) };
  const began = Date.now();
  let results: Results | null = null;
  try {
    const bench = await withoutCommands(() => runBench(config, realHost, caller));
    results = bench.results;
    return conclude(bench.exitCode);
  } finally {
    results ??= await salvage(config.out, began);
    if (results) await publish(describe(config.out, results), job, realOutlets);
  }
}
