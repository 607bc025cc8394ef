import type { Host } from '../host.ts';
import type { Connection } from './connection.ts';
import { awaitClient, type Docker, LABEL, LIMITS_MS, removeRun } from './docker.ts';

/**
 * A shell that waits from the beginning of a run to its end. A process without file descriptors cannot start `docker` to clean
 * up, and neither can one that may start no more processes. A shell that runs already can.
 */
export interface Standby {
  /** Removes what carries the run's label. Returns whether all of it is gone. */
  remove(): Promise<boolean>;
  close(): Promise<void>;
}

/** Does nothing unless it gets a line: when a run is killed, its engine is the next run's to clean up. */
const SCRIPT = `
filter=label=$1
shift
failed=
read -r _ || exit 0
command -v "$1" >/dev/null || exit 0
left=$("$@" container ls --all --quiet --filter "$filter") || exit
[ -z "$left" ] || "$@" container rm --force --volumes $left
for kind in network volume; do
  left=$("$@" $kind ls --quiet --filter "$filter") || failed=1
  [ -z "$left" ] || "$@" $kind rm $left || failed=1
done
left=$("$@" container ls --all --quiet --filter "$filter") && [ -z "$left$failed" ]`;
/** Seven commands, one of which may stop dozens of containers. */
const REMOVE_MS = 300_000;

/** Without a shell there is nobody to stand by, which matters only where it is needed. */
export function standBy(
  host: Pick<Host, 'start' | 'sleep'>,
  { command }: Pick<Connection, 'command'>,
  run: string,
): Standby {
  const shell = host.start('sh', ['-c', SCRIPT, 'sh', `${LABEL}=${run}`, ...command]);
  const end = async (timeoutMs: number) => {
    shell.end();
    const finished = await awaitClient(host, shell, timeoutMs).catch(() => null);
    return finished?.code === 0;
  };
  return {
    remove() {
      shell.write('\n');
      return end(REMOVE_MS);
    },
    async close() {
      await end(LIMITS_MS.answer);
    },
  };
}

/**
 * Removes containers, networks and volumes of a run, by the stand-by where this process cannot. Never throws.
 *
 * @returns whether it was seen that nothing is left: an engine that does not answer shows nothing
 */
export async function removeAll(docker: Docker, run: string, standby: Standby): Promise<boolean> {
  await removeRun(docker, run);
  const list = ['container', 'ls', '--all', '--quiet', `--filter=label=${LABEL}=${run}`];
  const left = await docker.try(list).catch(() => null);
  if (left === null || left.stdout !== '') return standby.remove();
  await standby.close();
  return left.code === 0;
}
