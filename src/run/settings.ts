import type { RunOptions } from '../config/types.ts';
import { shortHash } from '../text/short-hash.ts';

type Settings = Pick<RunOptions, 'env' | 'headers' | 'memoryBytes' | 'prepare' | 'setUp' | 'services'>;

/**
 * Marks the settings of an app that decide what it does and are not in results: environment and PHP settings, memory limit,
 * set-up, values of headers, images of services. Two runs whose marks differ have measured two things.
 *
 * @param services those of the compose file, by name
 * @returns 4 hexadecimal digits: two settings have the same ones by chance once in 65,536 times, and no secret can be read from them
 */
export function markSettings(
  config: Settings,
  services: Readonly<Record<string, { image?: string }>>,
): string {
  const { env, headers = {}, memoryBytes = null, prepare, setUp = null } = config;
  const images = Object.entries(services).map(([name, { image = null }]) => [name, image] as const);
  const all = [
    sort(env),
    sort(headers),
    memoryBytes,
    prepare,
    setUp,
    sort(config.services?.reset),
    sort(images),
  ];
  return shortHash(JSON.stringify(all), 4);
}

function sort<T>(pairs: Readonly<Record<string, T>> | readonly (readonly [string, T])[] = {}) {
  const list = Array.isArray(pairs) ? pairs : Object.entries(pairs);
  return [...list].sort(([one], [other]) => (one < other ? -1 : 1));
}
