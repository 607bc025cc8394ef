import type { PlannedImage } from '../plan/variants.ts';

/** What `docker buildx bake` reads: https://docs.docker.com/build/bake/reference/ (JSON form). */
export interface BakeFile {
  target: Record<string, BakeTarget>;
}

interface BakeTarget {
  context: string;
  dockerfile: string;
  contexts: Record<string, string>;
  args: Record<string, string>;
  tags: string[];
  labels: Record<string, string>;
}

/** Marks the images that we build; they stay as the build cache. */
export const IMAGE_LABEL = 'php-runtime-bench.image';

/** The local name of a built image. */
export function tagOf(image: PlannedImage): string {
  return `php-runtime-bench/${image.key}:latest`;
}

/** The base images of a runtime for one PHP version, by their official names. */
export function basesOf(image: PlannedImage): string[] {
  return image.runtime.base.map((name) => name.replaceAll('{php}', image.php));
}

/**
 * The bake file for the given images. Base images that are mapped to others become named contexts,
 * which take their place wherever the Dockerfile says FROM or COPY --from.
 */
export function makeBakeFile(
  images: readonly PlannedImage[],
  mapped: Readonly<Record<string, string>>,
  sharedFolder: string,
): BakeFile {
  const target: Record<string, BakeTarget> = {};
  for (const image of images) {
    const contexts: Record<string, string> = {
      app: literal(image.app.folder),
      shared: literal(sharedFolder),
    };
    for (const [official, used] of Object.entries(mapped))
      contexts[official] = literal(`docker-image://${used}`);
    target[image.key] = {
      context: literal(image.runtime.folder),
      dockerfile: 'Dockerfile',
      contexts,
      args: { ...image.args },
      tags: [tagOf(image)],
      labels: { [IMAGE_LABEL]: image.runtime.name },
    };
  }
  return { target };
}

/** Bake's strings are templates: a folder named `${x}` must stay what it is. */
function literal(text: string): string {
  // A function, since `$$` in a replacement means `$`.
  return text.replace(/[$%](?=\{)/g, (sign) => sign + sign);
}
