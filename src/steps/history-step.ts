import * as core from '@actions/core';
import { addToHistory, readRemote } from '../publish/add-history.ts';
import { fail } from './step.ts';

// Last job of bench-schedule.yml: adds what the benchmarks of a run have given to the history on its branch.
process.exitCode = await main().catch(fail);

async function main(): Promise<number> {
  const { remote, settings, secret } = readRemote(process.env, core.getInput('token', { required: true }));
  core.setSecret(secret);
  return addToHistory({
    folder: core.getInput('folder', { required: true }),
    keep: { remote, settings, branch: core.getInput('branch', { required: true }) },
    commit: process.env.GITHUB_SHA ?? null,
    runUrl: `${process.env.GITHUB_SERVER_URL}/${process.env.GITHUB_REPOSITORY}/actions/runs/${process.env.GITHUB_RUN_ID}`,
  });
}
