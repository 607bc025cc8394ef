import { createHash } from 'node:crypto';

/** The first hexadecimal digits of the SHA-256 of a text: enough to keep names apart, no proof of what it was. Pure. */
export function shortHash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
