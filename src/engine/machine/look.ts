import { type Docker, earlyFlags } from '../docker.ts';
import { inspectImage } from '../image-store.ts';

/**
 * Runs a shell script in a container that sees processes and control groups of the engine's machine, like the sampler.
 * Returns its output; null: the engine does not have the image.
 */
export async function lookInContainer(
  docker: Docker,
  image: string,
  run: string,
  script: string,
): Promise<string | null> {
  if ((await inspectImage(docker, image)) === null) return null;
  const { stdout } = await docker.try([
    ...['container', 'run', '--rm', ...earlyFlags(run), '--network=none'],
    ...['--pid=host', '--cgroupns=host', '--volume=/sys/fs/cgroup:/sys/fs/cgroup:ro'],
    ...['--cap-drop=ALL', '--security-opt=no-new-privileges', '--read-only', '--user=0'],
    ...['--entrypoint=sh', image, '-c', script],
  ]);
  return stdout;
}
