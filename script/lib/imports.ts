// The folders of src/ as layers: each imports those below it alone. Prints the drawing in docs/architecture.md:
//   node script/lib/imports.ts
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Top first. Layers in one line do not import each other. Files in src/ itself go by name. */
export const LAYERS: readonly (readonly string[])[] = [
  ['action', 'cli', 'post'],
  ['commands', 'steps'],
  ['bench'],
  ['stages'],
  ['publish'],
  ['report'],
  ['history', 'run'],
  ['analyse', 'images'],
  ['checkout'],
  ['engine'],
  ['plan', 'store'],
  ['config', 'temporary'],
  ['clean-up', 'errors', 'host', 'last-resort', 'namespace', 'project', 'results', 'stats', 'text'],
];

/** `config` for `config/keys.ts`, `bench` for `bench.ts`. */
const partOf = (file: string) => file.replace(/(\/.*|\.ts)$/, '');

/** An import of src/, by files relative to it. */
export interface Import {
  from: string;
  to: string;
}

/** All imports of one file by another, types included. Biome keeps each in the form that is looked for. */
export function listImports(folder = join(root, 'src')): Import[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => /(?<!\.test)\.ts$/.test(file)).sort();
  return sources.flatMap((from) => {
    const text = readFileSync(join(folder, from), 'utf8');
    const found = text.matchAll(/^(?:import|export|\}) ?[^'\n]*?'(\.[^']+\.ts)'|import\('(\.[^']+\.ts)'\)/gm);
    return [...found].map(([, plain, lazy]) => ({
      from,
      to: join(dirname(from), (plain ?? lazy) as string),
    }));
  });
}

/** Those that do not point downwards. */
export function findUpward(imports: readonly Import[]): string[] {
  const heightOf = (file: string) => LAYERS.findLastIndex((layer) => layer.includes(partOf(file)));
  return imports
    .filter(
      ({ from, to }) =>
        partOf(from) !== partOf(to) && !(heightOf(to) > heightOf(from) && heightOf(from) >= 0),
    )
    .map(({ from, to }) => `${from} imports ${to}`);
}

/** Names that more than one file exports, with those files: a search for such a name leads to the wrong place. */
export function findSharedNames(folder = join(root, 'src')): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const places = new Map<string, Set<string>>();
  for (const file of files.filter((file) => /(?<!\.test)\.ts$/.test(file)).sort()) {
    const text = readFileSync(join(folder, file), 'utf8');
    const kinds = 'function\\*?|const|let|class|interface|type|enum';
    const found = text.matchAll(new RegExp(`^export (?:async |abstract )*(?:${kinds}) +(\\w+)`, 'gm'));
    for (const [, name = ''] of found) places.set(name, (places.get(name) ?? new Set()).add(file));
  }
  return [...places]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
}

/** A line for each layer: its parts, and which parts they import. */
export function drawLayers(imports: readonly Import[]): string {
  const parts = LAYERS.flat();
  const lines = LAYERS.flatMap((layer) =>
    layer.map((part) => {
      const used = new Set(imports.flatMap(({ from, to }) => (partOf(from) === part ? partOf(to) : [])));
      const below = parts.filter((other) => other !== part && used.has(other));
      return below.length > 0 ? `${part.padEnd(12)}→ ${below.join(' ')}` : part;
    }),
  );
  return lines.join('\n');
}

if (process.argv[1] === import.meta.filename) console.log(drawLayers(listImports()));
