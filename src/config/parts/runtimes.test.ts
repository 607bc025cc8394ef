import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { memoryFiles } from '../../../test/fixtures/memory-files.ts';
import { UserError } from '../../errors.ts';
import { parseConfig } from '../parse.ts';
import { purposeOfKey } from './manifest.ts';
import { loadRuntimes, manifest, preset } from './runtimes.ts';

const cwd = '/project';
const packageRoot = fileURLToPath(new URL('../../..', import.meta.url));

const OPTIONS = 'options: { pace: { type: integer, default: 1, at: run, env: PACE, about: how } }';
const MANIFEST = `title: mine
model: per-request
base: ['php:{php}-cli']
php: ['8.4']
${OPTIONS}
apps: [plain]
stop: { signal: SIGTERM, timeout: 1s, in-flight: finishes }
status: mine
docs: https://example.org
`;
const DOCKERFILE = 'ARG PHP_VERSION=8.4\nFROM php:$PHP_VERSION-cli\nCOPY --from=app . /app\n';

/** A project with this one runtime; `in`: the folder that `.bench` is in. */
const own = (manifest: string, dockerfile = DOCKERFILE, top = '') => ({
  [`${top}.bench/runtimes/mine/runtime.yaml`]: manifest,
  [`${top}.bench/runtimes/mine/Dockerfile`]: dockerfile,
});

/** Why it cannot be used; null: it can. */
function refusalOf(files: Record<string, string>): string | null {
  const found = loadRuntimes(packageRoot, cwd, memoryFiles(cwd, files));
  const broken = found.broken?.get('mine');
  expect(found.has('mine')).toBe(broken === undefined);
  return broken?.format().replace('.bench/runtimes/mine/runtime.yaml:', '') ?? null;
}

const withOption = (option: string) =>
  own(
    MANIFEST.replace(
      OPTIONS,
      `options: { pace: { type: integer, default: 1, at: run, env: PACE, about: how }, ${option} }`,
    ),
  );

test('a runtime that keeps the contract is one', () => {
  expect(refusalOf(own(MANIFEST))).toBeNull();
  const workers = 'workers: { type: integer, default: 16, min: 2, at: run, env: WORKERS, about: n }';
  expect(refusalOf(withOption(workers))).toBeNull();
});

test.each([
  ['base', "3: key 'base' is missing"],
  ['php', "key 'php' is missing"],
  ['apps', "key 'apps' is missing"],
  ['docs', "key 'docs' is missing"],
])('without %s, the message names it', (key, message) => {
  const without = MANIFEST.replace(new RegExp(`^${key}: .*\n`, 'm'), '');
  expect(refusalOf(own(without))).toContain(message.replace(/^\d+: /, ''));
});

test('the message of each key that has to be there shows its purpose', () => {
  const { shape } = manifest;
  const needed = [shape, shape.stop.shape, shape.options.valueType.shape, preset.shape].flatMap((part) =>
    Object.entries(part).flatMap(([key, schema]) => (schema.isOptional() ? [] : [key])),
  );
  expect(needed).toContain('in-flight');
  // Without it there is no preset.
  expect(needed.filter((key) => purposeOfKey(key) === undefined)).toEqual(['extends']);
});

test('an empty manifest lacks its first key', () => {
  expect(refusalOf(own(''))).toContain("key 'title' is missing");
});

test.each([
  [
    'another: { type: integer, default: 1, at: run, env: PACE, about: x }',
    "5: option 'another': this variable belongs to the option 'pace'",
  ],
  [
    'another: { type: integer, default: 1, at: run, env: WORKERS, about: x }',
    "5: option 'another': this variable belongs to the option 'workers'",
  ],
  [
    'another: { type: integer, default: 1, at: run, env: PORT, about: x }',
    "5: option 'another': this variable is reserved",
  ],
  [
    'another: { type: integer, default: 1, at: build, env: PHP_VERSION, about: x }',
    "5: option 'another': this variable is reserved",
  ],
  [
    'another: { type: boolean, default: false, at: run, env: BENCH_FACTS, about: x }',
    "5: option 'another': this variable is reserved",
  ],
  [
    'workers: { type: integer, default: 8, at: run, env: WORKERS, about: x }',
    "5: option 'workers': default differs from the common option\n  found:   '8'\n  allowed: 16",
  ],
  [
    'workers: { type: integer, default: 16, at: run, env: THREADS, about: x }',
    "5: option 'workers': env differs from the common option",
  ],
  [
    'gzip: { type: enum, values: ["false"], default: "false", at: run, env: GZIP, about: x }',
    "5: option 'gzip': type differs from the common option",
  ],
])('the option %s is refused', (option, message) => {
  expect(refusalOf(withOption(option))).toContain(message);
});

test.each(['nowhere', 'ftp://example.org', 'https://', 'javascript:alert(1)'])(
  'docs: %s is no URL',
  (docs) => {
    expect(refusalOf(own(MANIFEST.replace('https://example.org', docs)))).toContain(
      `9: docs: not a URL\n  found:   '${docs}'`,
    );
  },
);

test('images that the manifest names are those of the Dockerfile', () => {
  expect(refusalOf(own(MANIFEST, DOCKERFILE.replace('-cli', '-fpm')))).toBe(
    `3: base: the Dockerfile builds on an image that is not listed here
  found:   php:{php}-cli
  allowed: php:{php}-fpm
  hint:    list each image of FROM, COPY --from and --mount=from=, with {php} instead of PHP_VERSION`,
  );
  const more = MANIFEST.replace("['php:{php}-cli']", "['php:{php}-cli', 'composer:2']");
  expect(refusalOf(own(more))).toContain(
    "3: base: the Dockerfile does not build on this image\n  found:   'composer:2'",
  );
  expect(
    refusalOf(own(more, `${DOCKERFILE}COPY --from=composer:2 /usr/bin/composer /usr/bin/\n`)),
  ).toBeNull();
});

test('one that is wrong blocks itself alone', () => {
  const files = memoryFiles(cwd, {
    'index.php': '',
    ...own('title: x\n'),
    ...{ '.bench/runtimes/apache/runtime.yaml': '' },
  });
  const parse = (runtimes: string) =>
    parseConfig({ flags: ['--runtimes', runtimes], cwd, packageRoot, files });
  expect(parse('nginx-fpm').runtimes).toHaveLength(1);
  expect(() => parse('nginx-fpm,mine')).toThrow(UserError);
  expect(() => parse('mine')).toThrow("key 'model' is missing");
  expect(() => parse('apache')).toThrow("runtime 'apache' exists twice");
  const extending = {
    ...own('title: x\n'),
    '.bench/runtimes/other/runtime.yaml': 'extends: mine\ntitle: x\ndefaults: {}\n',
  };
  const found = loadRuntimes(packageRoot, cwd, memoryFiles(cwd, extending));
  expect([...(found.broken ?? [])].map(([name, { message }]) => [name, message])).toEqual([
    ['mine', "key 'model' is missing"],
    ['other', "key 'model' is missing"],
  ]);
  expect(found.has('php-fpm-80')).toBe(true);
});

test.each([
  ['the configuration', ['--config', 'ci/bench.yml', '--app', 'shop'], 'ci/'],
  ['the app', ['--config', 'ci/bench.yml', '--app', 'shop'], 'shop/'],
  ['the app, by its name', ['--app', 'name=shop'], 'shop/'],
  ['neither', ['--app', 'shop'], ''],
])('.bench/ may be beside %s', (_, flags, top) => {
  const scenario = { [`${top}.bench/scenarios/mine.yaml`]: "title: x\npaths: ['/']\nload: vus(1, 1s)\n" };
  const files = { 'ci/bench.yml': '', 'shop/index.php': '', ...own(MANIFEST, DOCKERFILE, top), ...scenario };
  const asked = [...flags, '--runtimes', 'mine', '--scenarios', 'mine'];
  const config = parseConfig({ flags: asked, cwd, packageRoot, files: memoryFiles(cwd, files) });
  expect(config.runtimes[0]?.runtime.folder).toBe(`/project/${top}.bench/runtimes/mine`);
  expect(config.scenarios[0]?.name).toBe('mine');
});
