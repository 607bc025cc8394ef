// An N+1 in the shop of apps/shop, on Laravel: the exact number of queries on both sides, and none for the page without it.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import { leftovers, makeProject, type Project, root } from './bench.ts';
import { COUNTED, countsOf, DATABASES, type Database, LIMIT_MS } from './count-databases.ts';

const { code: noCompose } = await realHost.exec('docker', ['compose', 'version']);

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  cpSync(join(root, 'apps/shop'), join(project.folder, 'shop'), { recursive: true });
  for (const name of Object.keys(DATABASES) as Database[])
    project.write({ [`${name}.yaml`]: DATABASES[name].compose, [`${name}.bench.yml`]: shopOf(name) });
  project.commit({ '.gitignore': '/out-*\n' });
  const before = readFileSync(join(project.folder, CONTROLLER), 'utf8');
  const changed = before.replace("$category->products()->with('category')", '$category->products()');
  expect(changed).not.toBe(before);
  project.write({ [CONTROLLER]: changed });
});
afterAll(() => project.remove());
afterEach(async () => expect(await leftovers()).toEqual([]));

const CONTROLLER = 'shop/app/Http/Controllers/ShopController.php';
/** 24 products of one category, which the change asks for by a query for each product. */
const PAGE = '/category/3';

const shopOf = (name: Database) => `
app: shop
runtimes: apache
extensions: [${DATABASES[name].extension}]
env: { ${DATABASES[name].shop}, DB_PASSWORD: secret, DB_DATABASE: '{variant}', RESPONSE_CACHE: 'false' }
services: { file: ${name}.yaml, reset: { db: '${DATABASES[name].reset}' } }
set-up: php artisan migrate --force --seed
`;

/** The counts include Laravel's own queries when it connects. */
const QUERIES = { mariadb: { base: 6, head: 29 }, postgres: { base: 4, head: 27 } };

test.for(Object.keys(DATABASES) as Database[])(
  'on %s an N+1 in apps/shop is reported with the exact numbers',
  { timeout: LIMIT_MS },
  async (name, { skip }) => {
    if (noCompose !== 0) skip('docker has no compose plugin here');
    const out = `out-${name}`;
    const { code, stdout, stderr } = await project.run(
      ...([out, '--paths', `/,${PAGE}`, ...COUNTED, '--config', `${name}.bench.yml`] as const),
      ...['--fail-on', 'queries more'],
    ).done;
    const results = project.results(out);
    const on = (path: string) =>
      countsOf({ counts: results.counts.filter(({ endpoint }) => endpoint === path) });
    const { base, head } = QUERIES[name];
    expect(on(PAGE), stderr).toMatchObject({ base: { queries: [base] }, head: { queries: [head] } });
    // The page that did not change, in the same run.
    const { base: before, head: after } = on('/');
    expect(before?.queries).toHaveLength(1);
    expect(after?.queries).toEqual(before?.queries);
    // Rows that PostgreSQL reads depend on its plan.
    if (name === 'mariadb')
      expect(on(PAGE)).toMatchObject({ base: { 'rows-read': [526] }, head: { 'rows-read': [549] } });
    expect(code).toBe(1);
    expect(stdout).toContain(`Database queries on ${PAGE} ${base} → ${head} per request`);
    expect(stdout).toContain('limit queries more exceeded');
    expect(stdout).not.toContain('queries on / ');
  },
);
