// Gives the chunks of dist/ names that stay when their content changes. The names of esbuild have a hash of it, so
// every commit of dist/ would remove and add most files.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';

/** @param target the folder that the paths of the metafile are in */
export function nameChunks(target: string, { outputs }: Metafile): void {
  const names = stableNames(outputs);
  for (const path of Object.keys(outputs)) {
    const file = join(process.cwd(), path);
    let text = readFileSync(file, 'utf8');
    for (const [hashed, name] of names) text = text.replaceAll(hashed, name);
    writeFileSync(file, text);
  }
  for (const [hashed, name] of names) renameSync(join(target, 'dist', hashed), join(target, 'dist', name));
}

/** A chunk holds what the same entries load, so it is named by them: `shared-action-cli.mjs`. */
export function stableNames(outputs: Metafile['outputs']): Map<string, string> {
  const entries = Object.keys(outputs).filter((path) => outputs[path]?.entryPoint !== undefined);
  const users = new Map<string, string[]>();
  for (const entry of entries) {
    for (const path of reach(entry, outputs))
      users.set(path, [...(users.get(path) ?? []), titleOf(entry, outputs)]);
  }
  const names = new Map<string, string>();
  for (const path of Object.keys(outputs)) {
    if (!/^chunk-[0-9A-Z]{8}\.mjs$/.test(basename(path))) continue;
    const own = outputs[path]?.entryPoint === undefined ? (users.get(path) ?? []) : [titleOf(path, outputs)];
    const by = own.length === entries.length ? ['all'] : own.sort();
    const name = `${outputs[path]?.entryPoint === undefined ? 'shared' : 'lazy'}-${by.join('-')}.mjs`;
    if ([...names.values()].includes(name)) throw new Error(`two chunks of dist/ would be ${name}`);
    names.set(basename(path), name);
  }
  return names;
}

const titleOf = (path: string, outputs: Metafile['outputs']) =>
  basename(outputs[path]?.entryPoint ?? path).replace(/(-step)?\.[a-z]+$/, '');

/** Files that an output imports when it is loaded, directly or indirectly. */
function reach(entry: string, outputs: Metafile['outputs'], seen = new Set<string>()): Set<string> {
  for (const { path, kind } of outputs[entry]?.imports ?? []) {
    if (kind !== 'import-statement' || seen.has(path) || !outputs[path]) continue;
    seen.add(path);
    reach(path, outputs, seen);
  }
  return seen;
}
