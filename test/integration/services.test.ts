// Services for real: MariaDB and PostgreSQL by compose files, a database for each variant, nothing left however a run ends.
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { realHost } from '../../src/host.ts';
import { expectRow } from '../faults/elsewhere.ts';
import { readPage } from '../fixtures/docs.ts';
import {
  docker,
  findImages,
  LABEL,
  leftovers,
  makeProject,
  type Project,
  root,
  slicesOf,
  told,
} from './bench.ts';

const COMPOSE = `
services:
  mariadb:
    image: mariadb:11
    environment:
      MARIADB_ROOT_PASSWORD: secret
    ports: ['3306:3306']
    healthcheck:
      test: [CMD, healthcheck.sh, --connect, --innodb_initialized]
      interval: 1s
      retries: 60
    volumes: ['data:/var/lib/mysql']
  once:
    image: mariadb:11
    entrypoint: [sh, -c, exit 0]
    healthcheck: { test: [CMD, 'true'] }
volumes:
  data:
`;
const CONFIG = `
app: database
runtimes: [apache, nginx-fpm]
extensions: [pdo_mysql]
env:
  DB_HOST: mariadb
  DB_PASSWORD: secret
  DB_DATABASE: '{variant}'
services:
  file: compose.yaml
  reset:
    mariadb: mariadb -uroot -psecret -e "DROP DATABASE IF EXISTS $BENCH_DATABASE; CREATE DATABASE $BENCH_DATABASE"
set-up: php set-up.php
`;

const { code: noCompose } = await realHost.exec('docker', ['compose', 'version']);

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  cpSync(join(root, 'test/fixtures/apps/database'), join(project.folder, 'database'), { recursive: true });
  writeFileSync(join(project.folder, 'compose.yaml'), COMPOSE);
  const write = (name: string, text: string) => writeFileSync(join(project.folder, name), text);
  write('.bench.yml', CONFIG);
  write('broken.yml', CONFIG.replace('php set-up.php', 'echo no tables here; exit 1'));
  write('unhealthy.yml', CONFIG.replace('compose.yaml', 'unhealthy.yaml'));
  write(
    'unhealthy.yaml',
    COMPOSE.replace(/test: .*/, "test: [CMD, 'false']").replace('retries: 60', 'retries: 1'),
  );
  write('ended.yml', CONFIG.replace('compose.yaml', 'stack/compose.yaml'));
  mkdirSync(join(project.folder, 'bin'));
  const real = (await realHost.exec('sh', ['-c', 'command -v docker'])).stdout.trim();
  write(
    'bin/docker',
    `#!/bin/sh\ncase $1 in compose) echo 'docker: unknown command: docker compose' >&2; exit 1 ;; esac\nexec ${real} "$@"\n`,
  );
  chmodSync(join(project.folder, 'bin/docker'), 0o755);
});
afterAll(() => project.remove());
afterEach(async () => expect(await leftovers()).toEqual([]));

// A timeout longer than a busy machine stands still for.
const LOAD = ['--paths=/', '--load=vus(2, 1s)', '--warmup=0s', '--timeout=10s', '--blocks=1', '--wait'];

/** A test that needs docker's compose plugin. */
function withCompose(name: string, body: () => Promise<void>) {
  test(name, async ({ skip }) => {
    if (noCompose !== 0) skip('docker has no compose plugin here');
    await body();
  });
}

const LOST = `<?php
try {
  $database = new PDO('mysql:host=mariadb;dbname=' . getenv('DB_DATABASE'), 'root', getenv('DB_PASSWORD'));
  $names = $database->query("SELECT 'Wheelbarrow' AS name")->fetchColumn();
  echo str_repeat("<li>$names, galvanised</li>", 50);
} catch (PDOException) {
  echo '<p>Error establishing a database connection</p>';
}`;

withCompose('a database that is lost while the page says so with 200 fails its variant', async () => {
  mkdirSync(join(project.folder, 'lost/public'), { recursive: true });
  writeFileSync(join(project.folder, 'lost/public/index.php'), LOST);
  const config = CONFIG.replace('app: database', 'app: lost').replace('php set-up.php', "'true'");
  writeFileSync(join(project.folder, 'lost.yml'), config.replace('[apache, nginx-fpm]', '[apache]'));
  const run = project.run(
    'without',
    ...['--config', 'lost.yml', '--paths', '/', '--load', 'vus(2, 8s)', '--warmup', '0s'],
    ...['--instances', '1', '--blocks', '1', '--wait'],
  );
  // Asked for before the load, of which a busy engine would use up seconds.
  await told(run, 'instance 1/1: starting');
  // Other tests have a database of that name at the same time.
  const filters = ['--filter', LABEL, '--filter', 'label=com.docker.compose.service=mariadb'];
  const mariadb = await docker('ps', '--quiet', ...filters);
  await told(run, 'instance 1/1: paths');
  await docker('exec', mariadb, 'mariadb', '-uroot', '-psecret', '-e', 'DROP DATABASE bench_1');
  const { code, stdout, stderr } = await run.done;
  expect(code, stderr).toBe(3);
  const [variant] = project.results('without').variants;
  expect(variant?.failure).toMatchObject({
    stage: 'run',
    reason: expect.stringMatching(/establishing a database connection/),
    answer: { status: 200, body: 'Error establishing a database connection' },
  });
  expect(stdout).toContain('| Error establishing a database connection');
});

/**
 * Attributes of what the engine removes until `body` has ended, in their order. Asked afterwards, it has only its last 256
 * events.
 */
async function removedDuring(body: () => Promise<void>): Promise<Record<string, string>[]> {
  const removed: { ID: string; Attributes: Record<string, string> }[] = [];
  const since = String(Math.floor(Date.now() / 1000));
  const events = realHost.start(
    'docker',
    ['events', '--since', since, '--filter', 'event=destroy', '--format', '{{json .Actor}}'],
    { onLine: (line) => removed.push(JSON.parse(line)) },
  );
  try {
    await body();
    // Once this one is known, all before it are.
    const last = await docker('volume', 'create');
    await docker('volume', 'rm', last);
    await expect.poll(() => removed.map(({ ID }) => ID)).toContain(last);
  } finally {
    events.kill('SIGTERM');
    await events.done;
  }
  return removed.map(({ Attributes }) => Attributes);
}

withCompose('each variant has a database of its own, fresh for each start', async () => {
  const events = await removedDuring(async () => {
    const { code, stdout, stderr } = await project.run('db', ...LOAD, '--instances', '2').done;
    expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
    expect(stdout).not.toContain('failed');
  });
  const { measurements, warnings, plan, run } = project.results('db');
  // Networks have no label there, but the run's id in their name.
  const ours = events.filter((attributes) => JSON.stringify(attributes).includes(run.id));
  const removed = ours.map(({ name }) => name);
  expect(removed).toEqual(expect.arrayContaining([`php-runtime-bench-${run.id}_default`]));
  expect(removed.join()).toMatch(/mariadb/);
  // A run that waits begins when the arena is gone, and takes what is still there for that of a dead run.
  expect(removed.at(-1)).toMatch(/-arena$/);
  expect(measurements).toHaveLength(4);
  for (const m of measurements) expect(m).toMatchObject({ outcome: 'ok', errors: [] });
  // For whom the database worked is known, although the two take turns.
  expect(measurements[0]?.turnMs).not.toBeNull();
  for (const m of measurements) expect(m.services).not.toBeNull();
  expect(measurements.reduce((sum, { services }) => sum + (services?.usedUs ?? 0), 0)).toBeGreaterThan(0);
  expect(warnings.some(({ code }) => code === 'shared-services')).toBe(plan.cpus.services.length === 0);
  const log = readFileSync(join(project.folder, 'db/raw/services/mariadb.log'), 'utf8');
  expect(log).toContain('ready for connections');
  // Resources of the service are read like those of the servers.
  expect(readFileSync(join(project.folder, 'db/raw/resources/0.txt'), 'utf8')).toMatch(
    /^# columns: .* mariadb /,
  );
});

test('Laravel has accounts in PostgreSQL, by the file of the docs', async ({ skip }) => {
  if (noCompose !== 0) skip('docker has no compose plugin here');
  const [, mapped] = await findImages();
  const image = mapped === undefined ? null : parse(readFileSync(mapped, 'utf8'))['postgres:17'];
  if (image !== null && (await realHost.exec('docker', ['image', 'inspect', String(image)])).code !== 0)
    skip('postgres:17 is not available here');
  const text = readPage('docs/apps.md').files['.bench-postgres.yml'] as string;
  writeFileSync(join(project.folder, '.bench-postgres.yml'), text);
  const flags = ['--config', '.bench-postgres.yml', '--runtimes', 'apache', '--instances', '1', '--wait'];
  const load = ['--load', 'vus(2, 2s)', '--blocks', '1', '--warmup', '0s'];
  const { code, stderr } = await project.run('postgres', ...flags, ...load).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const [slice] = project.results('postgres').measurements;
  expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
  const asked = slice?.endpoints.filter(({ requests, failures }) => requests > 0 && failures === 0);
  expect(asked?.map(({ name }) => name)).toEqual(['GET /', 'POST /register', 'POST /login', 'GET /user']);
  const log = readFileSync(join(project.folder, 'postgres/raw/services/postgres.log'), 'utf8');
  expect(log).toContain('ready to accept connections');
});

const READER = `<?php
$database = new PDO('pgsql:host=postgres;dbname=' . getenv('BENCH_DATABASE'), 'postgres', 'secret');
$names = $database->query('SELECT name FROM articles')->fetchAll(PDO::FETCH_COLUMN);
if ($names !== ['Wheelbarrow']) http_response_code(500);
echo implode(' ', $names), ' in ', getenv('BENCH_DATABASE');`;

withCompose('a dump fills the database of each variant, and one that fails names its error', async () => {
  mkdirSync(join(project.folder, 'reader/public'), { recursive: true });
  writeFileSync(join(project.folder, 'reader/public/index.php'), READER);
  for (const [name, sql] of [
    [
      'good',
      // As pg_dump writes whom a table belongs to, and who may read it: roles that a fresh server has not.
      `CREATE TABLE public.articles (name text);
ALTER TABLE public.articles OWNER TO shop;
ALTER DEFAULT PRIVILEGES FOR ROLE "the owner" IN SCHEMA public GRANT SELECT ON TABLES TO reader;
CREATE POLICY "all" ON public.articles FOR SELECT TO authenticated USING (true);
GRANT SELECT ON TABLE public.articles TO "read only";
REVOKE ALL ON TABLE public.articles FROM PUBLIC;
INSERT INTO articles VALUES ('Wheelbarrow');`,
    ],
    ['bad', 'CREATE TABLE articles (name text); INSERT INTO products VALUES (1);'],
    ['elsewhere', 'CREATE DATABASE shop;\n\\connect shop\nCREATE TABLE articles (name text);'],
  ] as const) {
    writeFileSync(join(project.folder, `${name}.sql.gz`), gzipSync(sql));
    const services = `services: { image: postgres:17, dump: ${name}.sql.gz }`;
    writeFileSync(
      join(project.folder, `${name}.yml`),
      `app: reader\nruntimes: [apache, nginx-fpm]\nextensions: [pdo_pgsql]\n${services}\n`,
    );
  }
  const load = ['--paths=/', '--load=requests(2, 1)', '--warmup=0s', '--timeout=10s', '--instances=2'];
  const run = (name: string) =>
    project.run(name, ...load, '--blocks', '1', '--wait', '--config', `${name}.yml`).done;
  const good = await run('good');
  expect({ code: good.code, said: good.code === 0 ? '' : good.stderr }).toEqual({ code: 0, said: '' });
  const { measurements } = project.results('good');
  expect(measurements).toHaveLength(4);
  for (const m of measurements) expect(m).toMatchObject({ outcome: 'ok', errors: [] });
  const bad = await run('bad');
  expect(bad).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('its database in postgres could not be made'),
  });
  expect(bad.stderr).toContain('relation "products" does not exist');
  const elsewhere = await run('elsewhere');
  expect(elsewhere).toMatchObject({ code: 3 });
  expect(elsewhere.stderr).toMatch(/the dump created no table in bench_\d/);
});

test('set-up runs in each start of a variant, with and without services', async () => {
  mkdirSync(join(project.folder, 'counter/public'), { recursive: true });
  writeFileSync(
    join(project.folder, 'counter/public/index.php'),
    `<?php if (isset($_GET['install'])) file_put_contents('../starts', 'x', FILE_APPEND);
     // It was set up once in this container, neither never nor twice.
     elseif (@filesize('../starts') !== 1) http_response_code(503);
     echo 'installed';`,
  );
  writeFileSync(
    join(project.folder, 'counter.yml'),
    'app: counter\nruntimes: [apache, nginx-fpm]\nset-up: curl -fsS "http://127.0.0.1:$PORT/?install=1"\n',
  );
  const load = ['--paths=/', '--load=requests(2, 1)', '--warmup=0s', '--timeout=10s', '--instances=2'];
  const { code, stderr } = await project.run(
    'counted',
    ...load,
    ...['--blocks', '1', '--wait', '--config', 'counter.yml'],
  ).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { measurements } = project.results('counted');
  expect(measurements).toHaveLength(4);
  for (const m of measurements) expect(m).toMatchObject({ outcome: 'ok', errors: [] });
});

withCompose('a reset or a set-up that fails names its last words, and the run goes on', async () => {
  const { code, stderr } = await project.run(
    'broken',
    ...LOAD,
    ...['--config', 'broken.yml', '--instances', '1', '--runtimes', 'apache'],
  ).done;
  expect(code).toBe(3);
  expect(stderr).toContain('set-up failed: exit code 1');
  expect(slicesOf(project.results('broken'), 'apache@8.4')).toEqual([]);
});

withCompose('a set-up over HTTP that fails shows what the app logged', async () => {
  mkdirSync(join(project.folder, 'refused/public'), { recursive: true });
  const page = "<?php new PDO('mysql:host=mariadb', 'root', 'wrong');";
  writeFileSync(join(project.folder, 'refused/public/index.php'), page);
  writeFileSync(
    join(project.folder, 'refused.yml'),
    `app: refused\nextensions: [pdo_mysql]\nservices: compose.yaml\nset-up: curl -fsS "http://127.0.0.1:$PORT/"\n`,
  );
  const flags = ['--config', 'refused.yml', '--instances', '1', '--runtimes', 'apache,nginx-fpm'];
  const { code, stderr } = await project.run('failing', ...LOAD, ...flags).done;
  expect(code, stderr).toBe(3);
  const { variants } = project.results('failing');
  expect(variants).toHaveLength(2);
  for (const { failure } of variants)
    expect(failure).toMatchObject({
      stage: 'start',
      reason: expect.stringMatching(
        /^set-up failed: .*: 500; the server's log: Uncaught PDOException: .*1045/,
      ),
      log: expect.stringMatching(/error: 500.*Access denied for user/s),
    });
});

withCompose('services go when the run is stopped, and when it is killed', async () => {
  const stopped = project.run('stopped', ...LOAD, '--instances', '9', '--runtimes', 'apache');
  await told(stopped, 'starting services');
  stopped.kill('SIGINT');
  expect((await stopped.done).code).toBe(130);
  expect(await leftovers()).toEqual([]);

  const killed = project.run('killed', ...LOAD, '--instances', '9', '--runtimes', 'apache');
  await told(killed, 'instance 1/9: paths');
  killed.kill('SIGKILL');
  await killed.done;
  // The next one sweeps, before it fails for a reason of its own.
  const next = await project.run('next', ...LOAD, '--runtimes', 'apache', '--config', 'unhealthy.yml').done;
  expectRow('no-service', { code: next.code, printed: next.stderr });
  expect(next.stderr).toMatch(/the services did not start\n {2}found: {3}mariadb is unhealthy/);
});

withCompose('a service that ends with an error ends the run, and says why', async () => {
  // Its profile is chosen beside the file, and another network has its addresses.
  const format = '{{(index .IPAM.Config 0).Subnet}}';
  const subnet = await docker('network', 'inspect', '--format', format, 'bridge');
  const networks = `networks: { default: { ipam: { config: [{ subnet: ${subnet} }] } } }\n`;
  const text = COMPOSE.replace('exit 0]', 'echo no such table; exit 3]\n    profiles: [checks]');
  mkdirSync(join(project.folder, 'stack'));
  writeFileSync(join(project.folder, 'stack/compose.yaml'), `${text}${networks}`);
  writeFileSync(join(project.folder, 'stack/.env'), 'COMPOSE_PROFILES=checks\n');
  const { code, stderr } = await project.run('ended', ...LOAD, '--config', 'ended.yml').done;
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /the services did not start[\s\S]*found: {3}once ended with exit code 3\n[\s\S]* once: no such table/,
  );
});

const makeArgv = async () => ['run', ...(await findImages()), ...LOAD, '--out', 'none'];

test('a missing compose plugin is reported before anything starts', async () => {
  const without = await project.cli(await makeArgv(), {
    env: { PATH: `${join(project.folder, 'bin')}:${process.env.PATH}` },
  });
  expect(without).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^docker compose is missing.*\n {2}found: .*unknown command/),
  });
});

withCompose('a compose file that cannot be used is reported before anything starts', async () => {
  const argv = await makeArgv();
  const wrong = await project.cli([...argv, '--services', 'broken.yml']);
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the compose file cannot be used'),
  });
  for (const [key, found] of [
    ['network_mode: host', 'db: network_mode: host'],
    ['scale: 2', 'db: scale: 2'],
    ['deploy: {replicas: 3}', 'db: deploy.replicas: 3'],
  ] as const) {
    const text = `services:\n  db:\n    image: mariadb:11\n    ${key}\n`;
    writeFileSync(join(project.folder, 'unfit.yml'), text);
    const unfit = await project.cli([...argv, '--services', 'unfit.yml']);
    expect(unfit.stderr).toMatch(/unfit\.yml: this service cannot be used in a run\n/);
    expect(unfit.stderr).toContain(`  found:   ${found}\n`);
    expect(unfit).toMatchObject({ code: 2, stdout: '' });
  }
});
