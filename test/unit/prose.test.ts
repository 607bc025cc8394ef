import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../src/config/command.ts';
import { KEYS } from '../../src/config/keys.ts';
import { readPages, root } from '../fixtures/docs.ts';
import {
  commentsOf,
  faultsOf,
  faultsOfComments,
  faultsOfDesign,
  faultsOfTests,
  GENERATED,
  hashCommentsOf,
  LINKED,
  messagesOf,
  PAGES,
  piecesOf,
  sentencesOf,
  titlesOf,
} from '../fixtures/prose.ts';

const workflows = ['bench', 'bench-command', 'bench-comment', 'bench-schedule'].map(
  (name) => `.github/workflows/${name}.yml`,
);

const read = (name: string) => readFileSync(join(root, name), 'utf8');

test('the check finds a long sentence, a banned word and a late subject, and leaves code alone', () => {
  const long = `It ${'very '.repeat(30)}long.`;
  expect(faultsOf(piecesOf(long))).toHaveLength(1);
  // Names of keys, signs, and a bold heading with what follows it count, too.
  expect(faultsOf(piecesOf(`It takes ${'`key`, '.repeat(30)}and more.`))).toHaveLength(1);
  expect(faultsOf(piecesOf(`It is ${'= 5 % '.repeat(10)}here.`))).toHaveLength(1);
  expect(faultsOf(piecesOf(`**${'Very '.repeat(15)}long.** And ${'very '.repeat(15)}long.`))).toHaveLength(1);
  expect(faultsOf(piecesOf('A gate is held against a run.\n\n| a | the image cannot be had |'))).toHaveLength(
    2,
  );
  expect(faultsOf(['A batch has ended.', 'The last probe.', 'The guards.'])).toHaveLength(3);
  expect(faultsOf(piecesOf('<!-- a -->\n\nThe probe.\n\n<!-- /a -->'))).toHaveLength(1);
  expect(faultsOfDesign(['A batch has ended.'])).toEqual([]);
  expect(faultsOf(piecesOf('Whoever runs it waits. Where is it?'))).toHaveLength(1);
  expect(faultsOf(piecesOf('Run `but for`.\n\n```sh\necho held\n```\n'))).toEqual([]);
  expect(sentencesOf('Use `a`, `b` or `c`. Then 5.5 s pass.')).toEqual([
    'Use Code, Code or Code.',
    'Then 5.5 s pass.',
  ]);
});

test('no page is left out', () => {
  expect(PAGES).toEqual(expect.arrayContaining(readPages().map(({ name }) => name)));
});

describe.each(PAGES)('%s', (name) => {
  test('has short sentences without the banned words', () => {
    const find = name === 'docs/architecture.md' ? faultsOfDesign : faultsOf;
    expect(find(piecesOf(read(name)))).toEqual([]);
  });

  test('links our own terms to the glossary where it first uses them', () => {
    if (name === 'docs/glossary.md') return;
    const glossary = name.startsWith('docs/') ? 'glossary.md' : 'docs/glossary.md';
    const written = read(name).replaceAll(GENERATED, '').replaceAll(/^#.*$/gm, '');
    const pieces = piecesOf(written).map((piece) => piece.replaceAll(/`[^`]+`/g, ''));
    for (const term of LINKED) {
      const first = pieces.find((piece) => new RegExp(`\\b${term}s?\\b`, 'i').test(piece));
      const link = new RegExp(`\\[${term}s?\\]\\(${glossary}#${term.replaceAll(' ', '-')}\\)`, 'i');
      if (first !== undefined) expect(first, `${term} in ${name}`).toMatch(link);
    }
  });
});

test('texts of --help have short sentences without the banned words', () => {
  const commands = Object.values(COMMANDS).flatMap(({ about, own }) => [
    about,
    ...Object.values<{ about: string }>(own).map((flag) => flag.about),
  ]);
  const keys = Object.values<{ about: string; default?: string }>(KEYS).flatMap((key) => [
    key.about,
    key.default ?? '',
  ]);
  expect(faultsOf([...commands, ...keys])).toEqual([]);
});

test.each(['action.yml', ...workflows])('descriptions in %s are written the same way', (file) => {
  const { on, ...action } = parse(read(file));
  const { inputs = {}, outputs = {}, secrets = {} } = on?.workflow_call ?? action;
  const texts = [inputs, outputs, secrets].flatMap((some) =>
    Object.values<{ description: string }>(some).map(({ description }) => description),
  );
  expect(texts.length).toBeGreaterThan(0);
  expect(faultsOf(texts)).toEqual([]);
});

test('messages in src/ have short sentences without the banned words', () => {
  const source = "refuse('the image cannot be had', x); // held against nothing\n const a = 'b c';";
  expect(faultsOf(messagesOf(source))).toHaveLength(1);
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const found = files.map((file) => [file, faultsOf(messagesOf(read(file)))] as const);
  expect(files.length).toBeGreaterThan(100);
  expect(Object.fromEntries(found.filter(([, faults]) => faults.length > 0))).toEqual({});
});

const SOURCES = globSync(['{src,script,bench,scenarios,runtimes,test}/**/*.{ts,js}', 'runtimes/**/*.php'], {
  cwd: root,
}).filter((file) => !file.includes('node_modules'));
const isTest = (file: string) => /\.test\.ts$|^test\//.test(file);
const listFaults = (files: readonly string[], find: (text: string) => string[]) =>
  files.flatMap((file) => find(read(file)).map((fault) => `${file}: ${fault}`));

test('a comment with a long sentence or a banned word is found, and its code is left alone', () => {
  const source = `// A ref\n// says.\n/**\n * A ${'very '.repeat(30)}much.\n *   node ${'x '.repeat(30)}\n */`;
  expect(faultsOfComments(commentsOf(source))).toHaveLength(2);
  expect(faultsOfTests([...commentsOf('// It `tells` all.'), 'It is told.'])).toHaveLength(1);
  expect(faultsOfComments(['What it costs.', 'Who asked.', 'What does it cost?'])).toHaveLength(2);
  expect(faultsOfComments(hashCommentsOf('# It\n  # says.\necho held # so\n'))).toHaveLength(1);
});

test('comments in sources have short sentences without the banned words', () => {
  const files = SOURCES.filter((file) => !isTest(file));
  expect(files.length).toBeGreaterThan(300);
  expect(listFaults(files, (text) => faultsOfComments(commentsOf(text)))).toEqual([]);
  const others = globSync('{script,runtimes}/**', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(ts|js|php|lock|json|txt|in)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  expect(others.length).toBeGreaterThan(50);
  expect(listFaults(others, (text) => faultsOfComments(hashCommentsOf(text)))).toEqual([]);
});

test('comments and titles of tests have short sentences without the banned words', () => {
  const files = SOURCES.filter(isTest);
  expect(files.length).toBeGreaterThan(200);
  expect(listFaults(files, (text) => faultsOfTests([...commentsOf(text), ...titlesOf(text)]))).toEqual([]);
});

test('messages of script/ and texts of the runtimes are written the same way', () => {
  const scripts = globSync('script/**/*.ts', { cwd: root });
  const found = scripts.flatMap((file) =>
    faultsOf(messagesOf(read(file))).map((fault) => `${file}: ${fault}`),
  );
  expect(found).toEqual([]);
  const shells = globSync(['script/{bench,bootstrap,build,test}', 'script/lib/*.sh'], { cwd: root });
  const printed = (file: string) => messagesOf(read(file).replaceAll(/^\s*#.*$/gm, ''));
  expect(shells.flatMap(printed).length).toBeGreaterThan(30);
  expect(shells.flatMap((file) => faultsOf(printed(file)).map((fault) => `${file}: ${fault}`))).toEqual([]);
  const manifests = globSync('runtimes/*/runtime.yaml', { cwd: root });
  const texts = manifests.flatMap((file) => aboutsOf(parse(read(file))).map((text) => [file, text] as const));
  expect(texts.length).toBeGreaterThan(30);
  expect(texts.flatMap(([file, text]) => faultsOf([text]).map((fault) => `${file}: ${fault}`))).toEqual([]);
});

/** All `about` in a manifest, however deep. */
function aboutsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'about' && typeof inner === 'string' ? [inner] : aboutsOf(inner),
  );
}

test('the glossary has at most 15 terms, and those that pages link', () => {
  expect(existsSync(join(root, 'docs/glossary.md'))).toBe(true);
  const terms = [...read('docs/glossary.md').matchAll(/^## (.*)$/gm)].map(([, term]) => term?.toLowerCase());
  expect(terms.length).toBeLessThanOrEqual(15);
  expect(terms.filter((term) => / and |,/.test(term ?? ''))).toEqual([]);
  expect(terms).toEqual(expect.arrayContaining(LINKED));
});
