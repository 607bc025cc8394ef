import { shortHash } from './short-hash.ts';

/** The most characters of a name. File systems allow 255 bytes, of which endings such as `.speedscope.json` take some. */
const MOST = 180;

/**
 * A name for a file or folder from an id or a path, which have characters such as `/`, `[` and `:`. Long ones lose their middle,
 * as both versions of a variant differ only at the end. A hash keeps them apart. Pure.
 */
export function fileNameOf(text: string): string {
  const safe = text.replace(/[^A-Za-z0-9@.=-]+/g, '_');
  if (safe.length <= MOST) return safe;
  const hash = shortHash(text, 8);
  return `${safe.slice(0, MOST / 2)}_${hash}_${safe.slice(10 - MOST / 2)}`;
}
