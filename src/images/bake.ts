import { mapValues } from '../engine/compose.ts';
import { IMAGE_LABEL } from '../engine/docker.ts';
import { NAMESPACE } from '../namespace.ts';
import type { PlannedImage } from '../plan/variants.ts';
import type { AppBuild, AppBuilds } from './app-build.ts';

/** Input of `docker buildx bake`: https://docs.docker.com/build/bake/reference/ (JSON form). */
export interface BakeFile {
  target: Record<string, BakeTarget>;
}

interface BakeTarget {
  context: string;
  dockerfile: string;
  contexts: Record<string, string>;
  args: Record<string, string>;
  tags?: string[];
  output?: string[];
  labels?: Record<string, string>;
  secret?: string[];
  'cache-from'?: string[];
  'cache-to'?: string[];
}

/** The local name of a built image. */
export function tagOf(image: PlannedImage): string {
  return `${NAMESPACE}/${image.key}:latest`;
}

/** The base images of a runtime for one PHP version and of the app's build, by their official names. */
export function basesOf(image: PlannedImage, app: Pick<AppBuild, 'bases'> | null): string[] {
  const own = image.runtime.base.map((name) => name.replaceAll('{php}', image.php));
  return [...new Set([...own, ...(app?.bases ?? [])])];
}

/** Folders of the parts that are the same for all images. */
export interface SharedFolders {
  /** Files that runtimes share. */
  shared: string;
  /** Files with which apps are built. */
  recipe: string;
}

/**
 * The bake file for the given images; each app has a target of its own, which those of runtimes take as a context. Base
 * images that are mapped to others become named contexts, which take their place wherever a Dockerfile has FROM or COPY
 * --from.
 */
export function makeBakeFile(
  images: readonly PlannedImage[],
  mapped: Readonly<Record<string, string>>,
  folders: SharedFolders,
  apps: Pick<AppBuilds, 'of'>,
  secret: string[] = [],
): BakeFile {
  const target: Record<string, BakeTarget> = {};
  const bases = baseContexts(mapped);
  for (const image of images) {
    const app = apps.of(image);
    if (app) {
      target[app.key] = {
        context: literal(app.app.folder),
        dockerfile: literal(app.dockerfile),
        contexts: { builder: literal(folders.recipe), ...bases },
        args: mapValues(app.args, literal),
        ...(app.bases.length > 0 && secret.length > 0 && { secret }),
      };
    }
    target[image.key] = {
      context: literal(image.runtime.folder),
      dockerfile: 'Dockerfile',
      contexts: { ...(app && { app: `target:${app.key}` }), shared: literal(folders.shared), ...bases },
      args: mapValues(image.args, literal),
      tags: [tagOf(image)],
      output: ['type=docker'],
      labels: { [IMAGE_LABEL]: image.runtime.name },
    };
  }
  return { target };
}

/** Base images that are mapped to others, as contexts. */
export function baseContexts(mapped: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mapped).map(([official, used]) => [official, literal(`docker-image://${used}`)]),
  );
}

/** Bake's strings are templates: a folder named `${x}` must stay what it is. */
function literal(text: string): string {
  // A function, since `$$` in a replacement means `$`.
  return text.replace(/[$%](?=\{)/g, (sign) => sign + sign);
}
