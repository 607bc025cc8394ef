/** Counts that databases and caches report about themselves. Pure. */

/** By the names of `COUNT_NAMES`, since the service started. */
export type CounterValues = Readonly<Record<string, number>>;

/** One look at the counters of a service. */
export interface CounterReading {
  /** By the clock of the engine's machine, Unix ms. */
  atMs: number;
  /** When the server started, by the same clock, to about a second: its counters began then. 0: not reported. */
  sinceMs: number;
  values: CounterValues;
}

export type ServerKind = 'mysql' | 'postgresql' | 'redis';

const SERVERS: Readonly<Record<string, ServerKind>> = {
  ...{ mariadbd: 'mysql', mysqld: 'mysql', postgres: 'postgresql' },
  ...{ 'redis-server': 'redis', 'valkey-server': 'redis' },
};

/** Counts of each kind, if all of them can be read. */
const NAMES: Readonly<Record<ServerKind, readonly string[]>> = {
  mysql: ['queries', 'rows-read', 'rows-written', 'temporary-tables', 'temporary-tables-on-disk'],
  postgresql: ['queries', 'rows-read', 'rows-written', 'temporary-tables-on-disk'],
  redis: ['cache-commands', 'cache-hits', 'cache-misses'],
};

/** Names of a service's counts; for an unknown kind, all names. */
export function namesOf(kind: ServerKind | null): readonly string[] {
  return kind ? NAMES[kind] : [...new Set(Object.values(NAMES).flat())];
}

/** Prints which servers there are in a container. */
export const FIND_SERVERS = `for name in ${Object.keys(SERVERS).join(' ')}; do command -v $name >/dev/null && echo $name; done; true`;

/** Kind of a container, from the servers in it; null: none with known counters. */
export function serverKindOf(found: string): ServerKind | null {
  const [first] = found.split('\n').flatMap((name) => SERVERS[name.trim()] ?? []);
  return first ?? null;
}

/** `first-line\nname\tvalue…`: of `SELECT UNIX_TIMESTAMP(NOW(6)); SHOW GLOBAL STATUS`. Null: it is something else. */
export function parseMysql(text: string): CounterReading | null {
  const [time = '', ...lines] = text.trim().split('\n');
  const status = new Map(
    lines.map((line) => {
      const [name = '', value = ''] = line.split('\t');
      return [name.toLowerCase(), Number(value)];
    }),
  );
  const of = (name: string) => status.get(name) ?? 0;
  if (!(Number(time) > 0) || !status.has('com_select')) return null;
  const all = (names: readonly string[]) => names.reduce((sum, name) => sum + of(name), 0);
  const statements = [...status.keys()].filter((name) => name.startsWith('com_') && !NO_STATEMENT.test(name));
  const atMs = Number(time) * 1000;
  return {
    atMs,
    sinceMs: status.has('uptime') ? atMs - of('uptime') * 1000 : 0,
    values: {
      // MariaDB's Com_select includes answers from its query cache.
      queries: all(statements),
      'rows-read': of(status.has('rows_read') ? 'rows_read' : 'innodb_rows_read'),
      'rows-written': all(status.has('innodb_rows_inserted') ? INNODB_WRITES : HANDLER_WRITES),
      'temporary-tables': of('created_tmp_tables'),
      'temporary-tables-on-disk': of('created_tmp_disk_tables'),
    },
  };
}

/** Commands that are no statements, and commands that count a prepared statement a second time. */
const NO_STATEMENT =
  /^com_(admin_commands|multi|stmt_.*|prepare_sql|execute_sql|dealloc_sql|execute_immediate)$/;
const INNODB_WRITES = ['innodb_rows_inserted', 'innodb_rows_updated', 'innodb_rows_deleted'];
const HANDLER_WRITES = ['handler_write', 'handler_update', 'handler_delete'];

/** `TIME`, `INFO server`, `INFO commandstats` and `INFO stats` of Redis or Valkey. */
export function parseRedis(text: string): CounterReading | null {
  const lines = text.split('\n').map((line) => line.trim());
  const [seconds, micros] = lines.map(Number);
  const at = (name: string) =>
    Number(lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1));
  const [hits, misses] = [at('keyspace_hits'), at('keyspace_misses')];
  if (!((seconds ?? 0) > 0) || !((micros ?? -1) >= 0) || Number.isNaN(hits + misses)) return null;
  const commands = lines.flatMap((line) => {
    const [, name = '', calls] = /^cmdstat_([^:]+):calls=(\d+)/.exec(line) ?? [];
    return calls === undefined || OF_CONNECTION.test(name) ? [] : [Number(calls)];
  });
  const atMs = (seconds as number) * 1000 + (micros as number) / 1000;
  return {
    atMs,
    sinceMs: atMs - at('uptime_in_seconds') * 1000 || 0,
    values: {
      'cache-commands': commands.reduce((sum, calls) => sum + calls, 0),
      'cache-hits': hits,
      'cache-misses': misses,
    },
  };
}

/**
 * Commands that only make a connection or ask the server about itself: ours and those of health checks are among them.
 * A replica sends `replconf` each second. Clients of a cluster ask for its nodes, and those of sentinels for the role.
 */
const OF_CONNECTION =
  /^(ping|info|time|auth|hello|select|reset|quit|client|command|config|cluster|readonly|readwrite|asking|role|replconf|psync|sync)(\|.*)?$/;

/**
 * Every statement of this tool has this word in it, which separates it from the app's. pg_stat_statements drops literals, and
 * with `track = all` it counts each statement within a block.
 */
export const OWN_WORD = 'php_runtime_bench';

/**
 * For psql: waits until the counts of other connections are written, then prints all counters, and whether they are
 * complete. PostgreSQL writes them when a connection ends, or 10 s after it becomes idle.
 *
 * @param names of the databases whose tables are read
 * @param mark a line of the log with it marks where the log of this reading ends
 */
export function postgresScript(names: readonly string[], mark: string, hasStatements: boolean): string {
  const rows = `SELECT 'rows ' || coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0) || ' ' || coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) AS ${OWN_WORD} FROM pg_stat_user_tables;`;
  return [
    '\\set ON_ERROR_STOP on',
    `DO $${OWN_WORD}$ DECLARE quiet boolean := false; BEGIN FOR i IN 1..60 LOOP PERFORM pg_stat_clear_snapshot() AS ${OWN_WORD}; quiet := NOT EXISTS (SELECT FROM pg_stat_activity AS ${OWN_WORD} WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND (state <> 'idle' OR clock_timestamp() - state_change < interval '10.5 s')); EXIT WHEN quiet; PERFORM pg_sleep(0.25) AS ${OWN_WORD}; END LOOP; PERFORM set_config('${OWN_WORD}.quiet', quiet::text, false) AS ${OWN_WORD}; END $${OWN_WORD}$;`,
    `SELECT 'quiet ' || current_setting('${OWN_WORD}.quiet') AS ${OWN_WORD};`,
    `SELECT 'at ' || extract(epoch from clock_timestamp()) || ' ' || extract(epoch from pg_postmaster_start_time()) AS ${OWN_WORD};`,
    ...(hasStatements
      ? [
          `SELECT 'queries ' || coalesce(sum(calls), 0) AS ${OWN_WORD} FROM pg_stat_statements WHERE query NOT LIKE '%${OWN_WORD}%' AND query !~* '^\\s*deallocate';`,
        ]
      : []),
    `SELECT '${mark}' AS ${OWN_WORD};`,
    `SELECT 'files ' || coalesce(sum(temp_files), 0) AS ${OWN_WORD} FROM pg_stat_database;`,
    ...names.flatMap((name) => [`\\connect "${name}"`, rows]),
    '',
  ].join('\n');
}

/** Parses psql's output. `queries` is left out if the server does not count them, rows if some are not written yet. */
export function parsePostgres(text: string): CounterReading | null {
  const lines = text.split('\n').map((line) => line.trim().split(' '));
  const of = (word: string) => lines.filter(([first]) => first === word);
  const [, at, since] = of('at')[0] ?? [];
  const atMs = Number(at) * 1000;
  if (!(atMs > 0)) return null;
  const isQuiet = of('quiet')[0]?.[1] === 'true';
  const [queries] = of('queries');
  const sum = (word: string, field: number) =>
    of(word).reduce((total, fields) => total + Number(fields[field]), 0);
  return {
    atMs,
    sinceMs: Number(since) * 1000 || 0,
    values: {
      ...(queries && { queries: Number(queries[1]) }),
      ...(isQuiet && { 'rows-read': sum('rows', 1), 'rows-written': sum('rows', 2) }),
      'temporary-tables-on-disk': sum('files', 1),
    },
  };
}

/**
 * Statements in a log of PostgreSQL between those of two marks. Null: the second is not there yet, or the log has another
 * language or format. Ours and those that drop what was prepared do not count.
 */
export function countStatements(log: string, from: string | null, to: string): number | null {
  const statements = log.split('\n').flatMap((line) => STATEMENT.exec(line)?.[1] ?? []);
  const find = (mark: string) => statements.findLastIndex((statement) => statement.includes(mark));
  const end = find(to);
  const start = from === null ? -1 : find(from);
  if (end < 0 || (from !== null && start < 0)) return null;
  return statements
    .slice(start + 1, end)
    .filter((statement) => !statement.includes(OWN_WORD) && !/^\s*deallocate/i.test(statement)).length;
}

const STATEMENT = /^(?:(?!DETAIL:).)*?\bLOG:\s+(?:statement|execute [^:]*): (.*)/;

/** Each value of `a` less that of `b`, so often. */
export function less(a: CounterValues, b: CounterValues, times = 1): CounterValues {
  return Object.fromEntries(Object.entries(a).map(([name, value]) => [name, value - times * (b[name] ?? 0)]));
}

export function divide(a: CounterValues, by: number): CounterValues {
  return Object.fromEntries(Object.entries(a).map(([name, value]) => [name, value / by]));
}

export function isZero(values: CounterValues): boolean {
  return Object.values(values).every((value) => value === 0);
}

/** Counts of one service; `kind` is null if unknown. */
export interface WindowPart {
  service: string;
  kind: ServerKind | null;
  values: CounterValues;
}

/**
 * Adds up the counts of several services. It leaves out a name that one of them counts but did not give: the sum
 * would be incomplete. `missing` lists the services and the names that they did not give.
 */
export function addUp(parts: readonly WindowPart[]): {
  values: CounterValues;
  missing: { name: string; service: string }[];
} {
  const missing = parts.flatMap(({ service, kind, values }) =>
    namesOf(kind)
      .filter((name) => !Number.isFinite(values[name]))
      .map((name) => ({ name, service })),
  );
  const left = new Set(missing.map(({ name }) => name));
  const sums: Record<string, number> = {};
  for (const [name, value] of parts.flatMap(({ values }) => Object.entries(values)))
    if (!left.has(name)) sums[name] = (sums[name] ?? 0) + value;
  return { values: sums, missing };
}

/** Those that can be counts: less than nothing is what remains of a counter that was set back. */
export function dropNegative(values: CounterValues): CounterValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value >= 0));
}
