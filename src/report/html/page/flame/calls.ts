import type { Sides } from '../../../../analyse/why/why-model.ts';
import type { Flame } from '../../flame/flame.ts';

/** A call with all that it calls. Times are µs of CPU per request. */
export interface Call {
  /** Index in `Flame.names`; −1: the request as a whole. */
  name: number;
  caller: Call | null;
  callees: Call[];
  depth: number;
  self: Sides;
  total: Sides;
}

/** Quantity that the widths represent. `gone`: calls that only the base makes. */
export type View = 'variant' | 'base' | 'gone';

/** The request, of which all else is a part. */
export function readCalls({ calls }: Flame): Call {
  const root = makeCall(-1, null, 0, 0);
  const made: Call[] = [];
  for (const [caller, name, variant, base] of calls)
    made.push(makeCall(name, made[caller] ?? root, variant, base));
  // Callers stand before what they call.
  for (const { caller, total } of made.reverse()) {
    if (!caller) continue;
    caller.total.variant += total.variant;
    caller.total.base += total.base;
  }
  return root;
}

function makeCall(name: number, caller: Call | null, variant: number, base: number): Call {
  const call: Call = {
    ...{ name, caller, callees: [], depth: caller ? caller.depth + 1 : 0 },
    ...{ self: { variant, base }, total: { variant, base } },
  };
  caller?.callees.push(call);
  return call;
}

export const isNew = ({ total }: Call): boolean => total.base === 0 && total.variant > 0;
export const isGone = ({ total }: Call): boolean => total.variant === 0 && total.base > 0;

/** µs that are shown of a call with all that it calls. */
export function callSize(call: Call, view: View): number {
  if (view !== 'gone') return call.total[view];
  if (isGone(call)) return call.total.base;
  return call.callees.reduce((sum, callee) => sum + callSize(callee, view), 0);
}

/** A call on the picture; x and width are shares of the whole. */
export interface Box {
  call: Call;
  x: number;
  width: number;
}

/** Narrower boxes cannot be seen. */
const LEAST = 0.0006;

/** Boxes of all that can be seen of a call, below its callers, which take the whole width. */
export function layOutCalls(focus: Call, view: View): Box[] {
  const boxes: Box[] = [];
  for (let { caller } = focus; caller; { caller } = caller) boxes.unshift({ call: caller, x: 0, width: 1 });
  const whole = callSize(focus, view);
  const place = (call: Call, x: number, width: number): void => {
    boxes.push({ call, x, width });
    let at = x;
    for (const callee of call.callees) {
      const share = whole > 0 ? callSize(callee, view) / whole : 0;
      if (share >= LEAST) place(callee, at, share);
      at += share;
    }
  };
  place(focus, 0, 1);
  return boxes;
}

/** How a call changed, in three steps up and down of the largest change of a call by itself; '' where it is the same. */
export function shadeOf(call: Call, largest: number): string {
  if (isNew(call)) return 'new';
  if (isGone(call)) return 'gone';
  const share = largest > 0 ? (call.self.variant - call.self.base) / largest : 0;
  const step = Math.min(3, Math.ceil(Math.abs(share) * 3 - 0.15));
  return step > 0 ? `${share > 0 ? 'up' : 'down'}${step}` : '';
}

/** Largest change of a call by itself that both sides make. */
export function largestChange(root: Call): number {
  const own = isNew(root) || isGone(root) ? 0 : Math.abs(root.self.variant - root.self.base);
  return root.callees.reduce((largest, callee) => Math.max(largest, largestChange(callee)), own);
}

/** µs in calls that fit, none counted twice. */
export function sumMatching(call: Call, fits: (call: Call) => boolean, view: View): number {
  if (fits(call)) return callSize(call, view);
  return call.callees.reduce((sum, callee) => sum + sumMatching(callee, fits, view), 0);
}
