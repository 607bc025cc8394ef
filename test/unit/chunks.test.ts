import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { nameChunks } from '../../script/lib/chunks.ts';
import { folder, useFolder } from '../fixtures/folder.ts';

useFolder();

async function bundle(said: string): Promise<string[]> {
  writeFileSync(
    join(folder, 'both.mjs'),
    `export const said = '${said}'; export const lazy = () => import('./late.mjs');`,
  );
  writeFileSync(join(folder, 'late.mjs'), "export const late = 'late';");
  for (const entry of ['one', 'two']) {
    const text = `import { said, lazy } from './both.mjs'; console.log('${entry}', said, (await lazy()).late);`;
    writeFileSync(join(folder, `${entry}.mjs`), text);
  }
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: ['one', 'two'].map((name) => join(folder, `${name}.mjs`)),
    outdir: join(folder, 'dist'),
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    ...{ bundle: true, splitting: true, format: 'esm', metafile: true },
  });
  nameChunks(folder, metafile);
  return readdirSync(join(folder, 'dist')).sort();
}

test('chunks keep their names when their content changes, and are found by them', async () => {
  const names = await bundle('before');
  expect(names).toEqual(['lazy-late.mjs', 'one.mjs', 'shared-one-two.mjs', 'two.mjs']);
  expect(await bundle('after')).toEqual(names);
  const printed = execFileSync(process.execPath, [join(folder, 'dist/two.mjs')], { encoding: 'utf8' });
  expect(printed).toBe('two after late\n');
});
