/** Databases that `services` takes by their image alone: what a compose file would have to contain. Pure. */

/** How a database starts, when it is ready, and how a fresh one is made for a variant. */
interface Database {
  environment: Readonly<Record<string, string>>;
  test: readonly string[];
  /** Shell command in its container: an empty database named $BENCH_DATABASE. */
  create: string;
  /** Shell command that reads a file of SQL into that database. */
  load(file: string): string;
  /** SQL: how many tables the database has. */
  tables: string;
  /** For sed: a line after which a dump fills another database. */
  elsewhere: string;
  /** Prints the result of SQL, which is its last argument. */
  query: string;
}

const PASSWORD = 'secret';

/** For sed: the owners, and those with rights, in what pg_dump writes, as commands that create them. */
const OWNERS = [
  's/^ALTER .* OWNER TO ("[^"]+"|[^ ;"]+);$/CREATE ROLE \\1;/p',
  's/^(GRANT|REVOKE) .* (TO|FROM) ("[^"]+"|[^ ;"]+)( WITH GRANT OPTION)?;$/CREATE ROLE \\3;/p',
  '/^ALTER DEFAULT PRIVILEGES/ { h; s/^.* FOR ROLE ("[^"]+"|[^ ;"]+) .*/CREATE ROLE \\1;/p; g; s/^.* (TO|FROM) ("[^"]+"|[^ ;"]+);$/CREATE ROLE \\2;/p; }',
  's/^CREATE POLICY .* TO ("[^"]+"|[^ ;,"]+)( USING| WITH CHECK|;).*/CREATE ROLE \\1;/p',
].join('; ');

/**
 * For sed: leaves out which transactions the dump's server knows. A server takes them once, so a second load would fail.
 * With several servers the statement has several lines.
 */
const GTIDS = '/^SET @@GLOBAL.GTID_PURGED=/{:more;/;/d;N;b more}';

/** For sed: the users that views, triggers and routines run as, in what mysqldump writes, as statements that create them. */
const DEFINERS =
  's/.*DEFINER=(`[^`]+`@`[^`]+`).*/' +
  `CREATE USER IF NOT EXISTS \\1 IDENTIFIED BY "${PASSWORD}"; GRANT ALL ON '$BENCH_DATABASE'.* TO \\1;/p`;

/** MariaDB and MySQL differ in the names of their programs and variables. Commands in the container use its socket. */
function likeMysql(client: string, variable: string, test: readonly string[]): Database {
  // MySQL keeps a binary log for 30 days, which each load of a dump would make longer by its size.
  const login = `${client} -uroot -p${PASSWORD} --init-command='SET SQL_LOG_BIN=0'`;
  return {
    environment: { [variable]: PASSWORD },
    test,
    create: `${login} -e "DROP DATABASE IF EXISTS $BENCH_DATABASE; CREATE DATABASE $BENCH_DATABASE"`,
    // The users of the dump's server: without them the app fails at each of its views. One that is there already stays.
    load: (file) =>
      `{ LC_ALL=C sed -nE '${DEFINERS}' ${file} | LC_ALL=C sort -u | ${login} --force >/dev/null 2>&1; true; } && ` +
      `LC_ALL=C sed '${GTIDS}' ${file} | ${login} $BENCH_DATABASE`,
    tables: 'SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()',
    elsewhere: '^[Uu][Ss][Ee] +[^ ;]+ *;',
    query: `${login} $BENCH_DATABASE -Ne`,
  };
}

const DATABASES: Readonly<Record<string, Database>> = {
  mariadb: likeMysql('mariadb', 'MARIADB_ROOT_PASSWORD', [
    ...['CMD', 'healthcheck.sh', '--connect', '--innodb_initialized'],
  ]),
  // By TCP: while the image makes its first database, its server listens on a socket only.
  mysql: likeMysql('mysql', 'MYSQL_ROOT_PASSWORD', [
    ...['CMD', 'mysqladmin', '--host=127.0.0.1', '--user=root', `--password=${PASSWORD}`, 'ping'],
  ]),
  postgres: {
    environment: { POSTGRES_PASSWORD: PASSWORD },
    // By TCP: while the image makes its first database, PostgreSQL listens on its socket only.
    test: ['CMD', 'pg_isready', '--host', 'localhost', '--username', 'postgres'],
    create: 'dropdb -U postgres --if-exists --force $BENCH_DATABASE && createdb -U postgres $BENCH_DATABASE',
    // The roles that a dump gives its tables to are on the server that it is from. One that is there already stays.
    // Terse: the last line of an error is its message.
    load: (file) =>
      `{ sed -nE '${OWNERS}' ${file} | sort -u | psql -U postgres -q >/dev/null 2>&1; true; } && ` +
      `psql -U postgres -qo /dev/null -v ON_ERROR_STOP=1 -v VERBOSITY=terse $BENCH_DATABASE <${file}`,
    tables:
      "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')",
    elsewhere: '^[\\]c(onnect)? ',
    query: 'psql -U postgres -d $BENCH_DATABASE -tAc',
  },
};

export const DATABASE_NAMES = Object.keys(DATABASES);

/** `docker.io/library/mariadb:11` → `mariadb`; null: not one of them. The app reaches it under this name. */
export function databaseIn(image: string): string | null {
  const name = image.replace(/.*\//, '').replace(/[:@].*/, '');
  return DATABASE_NAMES.includes(name) ? name : null;
}

/** A compose file as JSON, and the command that makes a variant's database. `dump`: absolute path of a file of SQL. */
export function describeDatabase(
  name: string,
  image: string,
  dump: string | null,
): { compose: string; reset: Readonly<Record<string, string>> } {
  const { environment, test, create, load, tables, elsewhere, query } = DATABASES[name] as Database;
  const target = `/bench/dump.sql${dump?.endsWith('.gz') ? '.gz' : ''}`;
  const service = {
    ...{ image, environment },
    healthcheck: { test, interval: '1s', timeout: '2s', retries: 60 },
    ...(dump !== null && { volumes: [{ type: 'bind', source: dump, target, read_only: true }] }),
  };
  const isZipped = target.endsWith('.gz');
  const sql = isZipped ? '/tmp/dump.sql' : target;
  const unzip = isZipped ? `gunzip -c ${target} >${sql} && ` : '';
  // A dump with `USE`, `\\connect` or `CREATE DATABASE` fills a database of its own, which all variants would share.
  const check = `test "$(${query} "${tables}")" -gt 0 || { echo "error: the dump created no table in $BENCH_DATABASE; remove its CREATE DATABASE, USE and connect" >&2; exit 1; }`;
  // The client's own error is of what it found there, such as a table of the variant before.
  const hint = `LC_ALL=C sed -nE "/${elsewhere}/{s/^(.{0,80}).*/ERROR:  the dump has '\\1', which leads into a database that all variants share; remove it/p;q;}" ${sql} >&2; exit 1`;
  return {
    // Compose would replace `$name` in the path of the dump.
    compose: JSON.stringify({ services: { [name]: service } }).replaceAll('$', '$$$$'),
    reset: {
      [name]:
        dump === null
          ? create
          : `${create} && ${unzip}{ { ${load(sql)}; } || { ${hint}; }; } && { ${check}; }`,
    },
  };
}
