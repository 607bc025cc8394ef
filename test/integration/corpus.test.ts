// Applications that nobody here has written, from Debian's packages. For each: its files, at most twelve lines of configuration,
// the same answers from two runtimes, and the page that is meant. docs/apps.md has the configurations, and they are read from there.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import { APPLICATIONS, type Application } from '../fixtures/applications.ts';
import { readPage } from '../fixtures/docs.ts';
import { findImages, makeProject, type Project, root, slicesOf, variantOf } from './bench.ts';
import { rows } from './rows.ts';

const RUNTIMES = ['apache', 'nginx-fpm'];
const MOST_LINES = 12;

const { files: written } = readPage('docs/apps.md');

/** The files that a reader of docs/apps.md writes into an application's folder. */
const configurationOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(written).flatMap(([path, text]) =>
      path.startsWith(`${name}/`) ? [[path.slice(name.length + 1), text]] : [],
    ),
  );

/** Lines that somebody has to write: all but the names of files. */
const linesOf = (files: Record<string, string>) =>
  Object.values(files).flatMap((text) => text.trim().split('\n').slice(1));

const { code: noCompose } = await realHost.exec('docker', ['compose', 'version']);
const standins = (await findImages()).length > 0;

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

/** The packages of an app as a folder, with the configuration beside them, and a script that looks for its words. */
async function make(name: string, as = name): Promise<string> {
  const { packages, path, words } = APPLICATIONS[name] as Application;
  const folder = join(project.folder, as);
  const tar = `${folder}.tar`;
  mkdirSync(folder);
  const base = standins ? 'php-runtime-bench-standin/debian:trixie' : 'debian:trixie-slim';
  const args = ['--build-arg', `BASE=${base}`, '--build-arg', `PACKAGES=${packages}`];
  const output = ['--provenance=false', '--output', `type=tar,dest=${tar}`];
  const context = join(root, 'test/fixtures/apps/debian');
  for (const [command, ...rest] of [
    ['docker', 'buildx', 'build', ...output, ...args, context],
    ['tar', '-xf', tar, '-C', folder],
    ['rm', tar],
  ] as [string, ...string[]][]) {
    const { code, stderr } = await realHost.exec(command, rest);
    expect(code === 0 ? '' : stderr).toBe('');
  }
  const files = {
    ...configurationOf(name),
    '.bench/scenarios/page.yaml': `title: The page\npaths: ['${path}']\nload: requests(6, 2)\n`,
    '.bench/scenarios/words.yaml':
      'title: Its words\njourney: ./words.js\nload: requests(3, 1)\nslo: { checks: 100% }\n',
    '.bench/scenarios/words.js': `
      import { check } from 'k6';
      import http from 'k6/http';
      export default () => check(http.get(__ENV.BASE_URL + ${JSON.stringify(path)}), {
        'has the words': ({ body }) => body.includes(${JSON.stringify(words)}),
      });`,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const run = (folder: string, ...flags: string[]) =>
  project.start(
    [
      ...[
        'run',
        ...images,
        '--timeout',
        '60s',
        '--warmup',
        '0s',
        '--instances',
        '1',
        '--blocks',
        '1',
        '--wait',
      ],
      ...['--out', `${folder}-out`, ...flags],
    ],
    { cwd: folder },
  ).done;

const images = await findImages();

describe.each(Object.entries(APPLICATIONS))('%s', (name, app) => {
  test(`takes at most ${MOST_LINES} lines of configuration`, () => {
    const lines = linesOf(configurationOf(name));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
  });

  test('is served alike, and its page is what is loaded', async ({ skip }) => {
    if (noCompose !== 0 && 'compose.yaml' in configurationOf(name)) skip('docker has no compose plugin here');
    expect(rows.map(({ runtime }) => runtime)).toEqual(expect.arrayContaining(RUNTIMES));
    const { code, stdout, stderr } = await run(
      await make(name),
      ...['--runtimes', RUNTIMES.join(','), '--scenarios', 'page,words'],
    );
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    const results = project.results(`${name}-out`);
    const codes = results.warnings.map((warning) => warning.code);
    for (const odd of ['redirect', 'looks-unfinished']) expect(codes).not.toContain(odd);
    expect(results.checked?.map(({ endpoint, status }) => [endpoint, status])).toContainEqual([
      app.path,
      200,
    ]);
    for (const runtime of RUNTIMES) {
      const id = `${runtime}@8.4`;
      expect(variantOf(results, id).failure).toBeNull();
      const slices = slicesOf(results, id);
      expect(slices.map(({ scenario }) => scenario).sort()).toEqual(['page', 'words']);
      for (const slice of slices) {
        expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
        expect(slice.requests).toBeGreaterThan(0);
        expect(slice.bytesReceived / slice.requests).toBeGreaterThan(app.bytes);
      }
    }
  }, 900_000);
});

test('an application that is not installed is measured, with its page shown and a warning', async () => {
  const folder = await make('mediawiki', 'bare');
  writeFileSync(join(folder, '.bench.yml'), 'root: var/lib/mediawiki\nextensions: [intl]\n');
  const { code, stderr } = await run(
    folder,
    ...['--runtimes', RUNTIMES.join(','), '--paths', '/', '--load', 'requests(6, 2)'],
  );
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { checked, warnings, measurements } = project.results('bare-out');
  expect(measurements.map(({ okCount, requests }) => [okCount, requests])).toEqual(
    RUNTIMES.map(() => [6, 6]),
  );
  expect(checked).toMatchObject([
    {
      ...{ endpoint: '/', journey: null, variants: RUNTIMES.map((runtime) => `${runtime}@8.4`) },
      ...{ status: 200, type: 'text/html', title: expect.stringMatching(/^MediaWiki 1\.\d+/) },
    },
  ]);
  expect(checked?.[0]?.bytes[1]).toBeLessThan(2000);
  expect(stderr).toMatch(/checked: \/ → 200 "MediaWiki 1\.[\d.]+", text\/html, \d+ bytes/);
  expect(warnings).toContainEqual(
    expect.objectContaining({
      code: 'looks-unfinished',
      message: expect.stringContaining('GET / looks like MediaWiki without its LocalSettings.php'),
    }),
  );
}, 900_000);

test('an application as it was is compared with what became of it', async () => {
  const folder = await make('adminer', 'changed');
  const git = async (...args: string[]) => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@app.test'];
    const { code, stderr } = await realHost.exec('git', [...who, ...args], { cwd: folder });
    expect(code === 0 ? '' : stderr).toBe('');
  };
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'As Debian has it');
  const front = join(folder, 'usr/share/adminer/adminer/index.php');
  const work = 'namespace Adminer; for ($i = 0; $i < 100000; $i++) md5((string) $i);';
  writeFileSync(front, readFileSync(front, 'utf8').replace('namespace Adminer;', work));
  const flags = ['--runtimes', 'apache', '--scenarios', 'page', '--compare-to', 'HEAD'];
  const { code, stdout, stderr } = await run(folder, ...flags);
  expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  const results = project.results('changed-out');
  const [base, head] = ['apache@8.4:base', 'apache@8.4'].map((id) => {
    const slices = slicesOf(results, id);
    expect(slices.map(({ outcome }) => outcome)).toEqual(['ok']);
    return slices[0]?.cpu?.perRequestUs ?? 0;
  });
  expect(head).toBeGreaterThan(1.3 * (base as number));
}, 900_000);
