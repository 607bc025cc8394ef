import * as core from '@actions/core';
import { hostAt } from './engine/connection.ts';
import { connectDocker, removeRun } from './engine/docker.ts';
import { realHost } from './host.ts';
import { removeTemporary } from './temporary.ts';

// The main step cleans up after itself; this is for when it was killed. Never fails a job that has measured.
const run = core.getState('run');
const host = hostAt(realHost, core.getState('engine') || undefined);
try {
  const docker = connectDocker(host);
  // The clean-up takes no answer for nothing to remove.
  const engine = run
    ? await docker.try(['version', '--format', '{{.Server.Version}}']).catch(() => null)
    : null;
  const removed = run ? await removeRun(docker, run) : [];
  if (run && (await removeTemporary(run))) removed.push('its temporary files');
  if (removed.length > 0) core.info(`Run ${run} was cut short: removed ${removed.join(', ')}`);
  else if (!run || engine?.code === 0) core.info('Nothing was left behind.');
  if (run && engine?.code !== 0) {
    const why = engine?.stderr.trim() || 'no docker client';
    core.warning(`Docker does not answer, so containers of run ${run} may be left: ${why}`);
  }
} catch (error) {
  core.warning(`Could not look for leftovers of the run: ${(error as Error).message}`);
}
