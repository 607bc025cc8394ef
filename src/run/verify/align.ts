/** Finds what two sequences do not share. Pure. */

/** A stretch of `a` in whose place `b` has another; either may be empty. The ends are exclusive. */
interface Hunk {
  a: { from: number; to: number };
  b: { from: number; to: number };
}

/** More edits than this are not a change of a page but another page; the search's memory grows with their square. */
const MAX_EDITS = 1500;

/**
 * The fewest hunks by which `b` differs from `a` (Myers, An O(ND) Difference Algorithm, 1986). If two sequences share
 * too little, one hunk covers all between their common beginning and end.
 */
export function align<T>(a: readonly T[], b: readonly T[]): Hunk[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  if (start === endA && start === endB) return [];
  const whole = { a: { from: start, to: endA }, b: { from: start, to: endB } };
  if (start === endA || start === endB) return [whole];
  const trace = search(a.slice(start, endA), b.slice(start, endB));
  if (trace === null) return [whole];
  return readHunks(trace, endA - start, endB - start).map((hunk) => ({
    a: { from: hunk.a.from + start, to: hunk.a.to + start },
    b: { from: hunk.b.from + start, to: hunk.b.to + start },
  }));
}

/** After each number of edits the furthest place in `a` on each diagonal −edits…edits; null: too many edits. */
function search<T>(a: readonly T[], b: readonly T[]): Int32Array[] | null {
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= MAX_EDITS; edits++) {
    const before = trace.at(-1);
    const furthest = new Int32Array(2 * edits + 1);
    for (let k = -edits; k <= edits; k += 2) {
      let x = before === undefined ? 0 : step(before, edits, k).x;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[k + edits] = x;
      if (x >= a.length && x - k >= b.length) {
        trace.push(furthest);
        return trace;
      }
    }
    trace.push(furthest);
  }
  return null;
}

/** The edit by which diagonal k is reached at best: a word of `b` inserted, or one of `a` left out. */
function step(before: Int32Array, edits: number, k: number): { x: number; from: number } {
  const at = (diagonal: number) => before[diagonal + edits - 1] ?? -1;
  const inserts = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
  return inserts ? { x: at(k + 1), from: k + 1 } : { x: at(k - 1) + 1, from: k - 1 };
}

function readHunks(trace: readonly Int32Array[], lengthA: number, lengthB: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [x, y] = [lengthA, lengthB];
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const before = trace[edits - 1] as Int32Array;
    const k = x - y;
    const { x: edited, from } = step(before, edits, k);
    const fromX = before[from + edits - 1] as number;
    const [fromY, editedY] = [fromX - from, edited - k];
    const last = hunks.at(-1);
    if (last && last.a.from === edited && last.b.from === editedY) {
      last.a.from = fromX;
      last.b.from = fromY;
    } else {
      hunks.push({ a: { from: fromX, to: edited }, b: { from: fromY, to: editedY } });
    }
    [x, y] = [fromX, fromY];
  }
  return hunks.reverse();
}
