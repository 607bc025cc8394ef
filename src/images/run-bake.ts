import type { Config } from '../config/types.ts';
import { type Docker, LIMITS_MS } from '../engine/docker.ts';
import type { ExecOptions, Finished } from '../host.ts';
import type { BakeFile } from './bake.ts';

/**
 * Since buildx 0.20 bake asks before it reads folders outside the working directory, and ours are: the file is our own
 * (https://docs.docker.com/build/building/variables/#buildx_bake_entitlements_fs). Attestations would give an image
 * that did not change a new id. Only images are loaded into the engine, no target of an app.
 */
const BAKE_ENV = {
  BUILDX_BAKE_ENTITLEMENTS_FS: '0',
  BUILDX_NO_DEFAULT_ATTESTATIONS: '1',
  BUILDX_NO_DEFAULT_LOAD: '1',
};

interface BakeOptions extends Pick<ExecOptions, 'signal' | 'onLine'> {
  /** The file into which bake writes facts about each target, such as its digest. */
  metadata?: string;
  /** The variable `COMPOSER_AUTH` for it. */
  auth?: string | undefined;
}

/** With the containerd image store, the engine now and then removes a layer while it unpacks the image: moby/buildkit#6521. */
const LOST_LAYER = /failed to prepare extraction snapshot .*parent snapshot \S+ does not exist/;

/**
 * Runs `docker buildx bake`, and again if the engine itself lost a layer; a build that fails is an answer. By default the builder is that of the context: the engine
 * itself, which has the local images. It cannot keep a cache elsewhere. With such a cache it is the builder that the
 * user has chosen.
 */
export async function runBake(
  docker: Docker,
  { buildCache }: Pick<Config, 'buildCache'>,
  file: BakeFile,
  targets: readonly string[],
  { metadata, auth, ...options }: BakeOptions,
): Promise<Finished> {
  const builder = buildCache ? {} : { BUILDX_BUILDER: (await docker.run(['context', 'show'])).trim() };
  const flags = ['--file', '-', '--progress', 'plain', ...(metadata ? ['--metadata-file', metadata] : [])];
  const build = () =>
    docker.try(['buildx', 'bake', ...flags, ...targets], {
      ...{ input: JSON.stringify(file), timeoutMs: LIMITS_MS.build },
      env: { ...BAKE_ENV, ...builder, ...(auth && { COMPOSER_AUTH: auth }) },
      ...options,
    });
  const finished = await build();
  return finished.code !== 0 && LOST_LAYER.test(finished.stderr) ? build() : finished;
}
