/** Builds of a small app for Apache, by real bake. */
import { dirname, join } from 'node:path';
import { parseConfig } from '../../src/config/parse.ts';
import { connectDocker } from '../../src/engine/docker.ts';
import { type Host, realHost } from '../../src/host.ts';
import { type Built, buildImages } from '../../src/images/build.ts';
import { planVariants } from '../../src/plan/variants.ts';
import { makeRunId } from '../../src/stages/desk.ts';
import { findImages, root } from './bench.ts';

type Build = Built & { said: string[]; commands: string[] };

/** Builds the image of an app for Apache; also gives the lines and the commands of the build. */
export function build(app: string, ...flags: string[]): Promise<Build> {
  return buildBeside(null, app, ...flags);
}

/** The same; `ready`: an image that is taken beside it, as with `compare-to`. */
export async function buildBeside(ready: string | null, app: string, ...flags: string[]): Promise<Build> {
  const argv = ['--app', app, '--runtimes', 'apache', ...(await findImages()), ...flags];
  const config = parseConfig({ flags: argv, cwd: dirname(app), packageRoot: root });
  const own = planVariants(config).images;
  const images = [...own, ...(ready === null ? [] : own.map((one) => ({ ...one, key: 'ready', ready })))];
  const said: string[] = [];
  const commands: string[] = [];
  const host: Host = {
    ...realHost,
    exec(program, args, options) {
      commands.push([program, ...args, options?.input ?? ''].join(' '));
      return realHost.exec(program, args, options);
    },
  };
  const built = await buildImages(host, connectDocker(host), images, {
    run: makeRunId(Date.now()),
    ...{ config, otherFiles: null, signal: new AbortController().signal, say: (line) => said.push(line) },
    folders: { shared: join(root, 'runtimes/_shared'), recipe: join(root, 'runtimes/_app') },
  });
  return { ...(built.get(own[0]?.key as string) as Built), said, commands };
}

export function factsOf(built: Built) {
  if ('failure' in built) throw new Error(`${built.failure.reason}\n${built.failure.log}`);
  return built.facts;
}
