import type { Slice } from '../../plan/timeline/slices.ts';
import type { Others } from '../../results/results.ts';
import { type ErrorSample, findSample, type K6Summary, OTHER_KINDS, sliceId } from '../load/k6.ts';

/** Up to so many odd answers are the app's own way: a page that shows its visitor something now and then. */
const ODD_RATIO = 0.01;
/** With no more of them than that, one of so many slices would have as many by chance. */
const SLICES = 1000;

/**
 * Answers of a slice that were others than the checked ones, or that its journey called wrong; of several endpoints the one
 * that is worst off. Null: none was. Pure.
 */
export function findOthers(
  { summary, errors }: { summary: K6Summary | null; errors: readonly ErrorSample[] },
  slice: Slice,
): Others | null {
  const id = sliceId(slice);
  const count = (metric: string, tags: string) =>
    summary?.metrics[`${metric}{slice:${id},${tags}}`]?.count ?? 0;
  const found = (summary?.endpoints ?? []).flatMap((endpoint, i): Others[] => {
    const tag = `endpoint:e${i}`;
    const requests = count('http_req_duration', `name:e${i}`);
    const kinds = [
      { kind: 'wrong answer', of: requests, count: count('bench_errors', `${tag},kind:wrong answer`) },
      ...OTHER_KINDS.map((kind) => ({
        kind,
        // The status is looked at in all answers, bodies in those that were read.
        of: kind === 'other status' ? requests : count('bench_read', tag),
        count: count('bench_others', `${tag},kind:${kind}`),
      })),
    ].filter((one) => one.count > 0);
    const most = kinds.reduce<(typeof kinds)[number] | null>(
      (a, b) => (a === null || chanceOf(b) < chanceOf(a) ? b : a),
      null,
    );
    if (most === null) return [];
    const sample = findSample(errors, { slice: id, endpoint, kind: most.kind });
    return [{ endpoint, ...most, what: sample?.what || most.kind, isVoid: isTooMany(most) }];
  });
  return found.reduce<Others | null>((a, b) => (a === null || chanceOf(b) < chanceOf(a) ? b : a), null);
}

/** `37 of 120 answers of GET / were others than before the load: HTTP 302 to /login instead of HTTP 200` */
export function describeOthers({ endpoint, count, of, what, kind }: Others): string {
  const told = what === kind ? '' : `: ${what}`;
  const verb = kind === 'wrong answer' ? 'wrong' : 'not the checked one';
  return `other answers: ${count} of ${of} of ${endpoint} ${count === 1 ? 'was' : 'were'} ${verb}${told}`;
}

type Counted = Pick<Others, 'count' | 'of'>;

function isTooMany(others: Counted): boolean {
  return others.count >= 2 && chanceOf(others) < 1 / SLICES;
}

/** The chance of as many odd answers or more, by Poisson's distribution. The app is taken to give ODD_RATIO of them. */
function chanceOf({ count, of }: Counted): number {
  const expected = ODD_RATIO * of;
  // Its logarithm: the chance of none in a hundred thousand answers is too small for a number.
  let term = -expected;
  let below = 0;
  for (let k = 0; k < count; k++) {
    below += Math.exp(term);
    term += Math.log(expected / (k + 1));
  }
  return Math.max(0, 1 - below);
}
