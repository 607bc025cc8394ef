import { AUTOLOADING, readCell } from './charge.ts';
import { MIN_SHARE, MOST, type Paired, sumOf, testChanges, timesOf } from './functions.ts';
import type { Culprit, FunctionChange, FunctionName } from './why-model.ts';

/**
 * Functions that surely changed, the largest change first. Time in code that is not the user's own is charged to the
 * own function that called it, since the user can change that one. Each sample counts once, so changes add up.
 *
 * Both are tested: each function as far as it is called by one of the own, and an own function with all that it calls.
 * The former finds one function of a library among many, the latter what many share.
 */
export function findCulprits(
  paired: Paired,
  nameOf: (key: string) => FunctionName,
): Omit<Culprit, 'caller'>[] {
  const { cells, charged } = testChanges(paired, ['cells', 'charged']);
  const times = timesOf(paired, 'charged');
  const sure = [...cells].filter(([, change]) => change.sure);
  const parts = Map.groupBy(sure, ([cell]) => readCell(cell)[0]);
  const whole = [...charged].filter(([, change]) => change.sure).map(([key]) => key);
  const perRequestUs = sumOf([...times.values()].map(({ variant, base }) => Math.max(variant, base)));
  return (
    [...new Set([...parts.keys(), ...whole])]
      .map((key) => {
        const own = (parts.get(key) ?? []).map(([cell, change]) => ({ key: readCell(cell)[1], change }));
        return {
          function: key === AUTOLOADING ? null : nameOf(key),
          us: times.get(key) ?? { variant: 0, base: 0 },
          ...placeOf(key, own, charged.get(key), nameOf),
        };
      })
      // Sure parts in opposite directions have a sum that need not be sure.
      .filter(
        ({ change: { us, low, high } }) => (low > 0 || high < 0) && Math.abs(us) >= MIN_SHARE * perRequestUs,
      )
      .sort((a, b) => Math.abs(b.change.us) - Math.abs(a.change.us))
  );
}

/** How much of it is shown, and where within it that is: in itself, in one function that it calls, or in many. */
function placeOf(
  key: string,
  parts: readonly { key: string; change: FunctionChange }[],
  whole: FunctionChange | undefined,
  nameOf: (key: string) => FunctionName,
): Pick<Culprit, 'change' | 'within' | 'isSpread'> {
  const sum = (side: 'us' | 'low' | 'high') => sumOf(parts.map(({ change }) => change[side]));
  const together: FunctionChange = { us: sum('us'), low: sum('low'), high: sum('high'), sure: true };
  const change = whole?.sure ? whole : together;
  const [first] = parts.toSorted((a, b) => (b.change.us - a.change.us) / change.us);
  const hasMost = first !== undefined && first.change.us / change.us >= MOST;
  const isInside = hasMost && first.key !== key && key !== AUTOLOADING;
  return {
    change,
    within: isInside ? nameOf(first.key) : null,
    isSpread: !hasMost && key !== AUTOLOADING,
  };
}
