/** Applications from Debian's packages as folders, with the configuration that docs/apps.md gives them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { realHost } from '../../src/host.ts';
import { APPLICATIONS, type Application } from '../fixtures/applications.ts';
import { readPage } from '../fixtures/docs.ts';
import { findImages, type Project, root, slicesOf, variantOf } from './bench.ts';

export const RUNTIMES = ['apache', 'nginx-fpm'];
const MOST_LINES = 12;

const images = await findImages();
const { code: noCompose } = await realHost.exec('docker', ['compose', 'version']);
const { files: written, text: page } = readPage('docs/apps.md');

/** The files that a reader of docs/apps.md writes into an application's folder. */
function configurationOf(name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).flatMap(([path, text]) =>
      path.startsWith(`${name}/`) ? [[path.slice(name.length + 1), text]] : [],
    ),
  );
}

/** Lines that somebody has to write: all but the names of files. */
function countLines(name: string): number {
  return Object.values(configurationOf(name)).flatMap((text) => text.trim().split('\n').slice(1)).length;
}

const keysOf = (name: string): { php?: number; services?: unknown } =>
  parse(configurationOf(name)['.bench.yml'] as string);
export const needsServices = (name: string) => keysOf(name).services !== undefined;

/** The row of a table in docs/apps.md that begins with an application's name and version. */
function rowOf(name: string): string[] | undefined {
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.find(([, first]) => first?.split(' ')[0]?.toLowerCase() === name)?.slice(1, -1);
}

async function command(program: string, args: string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await realHost.exec(program, args, cwd === undefined ? {} : { cwd });
  expect(code === 0 ? '' : stderr).toBe('');
  return stdout;
}

/** The packages of an application as a folder, with the configuration beside them. Returns its path. */
export async function makeApplication(project: Project, name: string, as = name): Promise<string> {
  const { packages, suite = 'trixie' } = APPLICATIONS[name] as Application;
  const folder = join(project.folder, as);
  const tar = `${folder}.tar`;
  mkdirSync(folder);
  const base = images.length > 0 ? `php-runtime-bench-standin/debian:${suite}` : `debian:${suite}-slim`;
  await command('docker', [
    ...['buildx', 'build', '--provenance=false', '--output', `type=tar,dest=${tar}`],
    ...['--build-arg', `BASE=${base}`, '--build-arg', `PACKAGES=${packages}`],
    join(root, 'test/fixtures/apps/debian'),
  ]);
  await command('tar', ['-xf', tar, '-C', folder]);
  await command('rm', [tar]);
  for (const [file, text] of Object.entries(configurationOf(name))) write(folder, file, text);
  return folder;
}

function write(folder: string, file: string, text: string) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** Scenarios that load an application's page, and look for its words. */
export function writeScenarios(folder: string, { path, words }: Pick<Application, 'path' | 'words'>) {
  const load = { page: 'requests(6, 2)', words: 'requests(3, 1)' };
  write(folder, '.bench/scenarios/page.yaml', `title: The page\npaths: ['${path}']\nload: ${load.page}\n`);
  write(
    folder,
    '.bench/scenarios/words.yaml',
    `title: Its words\njourney: ./words.js\nload: ${load.words}\nslo: { checks: 100% }\n`,
  );
  write(
    folder,
    '.bench/scenarios/words.js',
    `import { check } from 'k6';
     import http from 'k6/http';
     export default () => check(http.get(__ENV.BASE_URL + ${JSON.stringify(path)}), {
       'has the words': ({ body }) => body.includes(${JSON.stringify(words)}),
     });`,
  );
}

/** Makes a git repository of an application's folder, with all files in its one commit. */
export async function commit(folder: string) {
  // Git has no empty folders, and applications write into theirs.
  await command('find', [folder, '-type', 'd', '-empty', '-exec', 'touch', '{}/.gitkeep', ';']);
  await command('git', ['init', '--quiet'], folder);
  await command('git', ['add', '--all', '--force'], folder);
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@app.test'];
  await command('git', [...who, 'commit', '--quiet', '--message', 'As Debian has it'], folder);
}

/** Runs the CLI in an application's folder; results go beside it. */
export function runApplication(project: Project, folder: string, ...flags: string[]) {
  const once = ['--timeout', '60s', '--warmup', '0s', '--instances', '1', '--blocks', '1', '--wait'];
  return project.start(['run', ...images, ...once, '--out', `${folder}-out`, ...flags], { cwd: folder }).done;
}

/** The tests of one application: its lines, its row in the docs, and the same page from all runtimes of head and base. */
export function testApplication(name: string, app: Application, project: () => Project) {
  test(`takes at most ${MOST_LINES} lines of configuration, as many as the docs state`, () => {
    const lines = countLines(name);
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThanOrEqual(MOST_LINES);
    expect(rowOf(name)?.[2]).toBe(String(lines));
  });

  test('has the same page on all runtimes, in head and base', async ({ skip }) => {
    if (noCompose !== 0 && needsServices(name)) skip('docker has no compose plugin here');
    const folder = await makeApplication(project(), name);
    writeScenarios(folder, app);
    await commit(folder);
    writeFileSync(join(folder, 'changed'), '');
    const runtimes = app.runtimes ?? RUNTIMES;
    const flags = ['--runtimes', runtimes.join(','), '--scenarios', 'page,words', '--compare-to', 'HEAD'];
    // service-counts.test.ts counts the database queries: here that took half of the time.
    flags.push('--count', 'none');
    const { code, stdout, stderr } = await runApplication(project(), folder, ...flags);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    const results = project().results(`${name}-out`);
    const codes = results.warnings.map((warning) => warning.code);
    for (const odd of ['redirect', 'looks-unfinished']) expect(codes).not.toContain(odd);
    const checked = results.checked?.map(({ endpoint, status }) => [endpoint, status]);
    expect(checked).toContainEqual([app.path, 200]);
    const php = keysOf(name).php ?? '8.4';
    const ids = runtimes.flatMap((runtime) => [`${runtime}@${php}`, `${runtime}@${php}:base`]);
    expect(results.variants.map(({ id }) => id).sort()).toEqual(ids.sort());
    for (const id of ids) {
      expect(variantOf(results, id).failure).toBeNull();
      const slices = slicesOf(results, id);
      expect(slices.map(({ scenario }) => scenario).sort()).toEqual(['page', 'words']);
      for (const slice of slices) {
        expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
        expect(slice.requests).toBeGreaterThan(0);
        expect(slice.bytesReceived / slice.requests).toBeGreaterThan(app.bytes);
      }
    }
    const [, version] = (rowOf(name)?.[0] ?? '').split(' ');
    expect(readFileSync(join(folder, 'packages'), 'utf8')).toMatch(
      RegExp(`^${app.packages.split(' ')[0]} (?:\\d+:)?${version?.replaceAll('.', '\\.')}[.+~-]`, 'm'),
    );
  }, 900_000);
}
