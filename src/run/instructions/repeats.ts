import type { CheckedPage } from '../../results/results.ts';
import type { CallgrindPart, FunctionCost } from './callgrind.ts';

/** Evaluates the counts of a page. Pure. */

/** One process of php-cgi: a file of callgrind for each request that counts. */
export type Repeat = readonly CallgrindPart[];

/** A page whose equal counts differ by more cannot be counted. */
export const MOST_FLOOR = 0.0005;

export interface Difference {
  name: string;
  /** Instructions per request in the first file and in the second. */
  self: readonly [number, number];
  calls: readonly [number, number];
}

export function meanOf(repeat: Repeat): number {
  return repeat.reduce((sum, { instructions }) => sum + instructions, 0) / repeat.length;
}

/**
 * By how much equal counts differ, as a share: the repeats of one version, and the requests within a repeat, whose mean
 * is the less certain the more they differ. The largest of all versions.
 */
export function floorOf(sides: readonly (readonly Repeat[])[]): number {
  return Math.max(0, ...sides.map(floorOfSide));
}

function floorOfSide(repeats: readonly Repeat[]): number {
  const means = repeats.map(meanOf);
  const mean = means.reduce((a, b) => a + b, 0) / means.length;
  const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
  const within = repeats.map((r) => spread(r.map(({ instructions }) => instructions)) / Math.sqrt(r.length));
  return Math.max(spread(means), ...within) / mean;
}

/** The functions that differ most between two files, those with the largest difference first. */
export function findDifferences(first: CallgrindPart, second: CallgrindPart, most: number): Difference[] {
  const none: FunctionCost = { self: 0, calls: 0 };
  const names = new Set([...first.functions.keys(), ...second.functions.keys()]);
  const all = [...names].map((name): Difference => {
    const [a, b] = [first.functions.get(name) ?? none, second.functions.get(name) ?? none];
    return { name, self: [a.self, b.self], calls: [a.calls, b.calls] };
  });
  const size = ({ self: [a, b] }: Difference) => Math.abs(a - b);
  return all
    .filter((one) => size(one) > 0)
    .sort((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}

/** The two files of one version that differ most. */
export function findExtremes(repeats: readonly Repeat[]): [CallgrindPart, CallgrindPart] {
  const parts = repeats.flat().sort((a, b) => a.instructions - b.instructions);
  return [parts[0] as CallgrindPart, parts.at(-1) as CallgrindPart];
}

/** Answer of php-cgi before the counting. */
export interface PageAnswer {
  status: number;
  location: string;
  /** The size of the body, uncompressed. */
  bytes: number;
  /** The size of all that php-cgi printed: head and body as they are sent. */
  sent: number;
}

/** A date or a counter in a page may be longer: as it may be under load. */
const SLACK_RATIO = 0.05;
const SLACK_BYTES = 32;

export const slackOf = (bytes: number) => Math.max(SLACK_BYTES, Math.ceil(bytes * SLACK_RATIO));

/** How an answer differs from the one that was checked before the load; null: it does not. */
export function findPageDifference(
  page: CheckedPage | undefined,
  { status, location, bytes }: Omit<PageAnswer, 'sent'>,
): string | null {
  const to = location === '' ? '' : ` to ${location}`;
  if (status === 0) return 'php-cgi answered nothing';
  if (!page) return status === 200 ? null : `php-cgi answers HTTP ${status}${to}`;
  if (status !== page.status) return `php-cgi answers HTTP ${status}${to} instead of HTTP ${page.status}`;
  const [least, most] = page.bytes;
  const isAlike = bytes >= least - slackOf(least) && bytes <= most + slackOf(most);
  const expected = least === most ? `${least}` : `${least} to ${most}`;
  return isAlike ? null : `php-cgi answers ${bytes} bytes instead of ${expected}`;
}
