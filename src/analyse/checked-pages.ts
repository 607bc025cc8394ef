import type { CheckedPage } from '../results/results.ts';

/** Puts the variants that answered alike into one entry for each path and step of a journey, in order of appearance. Pure. */
export function groupPages(pages: readonly CheckedPage[]): CheckedPage[] {
  const groups = new Map<string, CheckedPage>();
  for (const page of pages) {
    // A text may have the time in it.
    const { variants, bytes: _bytes, text: _text, ...head } = page;
    const key = JSON.stringify(head);
    const known = groups.get(key);
    groups.set(key, known ? join(known, page) : { ...page, variants: [...new Set(variants)] });
  }
  return [...groups.values()];
}

function join(a: CheckedPage, b: CheckedPage): CheckedPage {
  return {
    ...a,
    variants: [...new Set([...a.variants, ...b.variants])],
    bytes: [Math.min(a.bytes[0], b.bytes[0]), Math.max(a.bytes[1], b.bytes[1])],
  };
}
