// Counts of what databases do per request: exact numbers on both sides, whatever health checks ask meanwhile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import { leftovers, makeProject, type Project } from './bench.ts';
import { COUNTED, countsOf, DATABASES, type Database, LIMIT_MS } from './count-databases.ts';

const { code: noCompose } = await realHost.exec('docker', ['compose', 'version']);

const CONNECT = `$database = new PDO(getenv('DSN') . ';dbname=' . getenv('BENCH_DATABASE'), getenv('DB_USER'), 'secret');
$database->setAttribute(PDO::ATTR_DEFAULT_FETCH_MODE, PDO::FETCH_NUM);`;

const SET_UP = `<?php
${CONNECT}
$database->exec('CREATE TABLE articles (id INT PRIMARY KEY, name VARCHAR(20))');
$database->exec('CREATE TABLE tags (article INT, name VARCHAR(20))');
$database->exec('CREATE TABLE visits (path VARCHAR(20))');
for ($i = 1; $i <= 12; $i++) {
    $database->exec("INSERT INTO articles VALUES ($i, 'Wheelbarrow')");
    $database->exec("INSERT INTO tags VALUES ($i, 'new'), ($i, 'red')");
}`;

/** Three queries that read 12 + 24 rows and write one. */
const ONE_QUERY = `<?php
${CONNECT}
$database->prepare('INSERT INTO visits VALUES (?)')->execute(['/']);
$tags = [];
foreach ($database->query('SELECT article, name FROM tags') as [$article, $name]) $tags[$article][] = $name;
foreach ($database->query('SELECT id, name FROM articles ORDER BY id') as [$id, $name]) echo $name, ' ', implode(' ', $tags[$id]), "\\n";
`;

/** The same page by 14 queries: one for the tags of each article, which reads all 24. */
const MANY_QUERIES = `<?php
${CONNECT}
$database->prepare('INSERT INTO visits VALUES (?)')->execute(['/']);
foreach ($database->query('SELECT id, name FROM articles ORDER BY id')->fetchAll() as [$id, $name]) {
    $tags = $database->prepare('SELECT name FROM tags WHERE article = ?');
    $tags->execute([$id]);
    echo $name, ' ', implode(' ', array_column($tags->fetchAll(), 0)), "\\n";
}
`;

const configOf = (name: Database) => `
app: app
runtimes: apache
extensions: [${DATABASES[name].extension}]
env: ${DATABASES[name].env}
services: { file: ${name}.yaml, reset: { db: '${DATABASES[name].reset}' } }
set-up: php set-up.php
`;

/** PostgreSQL that counts each statement itself, and those within functions and blocks. */
const STATEMENTS = 'postgres-statements';
const WITH_STATEMENTS =
  'command: postgres -c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.track=all';

const INDEX = 'app/public/index.php';
let project: Project;
beforeAll(async () => {
  project = await makeProject();
  for (const name of Object.keys(DATABASES) as Database[]) {
    project.write({ [`${name}.yaml`]: DATABASES[name].compose, [`${name}.bench.yml`]: configOf(name) });
  }
  project.write({
    [`${STATEMENTS}.yaml`]: DATABASES.postgres.compose.replace(/^( +)image:/m, `$1${WITH_STATEMENTS}\n$&`),
    [`${STATEMENTS}.bench.yml`]: configOf('postgres').replace('postgres.yaml', `${STATEMENTS}.yaml`),
  });
  project.commit({ '.gitignore': '/out-*\n', 'app/set-up.php': SET_UP, [INDEX]: ONE_QUERY });
});
afterAll(() => project.remove());
afterEach(async () => expect(await leftovers()).toEqual([]));

test.for(Object.keys(DATABASES) as Database[])(
  'on %s an N+1 is reported with the exact numbers, and fails a gate',
  { timeout: LIMIT_MS },
  async (name, { skip }) => {
    if (noCompose !== 0) skip('docker has no compose plugin here');
    project.write({ [INDEX]: MANY_QUERIES });
    const out = `out-${name}`;
    const gates = [
      '--fail-on',
      'queries more',
      '--fail-on',
      'rows-written more',
      '--fail-on',
      'rows-read > 1000%',
    ];
    const { code, stdout, stderr } = await project.run(
      ...([out, '--paths', '/', ...COUNTED, '--config', `${name}.bench.yml`] as const),
      ...gates,
    ).done;
    const results = project.results(out);
    expect(countsOf(results), stderr).toMatchObject({
      base: { queries: [3], 'rows-read': [36], 'rows-written': [1], 'temporary-tables-on-disk': [0] },
      head: { queries: [14], 'rows-read': [300], 'rows-written': [1], 'temporary-tables-on-disk': [0] },
    });
    // Two fresh starts of each side.
    expect(results.counts).toHaveLength(4);
    for (const count of results.counts)
      expect(count).toMatchObject({ requests: 20, failures: 0, endpoint: null });
    expect(code).toBe(1);
    expect(stdout).toContain('Database queries 3 → 14 per request');
    expect(stdout).toContain('Database rows read 36 → 300 per request');
    expect(stdout).toContain('limit queries more exceeded');
    expect(stdout).not.toContain('rows written');
    const report = readFileSync(join(project.folder, out, 'report.md'), 'utf8');
    expect(report).toContain('Counts per request');
    expect(results.warnings.filter(({ code }) => code === 'count')).toEqual([]);
    // Statements are logged for the count alone, and push nothing out of the log of the run.
    const logOf = (kind: string) =>
      readFileSync(join(project.folder, out, 'raw/services', `db${kind}.log`), 'utf8');
    expect(logOf('')).toMatch(/ready (?:for|to accept) connections/);
    expect(logOf('')).not.toContain('INSERT INTO visits');
    if (name === 'postgres') expect(logOf('.count')).toContain('INSERT INTO visits');
  },
);

test.for([...Object.keys(DATABASES), STATEMENTS])(
  'on %s a page that asks the same in other words has no other counts',
  { timeout: LIMIT_MS },
  async (name, { skip }) => {
    if (noCompose !== 0) skip('docker has no compose plugin here');
    project.write({ [INDEX]: `${ONE_QUERY}// The same in other words.\n` });
    const out = `out-${name}-equal`;
    const gates = ['queries more', 'rows-read more', 'rows-written more'].flatMap((rule) => [
      '--fail-on',
      rule,
    ]);
    const { code, stdout, stderr } = await project.run(
      ...([out, '--paths', '/', ...COUNTED, '--config', `${name}.bench.yml`] as const),
      ...gates,
    ).done;
    const { base, head } = countsOf(project.results(out));
    expect(base, stderr).toMatchObject({ queries: [3], 'rows-read': [36], 'rows-written': [1] });
    expect(head).toEqual(base);
    expect(code).toBe(0);
    expect(stdout).not.toContain('Counts:');
  },
);
