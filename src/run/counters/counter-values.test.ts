import { expect, test } from 'vitest';
import {
  addUp,
  countStatements,
  dropNegative,
  less,
  OWN_WORD,
  parseMysql,
  parsePostgres,
  parseRedis,
  postgresScript,
  serverKindOf,
} from './counter-values.ts';
import { isComplete, parseHealth, probesWithin } from './health-probes.ts';

test('a server in the container says what it is; a client alone does not', () => {
  expect(serverKindOf('mariadbd\n')).toBe('mysql');
  expect(serverKindOf('valkey-server\n')).toBe('redis');
  expect(serverKindOf('postgres\n')).toBe('postgresql');
  expect(serverKindOf('')).toBeNull();
});

const MARIADB = `1795385990.5
Uptime\t90
Com_select\t5
Com_insert\t2
Com_set_option\t1
Com_admin_commands\t7
Com_stmt_prepare\t5
Com_stmt_execute\t5
Com_execute_sql\t1
Qcache_hits\t3
Questions\t99
Created_tmp_tables\t4
Created_tmp_disk_tables\t1
Handler_write\t2
Handler_update\t1
Handler_delete\t0
Rows_read\t36`;

test('statements of MariaDB and MySQL are counted once, however they were prepared or cached', () => {
  expect(parseMysql(MARIADB)).toEqual({
    ...{ atMs: 1_795_385_990_500, sinceMs: 1_795_385_900_500 },
    values: {
      ...{ queries: 8, 'rows-read': 36, 'rows-written': 3 },
      ...{ 'temporary-tables': 4, 'temporary-tables-on-disk': 1 },
    },
  });
  const mysql = MARIADB.replace(
    'Rows_read\t36',
    'Innodb_rows_read\t40\nInnodb_rows_inserted\t2\nInnodb_rows_updated\t3',
  );
  expect(parseMysql(mysql)?.values).toMatchObject({ 'rows-read': 40, 'rows-written': 5 });
  for (const other of ['', 'ERROR 1045 (28000): Access denied', '1795385990.5\nUptime\t3'])
    expect(parseMysql(other)).toBeNull();
});

test('commands of Redis count without those of connections, clusters and replicas', () => {
  const text = `1795385990\r\n500000\r\n# Server\r
uptime_in_seconds:90\r
# Commandstats\r
cmdstat_get:calls=7,usec=3,usec_per_call=0.43\r
cmdstat_set:calls=2,usec=3\r
cmdstat_ping:calls=50,usec=3\r
cmdstat_config|get:calls=1,usec=3\r
cmdstat_client|setinfo:calls=4,usec=3\r
cmdstat_cluster|slots:calls=20,usec=3\r
cmdstat_readonly:calls=20,usec=3\r
cmdstat_role:calls=20,usec=3\r
cmdstat_replconf:calls=60,usec=3\r
cmdstat_psync:calls=1,usec=3\r
cmdstat_sync:calls=1,usec=3\r
# Stats\r
keyspace_hits:5\r
keyspace_misses:2\r\n`;
  expect(parseRedis(text)).toEqual({
    ...{ atMs: 1_795_385_990_500, sinceMs: 1_795_385_900_500 },
    values: { 'cache-commands': 9, 'cache-hits': 5, 'cache-misses': 2 },
  });
  expect(parseRedis('NOAUTH Authentication required.\n')).toBeNull();
});

test('rows of all databases of PostgreSQL are added up; queries only where it keeps them', () => {
  const text = 'quiet true\nat 1795386067.5 1795386000.25\nmark 1\nfiles 2\nrows 36 1\nrows 10 0\n';
  expect(parsePostgres(text)).toEqual({
    ...{ atMs: 1_795_386_067_500, sinceMs: 1_795_386_000_250 },
    values: { 'rows-read': 46, 'rows-written': 1, 'temporary-tables-on-disk': 2 },
  });
  // Somebody has not written what it counted.
  expect(parsePostgres(text.replace('true', 'false'))?.values).toEqual({ 'temporary-tables-on-disk': 2 });
  expect(parsePostgres(`queries 14\n${text}`)?.values.queries).toBe(14);
  expect(parsePostgres('psql: error: connection refused')).toBeNull();
});

test('each statement of our own has the word by which it is left out', () => {
  const statements = postgresScript(['app', 'bench_1'], 'mark 1', true)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('\\'));
  expect(statements).toHaveLength(8);
  // With `track = all`, pg_stat_statements counts these by themselves.
  const nested = statements.flatMap((statement) => statement.match(/(?:PERFORM|:= NOT EXISTS)[^;]*/g) ?? []);
  expect(nested).toHaveLength(4);
  for (const statement of [...statements, ...nested])
    expect(statement.replace(/'[^']*'/g, '$1')).toContain(OWN_WORD);
});

test('statements in a log count between two marks, without ours and those that drop what was prepared', () => {
  const log = [
    'LOG:  statement: SELECT 1',
    `LOG:  statement: SELECT 'mark 1' AS ${OWN_WORD};`,
    'LOG:  execute pdo_stmt_00000001: SELECT 1',
    "DETAIL:  Parameters: $1 = 'statement: x'",
    '2026-11-22 22:37:30.691 UTC [1703] LOG:  statement: SELECT name',
    '\tFROM tags',
    'LOG:  statement: DEALLOCATE pdo_stmt_00000001',
    `LOG:  statement: SELECT 'files' AS ${OWN_WORD};`,
    'LOG:  execute <unnamed>: BEGIN',
    `LOG:  statement: SELECT 'mark 2' AS ${OWN_WORD};`,
    'LOG:  statement: SELECT 2',
  ].join('\n');
  expect(countStatements(log, 'mark 1', 'mark 2')).toBe(3);
  expect(countStatements(log, null, 'mark 1')).toBe(1);
  expect(countStatements(log, 'mark 1', 'mark 3')).toBeNull();
  expect(countStatements(log, 'mark 0', 'mark 2')).toBeNull();
});

test.each([
  ['German', 'PROTOKOLL:  Anweisung: ', ''],
  ['CSV', '2026-11-22 22:37:30.691 UTC,"app","app",1703,LOG,00000,"statement: ', '"'],
])('statements in a log in %s are unknown, and not none', (_, before, after) => {
  const statements = [`SELECT 'mark 1' AS ${OWN_WORD};`, 'SELECT 1', `SELECT 'mark 2' AS ${OWN_WORD};`];
  const log = statements.map((statement) => before + statement + after).join('\n');
  expect(countStatements(log, null, 'mark 1')).toBeNull();
  expect(countStatements(log, 'mark 1', 'mark 2')).toBeNull();
});

test('values are subtracted by name, so often', () => {
  expect(less({ a: 10, b: 2 }, { a: 3 }, 2)).toEqual({ a: 4, b: 2 });
  expect(dropNegative({ a: 0, b: -1, c: Number.NaN })).toEqual({ a: 0 });
});

test('a sum of several services is one of all that count it, or none', () => {
  const rows = { 'rows-read': 10, 'rows-written': 1, 'temporary-tables-on-disk': 0 };
  const mysql = {
    ...{ service: 'shop', kind: 'mysql' as const },
    values: { queries: 3, 'temporary-tables': 2, ...rows },
  };
  const postgres = { service: 'log', kind: 'postgresql' as const, values: { queries: 4, ...rows } };
  expect(addUp([mysql, postgres])).toEqual({
    values: {
      ...{ queries: 7, 'rows-read': 20, 'rows-written': 2 },
      ...{ 'temporary-tables': 2, 'temporary-tables-on-disk': 0 },
    },
    missing: [],
  });
  // PostgreSQL has no counter of temporary tables in memory, so MySQL's number is all of them.
  const logged = { ...postgres, values: rows };
  const without = addUp([mysql, logged]);
  expect(Object.keys(without.values)).not.toContain('queries');
  expect(without.values).toMatchObject({ 'rows-read': 20, 'temporary-tables': 2 });
  expect(without.missing).toEqual([{ name: 'queries', service: 'log' }]);
  const cache = { service: 'cache', kind: 'redis' as const, values: {} };
  expect(Object.keys(addUp([mysql, cache]).values)).toEqual(Object.keys(mysql.values));
  expect(addUp([mysql, { ...postgres, values: {} }]).values).toEqual({ 'temporary-tables': 2 });
  expect(addUp([mysql, { service: 'unknown', kind: null, values: {} }]).values).toEqual({});
});

const PROBE = '{"Start":"2026-11-22T22:00:01Z","End":"2026-11-22T22:00:02Z","ExitCode":0,"Output":""}';

test('health checks are known by their times', () => {
  const health = parseHealth(
    `{"Test":["CMD-SHELL","ping || exit 1"],"Interval":1000000000}\t{"Status":"healthy","Log":[${PROBE}]}`,
  );
  expect(health).toMatchObject({ command: ['sh', '-c', 'ping || exit 1'], intervalMs: 1000 });
  const probes = health?.probes ?? [];
  const at = Date.parse('2026-11-22T22:00:00Z');
  const within = (from: number, to: number) => probesWithin(probes, at + from, at + to);
  expect(within(0, 3000)).toEqual({ within: 1, onEdge: false });
  expect(within(1500, 3000)).toEqual({ within: 0, onEdge: true });
  expect(within(0, 1500)).toEqual({ within: 0, onEdge: true });
  expect(within(2500, 3000)).toEqual({ within: 0, onEdge: false });
  expect(
    probesWithin(
      probes.map((probe) => ({ ...probe, failed: true })),
      at,
      at + 3000,
    ).onEdge,
  ).toBe(true);
  // The next one begins at 3 s at the earliest.
  expect(health && isComplete(health, at + 2900)).toBe(true);
  expect(health && isComplete(health, at + 3100)).toBe(false);
  expect(parseHealth('null\tnull')).toBeNull();
  expect(parseHealth('{"Test":["NONE"]}\tnull')).toBeNull();
});
