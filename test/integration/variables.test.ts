// PHP's variables for a request in $_SERVER: the same from all runtimes. Those that keep the app in memory run no other
// file than the front controller. The table in docs/runtimes.md shows these results.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realFiles } from '../../src/config/files.ts';
import { loadRuntimes } from '../../src/config/parts/runtimes.ts';
import {
  ask,
  buildRuntime,
  type Request,
  removeAll,
  root,
  type Server,
  serve,
  startArena,
} from './docker.ts';
import { rows as all, missing } from './rows.ts';
import { rowsIn, showValue, tableIn } from './tables.ts';

type Variables = Record<string, string | null>;

const HOST = 'app.test';
const FORM = 'application/x-www-form-urlencoded';
const REQUESTS: readonly Request[] = [
  ...['/', '/?q=a%20b', '/a%20b%2Fc', '/folder/', '/missing', '/info.php/more%20x?q=1'].map((path) => ({
    path,
  })),
  { path: '/form', body: 'a=1' },
];
const nameOf = ({ path, body }: Request) => (body === undefined ? path : `POST ${path}`);

/** Manifests list the variables that a server cannot avoid. */
const runtimes = loadRuntimes(root, root, realFiles);
const extraOf = (runtime: string) => runtimes.get(runtime)?.extraVariables ?? [];

/** Variables of every path if the app stays in memory. */
const FRONT: Variables = {
  ...{ SCRIPT_NAME: '/index.php', SCRIPT_FILENAME: '/app/public/index.php' },
  ...{ PHP_SELF: '/index.php', PATH_INFO: null },
};

/** FrankenPHP's other mode is a row of its own here. */
const rows = all.flatMap((row) => {
  const classic = { ...row, label: row.runtime, env: {} };
  const worker = {
    ...classic,
    label: `${row.runtime}[mode=worker]`,
    env: { MODE: 'worker', WORKERS: '1' },
    files: false,
  };
  return row.runtime === 'frankenphp' ? [classic, worker] : [classic];
});

const answers = new Map<string, Variables[]>();
const atTop = new Map<string, Variables>();
const broken = new Map<string, unknown>();

for (const { runtime, missing: base } of missing)
  it(runtime, ({ skip }) => skip(`base image ${base} is not available here`));

/** Variables that a server never has. */
const lackedBy = (runtime: string): Variables =>
  Object.fromEntries((runtimes.get(runtime)?.missingVariables ?? []).map((name) => [name, null]));

/** A value that a server itself never changes. */
function fixedOf(runtime: string): Variables {
  const port = runtimes.get(runtime)?.serverPort;
  return port === undefined ? {} : { SERVER_PORT: String(port) };
}

async function read(server: Server, host: string, requests: readonly Request[]): Promise<Variables[]> {
  const named = requests.map((request) => ({
    ...request,
    headers: [`Host: ${host}`, ...(request.body === undefined ? [] : [`Content-Type: ${FORM}`])],
  }));
  return (await ask(server, named)).map(({ status, body }, i) => {
    if (status !== 200) throw new Error(`${requests[i]?.path}: HTTP ${status}: ${body}`);
    return JSON.parse(body);
  });
}

beforeAll(async () => {
  const arena = await startArena();
  for (const { runtime, label, last, files, env } of rows) {
    try {
      const image = await buildRuntime(runtime, last, join(root, 'test/fixtures/apps/variables'));
      answers.set(label, await read(await serve(arena, image, env), HOST, REQUESTS));
      const server = await serve(arena, image, { ...env, DOCROOT: '.' });
      const path = files ? '/public/' : '/';
      atTop.set(label, (await read(server, 'localhost:8080', [{ path }]))[0] as Variables);
    } catch (error) {
      // It fails the test of this runtime, and leaves those of the others.
      broken.set(label, error);
    }
  }
});
afterAll(removeAll);

/** Without what is known to be unlike. */
function difference(runtime: string, seen: Variables, model: Variables): Variables {
  const known = extraOf(runtime);
  return Object.fromEntries(
    Object.entries(seen).filter(
      ([name, value]) => value !== model[name] && !(model[name] === null && known.includes(name)),
    ),
  );
}

it.each(rows)('$label passes what Apache passes', ({ runtime, label, files }) => {
  if (broken.has(label)) throw broken.get(label);
  const model = answers.get('apache') as Variables[];
  for (const [i, seen] of (answers.get(label) as Variables[]).entries()) {
    const expected = { ...(model[i] as Variables), ...(files ? {} : FRONT), ...lackedBy(runtime) };
    expect({
      request: nameOf(REQUESTS[i] as Request),
      ...difference(runtime, seen, expected),
    }).toEqual({ request: nameOf(REQUESTS[i] as Request) });
  }
  const top = atTop.get('apache') as Variables;
  const front = { ...FRONT, SCRIPT_FILENAME: '/app/index.php', REQUEST_URI: '/' };
  const expected = {
    ...(files ? top : { ...top, ...front }),
    ...fixedOf(runtime),
    ...lackedBy(runtime),
  };
  expect(difference(runtime, atTop.get(label) as Variables, expected)).toEqual({});
});

it('names the document root without a dot, and the port that the client used', () => {
  expect(atTop.get('apache')).toMatchObject({
    ...{ SERVER_NAME: 'localhost', SERVER_PORT: '8080', DOCUMENT_ROOT: '/app' },
    SCRIPT_FILENAME: '/app/public/index.php',
  });
});

/** Of GET /: what is there, and is not on Apache. */
function extrasOf(label: string): Variables {
  const [seen, model] = [answers.get(label)?.[0] ?? {}, answers.get('apache')?.[0] ?? {}];
  return Object.fromEntries(
    Object.entries(seen).filter(([name, value]) => value !== null && model[name] === null),
  );
}

it.each(rows)('$label has the variables that its manifest names', ({ runtime, label }) => {
  if (broken.has(label)) throw broken.get(label);
  expect(Object.keys(extrasOf(label)).sort()).toEqual([...extraOf(runtime)].sort());
});

const cell = (text: string) => `\`${text}\``;
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
it('docs/runtimes.md has each row that is unlike', () => {
  const table = rowsIn('unlike');
  // Other machines may have the base images of more rows, and columns come of some of them alone.
  const names = Object.keys(table[0] ?? {}).slice(1);
  const seen = rows.filter(({ label }) => !broken.has(label));
  const found = seen.map(({ label }) => {
    const extras = extrasOf(label);
    const columns = [...names, ...Object.keys(extras).map(cell)];
    return {
      runtime: cell(label),
      ...Object.fromEntries(columns.map((column) => [column, showValue(extras[column.replaceAll('`', '')])])),
    };
  });
  expect(table).toEqual(expect.arrayContaining(found));
});

it('docs/runtimes.md has the table', () => {
  const seen = answers.get('apache') as Variables[];
  const names = Object.keys(seen[0] as Variables);
  const table = [
    line(['', ...REQUESTS.map((request) => cell(nameOf(request)))]),
    ...names.map((name) => line([cell(name), ...seen.map(({ [name]: value }) => showValue(value))])),
  ];
  expect(tableIn('variables')).toEqual(table.map((text) => text.replaceAll(/ +/g, ' ')));
});
