import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';

/** Images of servers that keep entries by keys. Tools with such a name in front, such as redis-commander, are none. */
const CACHE = /(^|\/)(redis|redis-stack|redis-stack-server|valkey|keydb|memcached)(:|@|$)/;

/**
 * Warns of a cache in the services that all variants use under the same keys. Without `{variant}` in `env` an app hardly
 * has a prefix for each of them.
 */
export function warnOfSharedCaches(
  variants: readonly unknown[],
  services: Readonly<Record<string, { image?: string }>>,
  { env }: Pick<Config, 'env'>,
): Warning[] {
  const caches = Object.entries(services).flatMap(([name, { image = '' }]) =>
    CACHE.test(image) ? name : [],
  );
  const isNamed = Object.values(env).some((value) => value.includes('{variant}'));
  if (caches.length === 0 || variants.length < 2 || isNamed) return [];
  return [
    {
      code: 'shared-cache',
      message: `all variants share ${caches.join(' and ')}: a page that one has cached may be read by another`,
      remedy:
        "give its keys a prefix with `env`, such as CACHE_PREFIX: '{variant}'; nothing to do if the app takes it from BENCH_DATABASE",
      variant: null,
    },
  ];
}
