import * as core from '@actions/core';
import { hostAt } from './engine/connection.ts';
import { connectDocker, removeRun } from './engine/docker.ts';
import { realHost } from './host.ts';
import { realOutlets } from './publish/outlets.ts';
import { publishLeft, type Unpublished } from './steps/salvage.ts';
import { removeTemporary } from './temporary.ts';

// The main step cleans up and publishes itself; this is for when it was killed. Never fails a job that has measured.
const run = core.getState('run');
const unpublished = core.getState('unpublished');
try {
  await removeLeft();
} catch (error) {
  core.warning(`Could not look for leftovers of the run: ${(error as Error).message}`);
}
try {
  if (run && unpublished) {
    const { out, job }: Unpublished = JSON.parse(unpublished);
    await publishLeft(run, { out, job: { ...job, token: core.getInput('token') } }, realOutlets);
  }
} catch (error) {
  core.warning(`The results so far could not be published: ${(error as Error).message}`);
}

async function removeLeft(): Promise<void> {
  if (!run) return core.info('Nothing was left behind.');
  const docker = connectDocker(hostAt(realHost, core.getState('engine') || undefined));
  // The clean-up takes no answer for nothing to remove, and an engine that hangs would use up the time to publish.
  const engine = await docker.try(['version', '--format', '{{.Server.Version}}']).catch(() => null);
  const isThere = engine?.code === 0;
  const removed = isThere ? await removeRun(docker, run) : [];
  if (await removeTemporary(run)) removed.push('its temporary files');
  if (removed.length > 0) core.info(`Run ${run} was cut short: removed ${removed.join(', ')}`);
  else if (isThere) core.info('Nothing was left behind.');
  const why = engine?.stderr.trim() || 'no docker client';
  if (!isThere) core.warning(`Docker does not answer, so containers of run ${run} may be left: ${why}`);
}
