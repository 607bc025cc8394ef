import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { drawLayers, findSharedNames, findUpward, LAYERS, listImports } from '../../script/lib/imports.ts';
import { folder, useFolder } from '../fixtures/folder.ts';

const root = resolve(import.meta.dirname, '../..');
useFolder();

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.ts$/.test(file),
);

test('every import in src/ points to a lower layer', () => {
  expect(findUpward(listImports())).toEqual([]);
});

test('every part of src/ is in one layer', () => {
  const parts = new Set(
    sources.filter((file) => !/\.test\.ts$/.test(file)).map((file) => file.replace(/(\/.*|\.ts)$/, '')),
  );
  expect(LAYERS.flat().toSorted()).toEqual([...parts].sort());
});

test('docs/architecture.md has the drawing of the layers as they are', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  expect(page, 'see `node script/lib/imports.ts`').toContain(
    `\`\`\`text\n${drawLayers(listImports())}\n\`\`\``,
  );
});

test('a search for an exported name finds one file of src/', () => {
  expect(findSharedNames(), 'rename one of them, or share it').toEqual([]);
});

test('an exported name is seen in each form, and one of two files is named with both', () => {
  for (const [file, text] of Object.entries({
    'a.ts': 'export async function pair() {}\nexport const A = 1;\nexport type A = typeof A;\n',
    'b.ts': 'export interface pair {}\nexport function* each() {}\nconst own = 1;\n',
    'c.ts': 'export abstract class each {}\nconst own = 2;\n',
    'c.test.ts': 'export const A = 2;\n',
  })) {
    writeFileSync(join(folder, file), text);
  }
  expect(findSharedNames(folder)).toEqual(['pair: a.ts, b.ts', 'each: b.ts, c.ts']);
});

test('an import is seen in each form, and one that points upwards is named', () => {
  for (const [file, text] of Object.entries({
    'stats/a.ts': "import { b } from '../text/b.ts';\n",
    'text/b.ts': "import type {\n  A,\n} from '../run/a.ts';\nexport * from '../results/c.ts';\n",
    'results/c.ts': "import './d.ts';\nconst x = await import('../config/e.ts');\n",
    'config/e.ts': "import { c } from '../results/c.ts';\n",
  })) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const imports = listImports(folder);
  expect(imports).toHaveLength(6);
  expect(findUpward(imports)).toEqual([
    'results/c.ts imports config/e.ts',
    'stats/a.ts imports text/b.ts',
    'text/b.ts imports run/a.ts',
    'text/b.ts imports results/c.ts',
  ]);
});

test('a folder of src/ has at most twelve files beside their tests', () => {
  const rooms = new Map<string, number>();
  for (const file of sources.filter((file) => !/\.test\.ts$/.test(file))) {
    rooms.set(dirname(file), (rooms.get(dirname(file)) ?? 0) + 1);
  }
  const full = [...rooms].filter(([, files]) => files > 12).map(([room, files]) => `${room}: ${files} files`);
  expect(full, 'move files that belong together into a room of their own').toEqual([]);
});

test('docs/architecture.md names every room beside its folder', () => {
  const rows = readFileSync(join(root, 'docs/architecture.md'), 'utf8').match(/^\| `.*/gm) ?? [];
  const rooms = new Set(sources.map((file) => dirname(file)).filter((folder) => folder.includes('/')));
  const unnamed = [...rooms].filter((room) => {
    const row = rows.find((line) => line.split('|')[1]?.includes(`\`${room.split('/')[0]}/\``));
    return !row?.includes(`\`${basename(room)}\``);
  });
  expect(rooms.size).toBeGreaterThan(20);
  expect(unnamed).toEqual([]);
});

test('no two files of src/ share a name', () => {
  const names = sources.map((file) => basename(file));
  expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
});
