import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '../../test/fixtures/temporary.ts';
import { realFiles } from '../config/files.ts';
import { parseChoices } from '../config/keys/choices.ts';
import { loadRuntimes } from '../config/parts/runtimes.ts';
import { eject, writeEjected } from './eject.ts';

const root = resolve(import.meta.dirname, '../..');
const runtimes = loadRuntimes(root, '/nowhere', realFiles);

function filesOf(choice: string): Map<string, string> {
  const [chosen] = parseChoices(choice, runtimes);
  if (!chosen) throw new Error(`no runtime ${choice}`);
  const texts = eject(chosen, root, realFiles).map(
    (file) => [file.path, 'text' in file ? file.text : readFileSync(file.from, 'utf8')] as const,
  );
  return new Map(texts);
}

const cwd = makeFolder();
afterAll(() => rmSync(cwd, { recursive: true }));

const DOCKERFILE = `ARG PHP_VERSION=8.4
FROM php:\${PHP_VERSION}-cli AS tools
ARG LOOP=ev
FROM php:\${PHP_VERSION}-cli
ARG LOOP=ev
COPY --from=shared php.ini /usr/local/etc/php/
COPY --from=app . /app
`;

/** A runtime of a user's, as a folder that was written; the lines follow its Dockerfile's. */
async function writeOwn(lines = '', files: Readonly<Record<string, Uint8Array>> = {}): Promise<string> {
  const folder = join(cwd, '.bench/runtimes/own');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'Dockerfile'), DOCKERFILE + lines);
  const manifest = readFileSync(join(root, 'runtimes/reactphp/runtime.yaml'), 'utf8');
  writeFileSync(join(folder, 'runtime.yaml'), manifest.replace(/^base: .*$/m, 'base: ["php:{php}-cli"]'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  if (files.tool) chmodSync(join(folder, 'tool'), 0o755);
  const [chosen] = parseChoices('own[loop=select]', loadRuntimes(root, cwd, realFiles));
  if (!chosen) throw new Error('no runtime');
  const out = join(cwd, 'out');
  rmSync(out, { recursive: true, force: true });
  await writeEjected(out, eject(chosen, root, realFiles), realFiles);
  return out;
}

test.each([...runtimes.keys()])('%s: all that its Dockerfile copies lies beside it', (name) => {
  const files = filesOf(name);
  const lines = files.get('Dockerfile')?.replaceAll('\\\n', ' ').split('\n') ?? [];
  for (const line of lines.filter((line) => line.startsWith('COPY '))) {
    const words = line.split(/\s+/).slice(1, -1);
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    if (from !== undefined && from !== 'shared') continue;
    for (const source of words.filter((word) => !word.startsWith('--'))) {
      if (['app', 'shared', '.'].includes(source)) continue;
      expect([...files.keys()], line).toContain(from ? `shared/${source}` : source.replace(/^\.\//, ''));
    }
  }
  expect(files.get('serve')).toMatch(/^#!/);
  expect([...files.keys()]).not.toContain('runtime.yaml');
});

test('has the options in force', () => {
  const dockerfile = filesOf('php-fpm-80[gzip=true]').get('Dockerfile') ?? '';
  expect(dockerfile.indexOf('FROM scratch AS app')).toBeLessThan(dockerfile.indexOf('FROM php:'));
  const env = /^ENV WORKERS[\s\S]*?[^\\]\n/m.exec(dockerfile)?.[0].replaceAll(/\s*\\\n\s*/g, ' ') ?? '';
  expect(env.trim().split(' ')).toEqual(
    expect.arrayContaining(['WORKERS=80', 'PM=dynamic', 'GZIP=true', 'JIT=off']),
  );
  expect(dockerfile.trimEnd().split('\n').at(-1)).toBe('COPY --from=app --chown=www-data:www-data . /app');
});

test('copies files of any size byte for byte, and those that can be run stay so', async () => {
  const bytes = Buffer.alloc(2 ** 20 + 3, 0xff);
  const tool = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x80]);
  const out = await writeOwn('', { 'words.bin': bytes, tool });
  expect(readFileSync(join(out, 'words.bin')).equals(bytes)).toBe(true);
  expect(readFileSync(join(out, 'tool')).equals(tool)).toBe(true);
  expect(statSync(join(out, 'tool')).mode & 0o777).toBe(0o755);
  expect(statSync(join(out, 'words.bin')).mode & 0o111).toBe(0);
});

test.each([
  'COPY --from=shared . /shared/',
  'COPY --from=shared *.php /shared/',
  'COPY --from=shared ["fpm.sh", "/shared/"]',
  'RUN --mount=type=bind,from=shared,target=/shared cp /shared/fpm.sh /tmp/',
])('copies all shared files if the Dockerfile takes them by %s', async (line) => {
  expect(readdirSync(join(await writeOwn(), 'shared'))).toEqual(['php.ini']);
  const shared = readdirSync(join(await writeOwn(line), 'shared'));
  expect(shared).toEqual(readdirSync(join(root, 'runtimes/_shared')));
});

test('sets a build option in every stage', async () => {
  const dockerfile = readFileSync(join(await writeOwn(), 'Dockerfile'), 'utf8');
  expect(dockerfile.match(/^ARG LOOP=.*/gm)).toEqual(['ARG LOOP=select', 'ARG LOOP=select']);
});

test('keeps git, credentials, caches and our settings in the folder app out of the image', async () => {
  const ignored = filesOf('nginx-fpm').get('.dockerignore')?.split('\n');
  expect(ignored).toEqual(
    expect.arrayContaining([
      ...[
        'app/**/.git',
        'app/auth.json',
        'app/.bench.yml',
        'app/.bench.yaml',
        'app/.bench-*.yml',
        'app/.bench-*.yaml',
      ],
      'app/storage/framework/cache/data/*',
    ]),
  );
  const out = await writeOwn('', { '.dockerignore': Buffer.from('*.log') });
  const lines = readFileSync(join(out, '.dockerignore'), 'utf8').split('\n');
  expect(lines).toEqual(expect.arrayContaining(['*.log', 'app/**/.git']));
});

test('a proxy is not part of it, but none is', () => {
  expect(filesOf('apache[front=none]').get('Dockerfile')).toBe(filesOf('apache').get('Dockerfile'));
  expect(() => filesOf('apache[front=nginx]')).toThrow('the proxy of `front` is not part');
});

test('PHP removes old sessions, as no cron job does', () => {
  const lines = (text = '') => text.split('\n').filter((line) => /^session\.gc_/.test(line));
  const measured = readFileSync(join(root, 'runtimes/_shared/php.ini'), 'utf8');
  expect(lines(measured)).toEqual(['session.gc_probability = 0']);
  expect(lines(filesOf('nginx-fpm').get('shared/php.ini'))).toEqual(['session.gc_probability = 1']);
});

test('the README names what an image of the folder lacks', async () => {
  const readme = filesOf('nginx-fpm').get('README.md');
  expect(readme).toContain('`.dockerignore`');
  expect(readme).toContain('`env`, `ini` and `extensions` of `.bench.yml`');
  expect(readme).toContain('APP_DEBUG=0');
  expect(readme).toContain('| `BENCH_INI` |');
  // A runtime whose Dockerfile does not take options.sh does not read it.
  expect(readFileSync(join(await writeOwn(), 'README.md'), 'utf8')).not.toContain('BENCH_INI');
});

test.each(['README.md', 'readme.md'])('keeps the %s of an own runtime under another name', async (name) => {
  const out = await writeOwn('', { [name]: Buffer.from('# Ours') });
  expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('docker build');
  expect(readFileSync(join(out, 'README.own.md'), 'utf8')).toBe('# Ours');
  expect(readdirSync(out).filter((file) => /readme/i.test(file))).toEqual(['README.md', 'README.own.md']);
});
