import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { bundledFolders, renderLicenses } from '../../script/lib/licenses.ts';
import { pagePlugin } from '../../script/lib/page.ts';
import { bundlePage } from '../../src/report/html/assets.ts';

const root = resolve(import.meta.dirname, '../..');
let metafile: Metafile;
let text: string;

beforeAll(async () => {
  ({ metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/action.ts', 'src/cli.ts'],
    outdir: 'dist',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    plugins: [pagePlugin],
    logLevel: 'error',
  }));
  text = renderLicenses([metafile, bundlePage().metafile], root);
});

test('each package whose code is bundled is named, that of the page included', () => {
  const folders = bundledFolders([metafile, bundlePage().metafile]);
  expect(folders).toEqual(expect.arrayContaining(['node_modules/zod', 'node_modules/uplot']));
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    expect(text).toContain(`${name} ${version} (${license ?? 'no licence named'})`);
  }
  // Tools of the build are not part of what it makes.
  expect(text).not.toContain('esbuild');
});

test('who holds the rights is named, and the words of each licence are there', () => {
  for (const [name, holder] of [
    ['zod', /Copyright \(c\) 2025 Colin McDonnell/],
    ['yaml', /Copyright Eemeli Aro/],
    ['uplot', /Copyright \(c\) \d+ Leon Sorokin/],
  ] as const) {
    expect(readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')).toMatch(holder);
    expect(text).toMatch(holder);
  }
  expect(text).toContain('The above copyright notice and this permission notice shall be included');
  expect(text).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
  // Once for all packages under it, not once for each.
  expect(text.match(/Permission is hereby granted, free of charge/g)?.length).toBeLessThan(12);
});
