import type { ScriptLabel } from '../../config/requests/script-facts.ts';

/** Statistics of so many tags are kept: each costs k6 memory and time. */
const MOST = 50;
/** With more groups than this, k6 is not asked for each in each other. */
const MOST_NESTED = 6;
/** Names that k6 cannot select by, and names of our own. */
const UNFIT = /[,{}"'\\\n]|^\s|\s$|^e\d+$/;

/**
 * The tags with which a script groups requests, as far as they are in its text: `name: 'cart'`, `group('checkout', …)`.
 * k6 keeps statistics only of tags that are named beforehand. Text that is no tag has no requests, and so no row.
 */
export function findLabels(texts: readonly string[]): ScriptLabel[] {
  const names = findAll(texts, /\bname['"]?\s*[:=]\s*(['"`])([^'"`\n$]{1,100})\1/g);
  const groups = findAll(texts, /\bgroup\s*\(\s*(['"`])([^'"`\n$]{1,100})\1/g).filter(
    (name) => !name.includes('::'),
  );
  const outer = groups.map((name) => `::${name}`);
  const nested =
    groups.length > MOST_NESTED ? [] : outer.flatMap((path) => groups.map((name) => `${path}::${name}`));
  return [
    ...names.map((name) => ({ name, tag: `name:${name}` })),
    ...[...outer, ...nested].map((path) => ({
      name: `group ${path.split('::').filter(Boolean).join(' › ')}`,
      tag: `group:${path}`,
    })),
  ].slice(0, MOST);
}

function findAll(texts: readonly string[], pattern: RegExp): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(pattern)].map(([, , name = '']) => name));
  return [...new Set(found)].filter((name) => !UNFIT.test(name));
}
