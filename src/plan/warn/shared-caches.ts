import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';

/** Images of servers that keep entries by keys. Tools with such a name in front, such as redis-commander, are none. */
const CACHE = /(^|\/)(redis|redis-stack|redis-stack-server|valkey|keydb|memcached)(:|@|$)/;

/** Names of variables that choose a database, or a table prefix in one, such as DB_DATABASE, MYSQL_DATABASE and DATABASE_URL. */
const OF_DATABASE =
  /(^|_)(DB|DATABASE|DBNAME|SCHEMA|SQL|MYSQL|MARIADB|PG|PGDATABASE|POSTGRES|POSTGRESQL)(_|$)/i;
/** Names such as CACHE_DB choose one in a cache. */
const OF_CACHE = /CACHE|REDIS|VALKEY|KEYDB/i;

/** Whether entries of variants have keys of their own: a setting other than that of the database names the variant. */
const isNamed = (env: Config['env']): boolean =>
  Object.entries(env).some(
    ([name, value]) => value.includes('{variant}') && (OF_CACHE.test(name) || !OF_DATABASE.test(name)),
  );

/**
 * Warns of a cache in the services that all variants use under the same keys. Without `{variant}` in `env`, apart from
 * databases, an app hardly has a prefix for each of them.
 */
export function warnOfSharedCaches(
  variants: readonly unknown[],
  services: Readonly<Record<string, { image?: string }>>,
  { env }: Pick<Config, 'env'>,
): Warning[] {
  const caches = Object.entries(services).flatMap(([name, { image = '' }]) =>
    CACHE.test(image) ? name : [],
  );
  if (caches.length === 0 || variants.length < 2 || isNamed(env)) return [];
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
