/** Databases whose work is counted per request, and how tests read the counts. */
import type { Results } from '../../src/results/results.ts';

/** Health checks that ask for something, each second. */
const compose = (image: string, variable: string, check: string) => `
services:
  db:
    image: ${image}
    environment: { ${variable}: secret }
    healthcheck: { test: ['CMD-SHELL', "${check}"], interval: 1s, retries: 60 }
`;

export const DATABASES = {
  mariadb: {
    compose: compose(
      'mariadb:11',
      'MARIADB_ROOT_PASSWORD',
      "healthcheck.sh --connect --innodb_initialized && mariadb -uroot -psecret -e 'SELECT COUNT(*) FROM mysql.proc'",
    ),
    env: '{ DSN: "mysql:host=db", DB_USER: root }',
    reset:
      'mariadb -uroot -psecret -e "DROP DATABASE IF EXISTS $BENCH_DATABASE; CREATE DATABASE $BENCH_DATABASE"',
    extension: 'pdo_mysql',
    shop: 'DB_CONNECTION: mysql, DB_HOST: db, DB_USERNAME: root',
  },
  postgres: {
    compose: compose(
      'postgres:17',
      'POSTGRES_PASSWORD',
      "psql --host=127.0.0.1 -U postgres -c 'SELECT COUNT(*) FROM pg_class'",
    ).replace('secret }', 'secret, PGPASSWORD: secret }'),
    env: '{ DSN: "pgsql:host=db", DB_USER: postgres }',
    reset: 'dropdb -U postgres --if-exists --force $BENCH_DATABASE && createdb -U postgres $BENCH_DATABASE',
    extension: 'pdo_pgsql',
    shop: 'DB_CONNECTION: pgsql, DB_HOST: db, DB_USERNAME: postgres',
  },
};
export type Database = keyof typeof DATABASES;

/** 20 requests for each start of both versions. */
export const COUNTED = [
  ...['--load', 'requests(20, 1)', '--warmup', '0s', '--timeout', '10s', '--blocks', '1'],
  ...['--instances', '1', '--compare-to', 'HEAD', '--wait'],
];

/** All that was counted, by side and name; each number once. */
export function countsOf({ counts }: Pick<Results, 'counts'>) {
  const sides: Record<string, Record<string, number[]>> = {};
  for (const { variant, values } of counts) {
    const name = variant.endsWith(':base') ? 'base' : 'head';
    const side = sides[name] ?? {};
    sides[name] = side;
    for (const { name, perRequest } of values)
      side[name] = [...new Set([...(side[name] ?? []), ...perRequest])];
  }
  return sides;
}

/** Two builds, a database and three times its health checks, on a machine that others use, too. */
export const LIMIT_MS = 900_000;
