/** Images of runtimes with an app whose packages Composer installs, built as a run builds them: the app once for all. */
import { join } from 'node:path';
import { parseConfig } from '../../src/config/parse.ts';
import { connectDocker } from '../../src/engine/docker.ts';
import { realHost } from '../../src/host.ts';
import { tagOf } from '../../src/images/bake.ts';
import { buildImages } from '../../src/images/build.ts';
import { planVariants } from '../../src/plan/variants.ts';
import { makeRunId } from '../../src/stages/desk.ts';
import { findImages } from './bench.ts';
import { root } from './docker.ts';

/** Returns for each runtime its image, or why it could not be built. PHP is 8.4. */
export async function buildApp(
  app: string,
  runtimes: readonly string[],
): Promise<Map<string, { tag: string } | { failure: string }>> {
  const flags = ['--app', app, '--php', '8.4', '--runtimes', runtimes.join(','), ...(await findImages())];
  const config = parseConfig({ flags, cwd: root, packageRoot: root });
  const { images: planned } = planVariants(config);
  const built = await buildImages(realHost, connectDocker(realHost), planned, {
    run: makeRunId(Date.now()),
    ...{ config, otherFiles: null, signal: new AbortController().signal, say: () => {} },
    folders: { shared: join(root, 'runtimes/_shared'), recipe: join(root, 'runtimes/_app') },
  });
  return new Map(
    planned.map((image) => {
      const result = built.get(image.key);
      const isBuilt = result && !('failure' in result);
      return [
        image.runtime.name,
        isBuilt ? { tag: tagOf(image) } : { failure: JSON.stringify(result?.failure) },
      ];
    }),
  );
}
