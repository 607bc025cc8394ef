import type { Summary } from '../../analyse/summary.ts';
import { cut, listNames } from '../../text/plain.ts';

/** Warnings that something else was measured than the reader means. */
const DOUBTS = ['looks-unfinished', 'redirect', 'login-form', 'same-page'];

/** Whether a page may be another one than the reader means. */
export function doubtsPage({ warnings }: Pick<Summary, 'warnings'>): boolean {
  return warnings.some(({ code }) => DOUBTS.includes(code));
}

/** A page's title and beginning, and what a warning adds. */
const DETAILS = / \((?:HTTP \d|["']).*|: the numbers are .*/s;
const CHARACTERS = 120;
/** So many warnings are given. */
const NAMED = 3;

/**
 * No number is of use before this is known, so it stands beside the result. Empty if there is no such warning.
 * @param text how texts of others stand in sentences
 */
export function doubt({ warnings }: Pick<Summary, 'warnings'>, text: (text: string) => string): string {
  const all = DOUBTS.flatMap((doubt) => warnings.filter(({ code }) => code === doubt));
  // Each machine warns of the same page.
  const found = [...new Map(all.map((one) => [one.message, one])).values()];
  if (found.length === 0) return '';
  const seen = found
    .slice(0, NAMED)
    .map(({ message }) => text(cut(message.replace(DETAILS, ''), CHARACTERS)));
  const codes = listNames([...new Set(found.map(({ code }) => code))]);
  const more = found.length > NAMED ? [`${found.length - NAMED} more`] : [];
  return `Perhaps not the page that you mean: ${[...seen, ...more].join('; ')} (see ${codes}).`;
}
