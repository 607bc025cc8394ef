import { gzipSync } from 'node:zlib';
import { fileNameOf } from '../../text/file-name.ts';

/** Files of callgrind that a run keeps, for callgrind_annotate and KCachegrind. Pure. */

/** More characters are compressed, to about a tenth. */
export const MOST_PLAIN = 4 * 2 ** 20;

/** A name for each path. Those that differ in nothing but odd characters have numbers. */
export function nameFiles(paths: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const path of new Set(paths)) {
    const safe = `callgrind.out.${fileNameOf(path)}`;
    let name = safe;
    for (let i = 2; taken.has(name); i++) name = `${safe}-${i}`;
    taken.add(name);
    names.set(path, name);
  }
  return names;
}

/** Content of the file: plain, or compressed if it would be large. */
export function packText(name: string, text: string): [name: string, content: string | Uint8Array] {
  return text.length <= MOST_PLAIN ? [name, text] : [`${name}.gz`, gzipSync(text)];
}
