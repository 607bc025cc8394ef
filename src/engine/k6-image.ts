import { MachineError, UserError } from '../errors.ts';
import type { Docker } from './docker.ts';
import { type Pulling, pullImage } from './image-store.ts';

/** The load generator, by its official name; `images:` may map it like any base image. */
export const K6_IMAGE = 'grafana/k6:2.2.0';

/** The name of the image that is used. Errors: UserError where it is missing and cannot be pulled. */
export async function getK6(
  docker: Docker,
  images: Readonly<Record<string, string>>,
  pulling: Pulling,
): Promise<string> {
  const image = images[K6_IMAGE] ?? K6_IMAGE;
  try {
    await pullImage(docker, image, pulling);
  } catch (error) {
    pulling.signal.throwIfAborted();
    if (error instanceof MachineError) throw error;
    throw new UserError(`could not pull the k6 image ${image}`, {
      found: (error as Error).message,
      hint: `if no registry is available, use another image: --image ${K6_IMAGE}=…; script/bench in a clone builds a substitute`,
    });
  }
  return image;
}

export async function askK6Version(docker: Docker, arena: string): Promise<string> {
  const text = await docker.run(['exec', arena, 'k6', 'version']);
  return /v(\d[^ ]*)/.exec(text)?.[1] ?? text.trim();
}
