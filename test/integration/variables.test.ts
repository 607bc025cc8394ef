// What PHP is told of a request in $_SERVER: the same by all that start the app for each request. The table in
// docs/runtimes.md is what is seen here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realFiles } from '../../src/config/files.ts';
import { loadRuntimes } from '../../src/config/runtimes.ts';
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
import { missing, rows } from './rows.ts';

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

/** What a server cannot avoid, as its manifest says. */
const runtimes = loadRuntimes(root, root, realFiles);
const extraOf = (runtime: string) => runtimes.get(runtime)?.extraVariables ?? [];

const served = rows.filter(({ files }) => files);
const answers = new Map<string, Variables[]>();
const atTop = new Map<string, Variables>();

for (const { runtime, missing: base } of missing.filter(({ files }) => files))
  it(runtime, ({ skip }) => skip(`base image ${base} cannot be had here`));

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
  for (const { runtime, last } of served) {
    const image = await buildRuntime(runtime, last, join(root, 'test/fixtures/apps/variables'));
    answers.set(runtime, await read(await serve(arena, image), HOST, REQUESTS));
    const server = await serve(arena, image, { DOCROOT: '.' });
    atTop.set(runtime, (await read(server, 'localhost:8080', [{ path: '/public/' }]))[0] as Variables);
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

it.each(served.map(({ runtime }) => runtime))('%s tells what Apache tells', (runtime) => {
  const model = answers.get('apache') as Variables[];
  for (const [i, seen] of (answers.get(runtime) as Variables[]).entries()) {
    expect({
      request: nameOf(REQUESTS[i] as Request),
      ...difference(runtime, seen, model[i] as Variables),
    }).toEqual({ request: nameOf(REQUESTS[i] as Request) });
  }
  expect(difference(runtime, atTop.get(runtime) as Variables, atTop.get('apache') as Variables)).toEqual({});
});

it('names the document root without a dot, and the port that the client used', () => {
  expect(atTop.get('apache')).toMatchObject({
    ...{ SERVER_NAME: 'localhost', SERVER_PORT: '8080', DOCUMENT_ROOT: '/app' },
    SCRIPT_FILENAME: '/app/public/index.php',
  });
});

/** Of GET /: what is there, and is not on Apache. */
function extrasOf(runtime: string): Variables {
  const [seen, model] = [answers.get(runtime)?.[0] ?? {}, answers.get('apache')?.[0] ?? {}];
  return Object.fromEntries(
    Object.entries(seen).filter(([name, value]) => value !== null && model[name] === null),
  );
}

it.each(served.map(({ runtime }) => runtime))('%s has the variables that its manifest names', (runtime) => {
  expect(Object.keys(extrasOf(runtime)).sort()).toEqual([...extraOf(runtime)].sort());
});

const cell = (text: string) => `\`${text}\``;
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const say = (value: string | null | undefined) =>
  value === null || value === undefined ? '' : value === '' ? 'empty' : cell(value);

/** The formatter aligns columns. */
function tableIn(name: string): string[] {
  const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8').split('\n');
  return page
    .slice(page.indexOf(`<!-- ${name} -->`) + 1, page.indexOf(`<!-- /${name} -->`))
    .filter((text) => text.startsWith('|') && !/^[|\s:-]+$/.test(text))
    .map((text) => text.replaceAll(/ +/g, ' '));
}

it('docs/runtimes.md has each row that is unlike', () => {
  const extras = served.map(({ runtime }) => ({ runtime, found: extrasOf(runtime) }));
  const names = [...new Set(extras.flatMap(({ found }) => Object.keys(found)))].sort();
  // Other machines may have the base images of more rows.
  const lines = [
    line(['runtime', ...names.map(cell)]),
    ...extras.map(({ runtime, found }) =>
      line([cell(runtime), ...names.map((name) => say(found[name]))]).replaceAll(/ +/g, ' '),
    ),
  ];
  expect(tableIn('unlike')).toEqual(expect.arrayContaining(lines));
});

it('docs/runtimes.md has the table', () => {
  const seen = answers.get('apache') as Variables[];
  const names = Object.keys(seen[0] as Variables);
  const table = [
    line(['', ...REQUESTS.map((request) => cell(nameOf(request)))]),
    ...names.map((name) => line([cell(name), ...seen.map(({ [name]: value }) => say(value))])),
  ];
  expect(tableIn('variables')).toEqual(table.map((text) => text.replaceAll(/ +/g, ' ')));
});
