import * as core from '@actions/core';
import { removeCheckout } from './checkout/checkout.ts';
import { realHost } from './host.ts';
import { connectDocker, removeRun } from './run/docker.ts';

// The main step cleans up after itself; this is for when it was killed. Never fails a job that has measured.
const run = core.getState('run');
try {
  const removed = run ? await removeRun(connectDocker(realHost), run) : [];
  if (run && (await removeCheckout(run))) removed.push('the files of the commit that it compared with');
  if (removed.length > 0) core.info(`Run ${run} was cut short: removed ${removed.join(', ')}`);
  else core.info('Nothing was left behind.');
} catch (error) {
  core.warning(`Could not look for what the run left behind: ${(error as Error).message}`);
}
