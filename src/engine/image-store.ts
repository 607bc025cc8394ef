import { MachineError } from '../errors.ts';
import { type Docker, DockerError, expectEngine, LIMITS_MS, lastLines } from './docker.ts';

/** `here`: the engine has it; `unknown`: a run would ask the engine or a registry; else why there is none. */
export type ImageFound = 'here' | 'unknown' | { reason: string };

export interface Pulling {
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Finds an image, and pulls it if its name has a tag or a digest. A name without them may be a misspelt branch, and an
 * image of the owner of that name would run here.
 */
export async function findImage(docker: Docker, name: string, options: Pulling): Promise<ImageFound> {
  const here = await lookHere(docker, name);
  if (here !== null) return here;
  if (!mayBePulled(name)) return NOT_PULLED;
  try {
    await pullImage(docker, name, options);
    return (await lookHere(docker, name)) ?? 'here';
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof MachineError) throw error;
    return { reason: (error as Error).message };
  }
}

/** The same as far as an engine knows it that is not asked to pull anything, and may not be there. */
export async function lookForImage(docker: Docker, name: string): Promise<ImageFound> {
  const engine = await docker.try(['version']).catch(() => null);
  if (engine?.code !== 0) return 'unknown';
  return (await lookHere(docker, name)) ?? (mayBePulled(name) ? 'unknown' : NOT_PULLED);
}

/** The processors for which most images are, and which emulate each other. */
const PROCESSORS = ['amd64', 'arm64'];

/** An emulated image is several times slower, whatever its code. Null: it is not here. */
async function lookHere(docker: Docker, name: string): Promise<ImageFound | null> {
  const image = await inspectImage(docker, name);
  if (image === null) return null;
  const { stdout } = await docker.try(['version', '--format', '{{.Server.Arch}}']);
  const engine = stdout.trim();
  const isEmulated = engine !== image.arch && [engine, image.arch].every((one) => PROCESSORS.includes(one));
  return isEmulated
    ? { reason: `it is for ${image.arch}, which this engine would emulate: build it for ${engine}` }
    : 'here';
}

const mayBePulled = (name: string) => /[:@]/.test(name);
const NOT_PULLED = { reason: 'no such image in the engine, and a name without a tag is not pulled' };

/**
 * Makes sure that an image is here. Errors: DockerError with the registry's answer; MachineError, the engine has no space for it
 * or has stopped answering.
 *
 * @param platform `linux/amd64`; left out: the engine's own
 */
export async function pullImage(
  docker: Docker,
  name: string,
  { say, signal }: Pulling,
  platform?: string,
): Promise<void> {
  if (await inspectImage(docker, name)) return;
  say(`pulling ${name}`);
  const flags = platform === undefined ? [] : [`--platform=${platform}`];
  const args = ['image', 'pull', '--quiet', ...flags, name];
  try {
    await docker.run(args, { signal, timeoutMs: LIMITS_MS.pull });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof DockerError)) throw error;
    const { stderr } = error.finished;
    if (/no space left on device/i.test(stderr))
      throw new MachineError(`no space for the image ${name}`, { found: lastLines(stderr, 1) });
    await expectEngine(docker);
    throw error;
  }
}

/** Null: the engine has none of that name. */
export async function inspectImage(
  docker: Docker,
  name: string,
): Promise<{ id: string; size: number; digest: string | null; arch: string } | null> {
  const found = await docker.try(['image', 'inspect', '--format', '{{json .}}', name]);
  if (found.code !== 0) return null;
  const { Id, Size, RepoDigests, Architecture } = JSON.parse(found.stdout);
  return { id: Id, size: Size, digest: RepoDigests?.[0]?.split('@')[1] ?? null, arch: Architecture };
}
