// MySQL by its image alone. Stand-ins have MariaDB under this name, with MySQL's programs and variables.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { realHost } from '../../src/host.ts';
import { readPage } from '../fixtures/docs.ts';
import { findImages, leftovers, makeProject, type Project } from './bench.ts';
import { countsOf, LIMIT_MS } from './count-databases.ts';

const IMAGE = 'mysql:8.4';
const { code: noCompose } = await realHost.exec('docker', ['compose', 'version']);

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  mkdirSync(join(project.folder, 'reader/public'), { recursive: true });
  writeFileSync(join(project.folder, 'reader/public/index.php'), READER);
});
afterAll(() => project.remove());
afterEach(async () => expect(await leftovers()).toEqual([]));

/** By TCP and with the password, as apps connect. */
const READER = `<?php
$database = new PDO('mysql:host=mysql;dbname=' . getenv('DB_DATABASE'), 'root', 'secret');
$names = $database->query('SELECT name FROM articles')->fetchAll(PDO::FETCH_COLUMN);
if ($names !== ['Wheelbarrow'] || getenv('DB_DATABASE') !== getenv('BENCH_DATABASE')) http_response_code(500);
echo implode(' ', $names);`;

/** Why this machine cannot run these tests; null: it can. */
async function findObstacle(): Promise<string | null> {
  if (noCompose !== 0) return 'docker has no compose plugin here';
  const [, mapped] = await findImages();
  const image = mapped === undefined ? null : parse(readFileSync(mapped, 'utf8'))[IMAGE];
  const has = image && (await realHost.exec('docker', ['image', 'inspect', String(image)])).code === 0;
  return image === null || has ? null : `${IMAGE} is not available here`;
}

/** A test that needs the image. */
function withMysql(name: string, body: () => Promise<void>) {
  test(name, { timeout: LIMIT_MS }, async ({ skip }) => {
    const obstacle = await findObstacle();
    if (obstacle !== null) skip(obstacle);
    await body();
  });
}

const LOAD = ['--paths=/', '--load=requests(2, 1)', '--warmup=0s', '--timeout=10s', '--blocks=1', '--wait'];

/** A run of the reader with this dump. */
function runReader(name: string, sql: string, ...flags: string[]) {
  writeFileSync(join(project.folder, `${name}.sql.gz`), gzipSync(sql));
  const services = `services: { image: ${IMAGE}, dump: ${name}.sql.gz }`;
  const env = "env: { DB_DATABASE: '{variant}' }";
  writeFileSync(
    join(project.folder, `${name}.yml`),
    `app: reader\nextensions: [pdo_mysql]\n${services}\n${env}\n`,
  );
  return project.run(name, ...LOAD, '--config', `${name}.yml`, ...flags).done;
}

/** As mysqldump writes what its server knows, which another server takes once only. */
const GTIDS =
  "SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-17,\n4e11fa47-71ca-11e1-9e33-c80aa9429562:1-3';\n";
const GOOD = "CREATE TABLE articles (name VARCHAR(20));\nINSERT INTO articles VALUES ('Wheelbarrow');\n";

withMysql('a dump fills the database of each variant, and its queries are counted', async () => {
  const runtimes = ['--runtimes', 'apache,nginx-fpm', '--instances', '2'];
  const { code, stderr } = await runReader('good', GTIDS + GOOD, ...runtimes, '--count', 'services');
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { measurements, counts, warnings } = project.results('good');
  expect(measurements).toHaveLength(4);
  for (const m of measurements) expect(m).toMatchObject({ outcome: 'ok', errors: [] });
  // Health checks ask by TCP each second, and are in no count.
  expect(countsOf({ counts }), stderr).toMatchObject({ head: { queries: [1], 'rows-read': [1] } });
  expect(warnings.filter(({ code }) => code === 'count')).toEqual([]);
  const log = readFileSync(join(project.folder, 'good/raw/services/mysql.log'), 'utf8');
  expect(log).toContain('ready for connections');
  expect(log).not.toContain('Access denied');
});

withMysql('views of a dump run as users that its own server had', async () => {
  const view =
    '/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`shop`@`10.%` SQL SECURITY DEFINER */\n';
  const sql = `${GOOD}RENAME TABLE articles TO goods;\n${view}/*!50001 VIEW articles AS SELECT name FROM goods */;\n`;
  const { code, stderr } = await runReader('views', sql, '--runtimes', 'apache', '--instances', '1');
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
});

withMysql('a dump that fails names its error, and one that fills another database is refused', async () => {
  const runtimes = ['--runtimes', 'apache', '--instances', '1'];
  const bad = await runReader('bad', `${GOOD}INSERT INTO products VALUES (1);\n`, ...runtimes);
  expect(bad).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('its database in mysql could not be made'),
  });
  expect(bad.stderr).toMatch(/Table 'bench_1\.products' doesn't exist/);
  const elsewhere = await runReader('elsewhere', `CREATE DATABASE shop;\nUSE shop;\n${GOOD}`, ...runtimes);
  expect(elsewhere).toMatchObject({ code: 3 });
  expect(elsewhere.stderr).toMatch(/the dump created no table in bench_1/);
});

withMysql('Laravel has accounts in MySQL, by the settings of the docs', async () => {
  const { blocks } = readPage('docs/apps.md');
  const settings = blocks.find(({ file, text }) => file === '.bench.yml' && text.includes(IMAGE));
  writeFileSync(join(project.folder, 'laravel.yml'), settings?.text ?? 'no such file in the docs');
  // The bundled app has a key, and no .env.example.
  const app = ['--app', 'laravel', '--prepare', 'true', '--scenarios', 'auth', '--runtimes', 'apache'];
  const load = ['--load', 'vus(2, 2s)', '--instances', '1', '--blocks', '1', '--warmup', '0s', '--wait'];
  const { code, stderr } = await project.run('laravel', '--config', 'laravel.yml', ...app, ...load).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const [slice] = project.results('laravel').measurements;
  expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
  const asked = slice?.endpoints.filter(({ requests, failures }) => requests > 0 && failures === 0);
  expect(asked?.map(({ name }) => name)).toEqual(['GET /', 'POST /register', 'POST /login', 'GET /user']);
});
