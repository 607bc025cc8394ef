import * as core from '@actions/core';
import { hostAt } from '../engine/connection.ts';
import { connectDocker, removeRun } from '../engine/docker.ts';
import { realHost } from '../host.ts';
import { removeTemporary } from '../temporary.ts';

/**
 * Removes what a run that was killed has left, and logs what that was. An engine that does not answer is a warning.
 *
 * @param run its id; empty: none had begun
 * @param engine the Docker context or address of its engine; empty: the default
 */
export async function removeLeft(run: string, engine: string): Promise<void> {
  if (!run) return core.info('Nothing was left behind.');
  const docker = connectDocker(hostAt(realHost, engine || undefined));
  // The clean-up takes no answer for nothing to remove, and an engine that hangs would use up the time to publish.
  const version = await docker.try(['version', '--format', '{{.Server.Version}}']).catch(() => null);
  const isThere = version?.code === 0;
  const removed = isThere ? await removeRun(docker, run) : [];
  if (await removeTemporary(run)) removed.push('its temporary files');
  if (removed.length > 0) core.info(`Run ${run} was cut short: removed ${removed.join(', ')}`);
  else if (isThere) core.info('Nothing was left behind.');
  const why = version?.stderr.trim() || 'no docker client';
  if (!isThere) core.warning(`Docker does not answer, so containers of run ${run} may be left: ${why}`);
}
