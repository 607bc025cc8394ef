import type { Sides } from '../../../../analyse/why/why-model.ts';
import { type Call, isGone, isNew } from './calls.ts';

/** `26 %`, `0.42 %`. */
export function shareOfWhole(part: number): string {
  return `${Number((part * 100).toPrecision(2))} %`;
}

/** `1.93 ms`, `42.1 µs`. */
function time(us: number): string {
  const [value, unit] = Math.abs(us) >= 999.5 ? [us / 1000, 'ms'] : [us, 'µs'];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

function signed(us: number): string {
  return `${us < 0 ? '−' : '+'}${time(Math.abs(us))}`;
}

/** What a call costs: with all that it calls, and by itself. */
export function describeCall(call: Call, root: Call, isCompared: boolean): string {
  const side = isGone(call) ? 'base' : 'variant';
  const part = `${shareOfWhole(call.total[side] / (root.total[side] || 1))} of the request`;
  const both = ({ variant, base }: Sides) =>
    isCompared ? `${time(base)} → ${time(variant)} (${signed(variant - base)})` : time(variant);
  const kind = isCompared && isNew(call) ? 'new; ' : isCompared && isGone(call) ? 'gone; ' : '';
  return `${kind}${both(call.total)}, ${part}; by itself ${both(call.self)}`;
}
