import type { Docker } from '../../engine/docker.ts';
import type { Instance } from '../../plan/instances.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import { fileNameOf } from '../../text/file-name.ts';
import type { Engine, Sink } from '../world.ts';
import { containerOf, frontOf } from './servers.ts';

const LINES = 500;

/** Keeps what a variant's server, and what stands before it, logged in an instance; `instead`: where there is no container. */
export async function keepLogs(
  { docker, run }: Engine,
  { keepRaw }: Pick<Sink, 'keepRaw'>,
  instance: Instance,
  { id, front }: Pick<PlannedVariant, 'id' | 'front'>,
  instead = '',
): Promise<void> {
  const container = containerOf(run, instance, id);
  const file = `raw/logs/${instance.index}/${fileNameOf(id)}`;
  const log = (await findLog(docker, container)) || instead;
  if (log) await keepRaw(`${file}.log`, log);
  const before = front === undefined ? '' : await findLog(docker, frontOf(container));
  if (before) await keepRaw(`${file}-front.log`, before);
}

async function findLog(docker: Docker, container: string): Promise<string> {
  const { code, stdout, stderr } = await docker.try([
    ...['container', 'logs', '--tail', String(LINES), container],
  ]);
  return code === 0 ? stdout + stderr : '';
}
