import { fileURLToPath } from 'node:url';
import * as core from '@actions/core';
import { context } from '@actions/github';
import type { Summary } from './analyse/summary.ts';
import { runBench } from './bench.ts';
import { realHost } from './host.ts';
import { installLastResort } from './last-resort.ts';
import { readBase, readInputs, readJob } from './publish/job.ts';
import { realOutlets } from './publish/outlets.ts';
import { describePublication, publish } from './publish/publish.ts';
import { salvage, type Unpublished } from './steps/salvage.ts';
import { concludeStep, fail, makeStepCaller, readConfig, withoutCommands } from './steps/step.ts';

installLastResort((text) => core.error(text));
process.exitCode = await main().catch(fail);

async function main(): Promise<number> {
  const packageRoot = fileURLToPath(new URL('..', import.meta.url));
  const job = readJob(process.env, context.payload);
  const { inputs, cwd } = readInputs(process.env);
  const config = readConfig({ inputs, cwd }, packageRoot);
  const base = readBase(process.env, context.payload);
  const caller = { ...(await makeStepCaller(packageRoot, inputs)), ...base };
  const began = realHost.now();
  let summary: Summary | null = null;
  core.saveState('unpublished', { out: config.out, job: { ...job, token: '' } } satisfies Unpublished);
  try {
    const bench = await withoutCommands(() => runBench(config, realHost, caller));
    summary = bench.summary;
    return concludeStep(bench.exitCode);
  } finally {
    summary ??= await salvage(config.out, began);
    if (summary) await publish(describePublication(config.out, summary, job), job, realOutlets);
    core.saveState('unpublished', '');
  }
}
