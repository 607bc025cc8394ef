import { fileURLToPath } from 'node:url';
import * as core from '@actions/core';
import { context } from '@actions/github';
import { runBench } from './bench.ts';
import { realHost } from './host.ts';
import { installLastResort } from './last-resort.ts';
import { readBase, readInputs, readJob } from './publish/job.ts';
import { publishAfter } from './steps/salvage.ts';
import { fail, makeStepCaller, readConfig, withoutCommands } from './steps/step.ts';

installLastResort((text) => core.error(text));
process.exitCode = await main().catch(fail);

async function main(): Promise<number> {
  const packageRoot = fileURLToPath(new URL('..', import.meta.url));
  const job = readJob(process.env, context.payload);
  const { inputs, cwd } = readInputs(process.env);
  const config = readConfig({ inputs, cwd }, packageRoot);
  const base = readBase(process.env, context.payload);
  const caller = { ...(await makeStepCaller(packageRoot, inputs)), ...base };
  const run = () => withoutCommands(() => runBench(config, realHost, caller));
  return publishAfter({ out: config.out, job }, run);
}
