import { keyOf } from './frame-groups.ts';
import { MOST } from './functions.ts';
import type { CallTree, Culprit, FunctionName } from './why-model.ts';

/**
 * The nearest caller in a changed file by whose calls most of the change of a function came. An exception, for example,
 * costs where it is made, and the change is where it is thrown more often. Null: there is no such caller, or the
 * function itself is in a changed file.
 */
export function findCaller(
  tree: CallTree,
  { function: own }: Pick<Culprit, 'function'>,
): FunctionName | null {
  if (own === null || own.changed) return null;
  const sums = new Map<number | null, number>();
  /** By call: its frame, or that of its nearest caller, in a file that changed. */
  const changed: (number | null)[] = [];
  /** By call: the nearest changed caller of the function that it is a part of; undefined: it is no part of it. */
  const by: (number | null | undefined)[] = [];
  for (const [caller, frame, variant, base] of tree.calls) {
    const above = changed[caller] ?? null;
    const called = tree.frames[frame] as FunctionName;
    const isOwn = keyOf(called) === keyOf(own);
    const way = by[caller] !== undefined ? by[caller] : isOwn ? above : undefined;
    changed.push(called.changed ? frame : above);
    by.push(way);
    if (way !== undefined) sums.set(way, (sums.get(way) ?? 0) + variant - base);
  }
  const all = [...sums.values()].reduce((sum, us) => sum + us, 0);
  const [way = null] = [...sums].find(([, us]) => us / all >= MOST) ?? [];
  return way === null ? null : (tree.frames[way] ?? null);
}
