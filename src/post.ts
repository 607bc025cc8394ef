import * as core from '@actions/core';
import { hostAt } from './engine/connection.ts';
import { connectDocker, removeRun } from './engine/docker.ts';
import { realHost } from './host.ts';
import { removeTemporary } from './temporary.ts';

// The main step cleans up after itself; this is for when it was killed. Never fails a job that has measured.
const run = core.getState('run');
const host = hostAt(realHost, core.getState('engine') || undefined);
try {
  const removed = run ? await removeRun(connectDocker(host), run) : [];
  if (run && (await removeTemporary(run))) removed.push('its temporary files');
  if (removed.length > 0) core.info(`Run ${run} was cut short: removed ${removed.join(', ')}`);
  else core.info('Nothing was left behind.');
} catch (error) {
  core.warning(`Could not look for leftovers of the run: ${(error as Error).message}`);
}
