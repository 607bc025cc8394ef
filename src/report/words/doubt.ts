import type { Summary } from '../../analyse/summary.ts';
import { listNames } from '../../text/plain.ts';

/** Warnings that something else was measured than the reader means. */
const DOUBTS = ['looks-unfinished', 'redirect', 'login-form', 'same-page'];

/** No number is of use before this is known, so it stands beside the result. Empty if there is no such warning. */
export function doubt({ warnings }: Pick<Summary, 'warnings'>): string {
  const found = DOUBTS.filter((doubt) => warnings.some(({ code }) => code === doubt));
  return found.length > 0 ? `Perhaps not the page that you mean: see ${listNames(found)}.` : '';
}
