import { type Docker, DockerError, inspectContainer, lastLines } from '../../engine/docker.ts';
import {
  type CounterReading,
  countStatements,
  FIND_SERVERS,
  parseMysql,
  parsePostgres,
  parseRedis,
  postgresScript,
  type ServerKind,
  serverKindOf,
} from './counter-values.ts';

/** A service of the run whose counters can be read. */
export interface CountedService {
  service: string;
  container: string;
  kind: ServerKind;
  read(): Promise<CounterReading>;
  /** Undoes what reading needed. */
  close(): Promise<void>;
}

export interface ReadWorld {
  docker: Docker;
  host: { elapsed(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  signal: AbortSignal;
}

/** Passwords come from the environment of the container and reach the client by its own: they stand on no command line. */
const MYSQL_SCRIPT = `client=$(command -v mariadb || command -v mysql)
password=\${MARIADB_ROOT_PASSWORD:-\${MYSQL_ROOT_PASSWORD:-}}
file=\${MARIADB_ROOT_PASSWORD_FILE:-\${MYSQL_ROOT_PASSWORD_FILE:-}}
if [ -n "$file" ]; then password=$(cat "$file"); fi
ask() { MYSQL_PWD=$2 "$client" --user="$1" --batch --skip-column-names --execute='SELECT UNIX_TIMESTAMP(NOW(6)); SHOW GLOBAL STATUS'; }
ask root "$password" || ask "\${MARIADB_USER:-\${MYSQL_USER:-root}}" "\${MARIADB_PASSWORD:-\${MYSQL_PASSWORD:-}}"`;

const REDIS_SCRIPT = `client=$(command -v redis-cli || command -v valkey-cli)
password=\${REDISCLI_AUTH:-\${REDIS_PASSWORD:-\${VALKEY_PASSWORD:-}}}
if [ -n "$password" ]; then export REDISCLI_AUTH="$password"; fi
printf 'TIME\\nINFO server\\nINFO commandstats\\nINFO stats\\n' | "$client"`;

const PSQL = `if [ -n "\${POSTGRES_PASSWORD_FILE:-}" ]; then POSTGRES_PASSWORD=$(cat "$POSTGRES_PASSWORD_FILE"); fi
export PGPASSWORD="\${POSTGRES_PASSWORD:-}" PGOPTIONS='-c client_min_messages=error'
exec psql --no-psqlrc --username="\${POSTGRES_USER:-postgres}" --dbname=postgres --tuples-only --no-align --quiet`;

/** Kind of the server in a container; null: no known one, or the container has ended. Errors: not known. */
export async function findKind(world: ReadWorld, container: string): Promise<ServerKind | null> {
  const found = await world.docker.try(['exec', container, 'sh', '-c', FIND_SERVERS], options(world));
  world.signal.throwIfAborted();
  if (found.code === 0) return serverKindOf(found.stdout);
  if (NO_SHELL.has(found.code) || !(await inspectContainer(world.docker, container))?.running) return null;
  throw new Error(lastLines(found.stderr, 1) || `exit code ${found.code}`);
}

/** As docker exec and shells report that there is no such program, or none that can be started. */
const NO_SHELL: ReadonlySet<number> = new Set([126, 127]);

/** Ready to be read. Errors: it cannot be read, and why. */
export async function openService(
  world: ReadWorld,
  { service, container, kind }: Pick<CountedService, 'service' | 'container' | 'kind'>,
): Promise<CountedService> {
  const { read, close } = await READERS[kind](world, container);
  await orClose(close, read());
  return { service, container, kind, read, close };
}

/** Takes back what was set for the count if this fails, or if the run is stopped meanwhile. */
async function orClose<T>(close: () => Promise<void>, work: Promise<T>): Promise<T> {
  return work.catch(async (error) => {
    await close().catch(() => {});
    throw error;
  });
}

type Reader = Pick<CountedService, 'read' | 'close'>;

const READERS: Record<ServerKind, (world: ReadWorld, container: string) => Promise<Reader>> = {
  mysql: async (world, container) => simpleReader(world, container, MYSQL_SCRIPT, parseMysql),
  redis: async (world, container) => simpleReader(world, container, REDIS_SCRIPT, parseRedis),
  postgresql: openPostgres,
};

function simpleReader(
  world: ReadWorld,
  container: string,
  script: string,
  parse: (text: string) => CounterReading | null,
): Reader {
  const read = async () => understood(parse, await run(world, container, script));
  return { read, close: async () => {} };
}

function understood(parse: (text: string) => CounterReading | null, text: string): CounterReading {
  const reading = parse(text);
  if (reading) return reading;
  throw new Error(`its client printed no counters: ${lastLines(text, 1).slice(0, 200)}`);
}

/** Errors: with the last words of the client. */
async function run(world: ReadWorld, container: string, script: string, input = ''): Promise<string> {
  const args = ['exec', '--interactive', container, 'sh', '-c', script];
  const finished = await world.docker.try(args, { ...options(world), input });
  world.signal.throwIfAborted();
  if (finished.code === 0) return finished.stdout;
  throw new Error(
    lastLines(finished.stderr || finished.stdout, 1) || new DockerError(args, finished).message,
  );
}

const options = ({ signal }: ReadWorld) => ({ signal, timeoutMs: 60_000 });

/** A lost engine is not waited for. */
const CLOSE_MS = 5000;

/**
 * Statements are counted by pg_stat_statements where the server has loaded it, else in its log, which it can begin to write
 * without a restart.
 */
async function openPostgres(world: ReadWorld, container: string): Promise<Reader> {
  const psql = (input: string) => run(world, container, PSQL, `\\set ON_ERROR_STOP on\n${input}`);
  const hasStatements = (await psql('SHOW shared_preload_libraries;')).includes('pg_stat_statements');
  // The setting would outlive the run in a volume of the user's: it is taken back after a stop, too.
  const close = async () => {
    const args = ['exec', '--interactive', container, 'sh', '-c', PSQL];
    if (!hasStatements) await world.docker.try(args, { input: STOP_LOG, timeoutMs: CLOSE_MS });
  };
  await orClose(
    close,
    psql(hasStatements ? 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements;' : START_LOG),
  );
  const log = { mark: null as string | null, fromMs: 0, statements: 0, missing: false };
  let number = 0;
  const read = async () => {
    const { names, isAll } = await listDatabases(psql);
    const mark = `mark ${Math.round(world.host.elapsed())}-${number++} of php-runtime-bench`;
    const reading = understood(
      (text) => withoutRows(parsePostgres(text), !isAll),
      await psql(postgresScript(names, mark, hasStatements)),
    );
    if (hasStatements || log.missing) return reading;
    const counted = await readStatements(world, container, log, mark);
    // A log that goes elsewhere.
    log.missing = counted === null;
    if (counted === null) return reading;
    Object.assign(log, { mark, fromMs: reading.atMs - 2000, statements: log.statements + counted });
    return { ...reading, values: { ...reading.values, queries: log.statements } };
  };
  return { read, close };
}

/** In English, as the statements in it are found by their words. */
const START_LOG = `ALTER SYSTEM SET log_statement = 'all';
ALTER SYSTEM SET lc_messages = 'C';
SELECT pg_reload_conf() AS php_runtime_bench;
SELECT pg_sleep(0.5);
`;
const STOP_LOG =
  'ALTER SYSTEM RESET log_statement;\nALTER SYSTEM RESET lc_messages;\nSELECT pg_reload_conf();\n';

/** Those whose names need no more than quotes, and whether these are all. Others are an empty line each. */
async function listDatabases(psql: (input: string) => Promise<string>) {
  const query =
    "SELECT CASE WHEN datname ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]*$' THEN datname ELSE '' END AS php_runtime_bench FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1;";
  const lines = (await psql(query)).replace(/\n$/, '').split('\n');
  const names = lines.filter((name) => /^\w[\w.-]{0,62}$/.test(name));
  return { names, isAll: names.length === lines.length };
}

/** Rows of some databases are not those of the server. */
function withoutRows(reading: CounterReading | null, isPartial: boolean): CounterReading | null {
  if (!reading || !isPartial) return reading;
  const values = Object.entries(reading.values).filter(([name]) => !name.startsWith('rows-'));
  return { ...reading, values: Object.fromEntries(values) };
}

/** How long the engine may take to pass a line of a log on, ms. */
const LOG_MS = 5000;

/** Statements since the last mark; null: the log does not come here. */
async function readStatements(
  { docker, host, signal }: ReadWorld,
  container: string,
  { mark: from, fromMs }: { mark: string | null; fromMs: number },
  to: string,
): Promise<number | null> {
  const since = from === null ? ['--tail', '100'] : ['--since', (fromMs / 1000).toFixed(3)];
  const deadline = host.elapsed() + LOG_MS;
  for (;;) {
    const { stdout, stderr } = await docker.try(['container', 'logs', ...since, container], { signal });
    signal.throwIfAborted();
    const found = countStatements(`${stdout}\n${stderr}`, from, to);
    if (found !== null || host.elapsed() > deadline) return found;
    await host.sleep(100, signal);
  }
}
