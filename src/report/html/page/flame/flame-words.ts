import type { Sides } from '../../../../analyse/why/why-model.ts';
import type { Flame } from '../../flame/flame.ts';
import { type Call, isGone, isNew } from './calls.ts';

/** Names of both sides, and of calls that only one side has. */
export interface Words {
  variant: string;
  base: string;
  gone: string;
  /** For calls: the word for one, and that in the legend. */
  isNew: string;
  isGone: string;
  same: string;
}

export function wordsOf({ rows }: Pick<Flame, 'rows'>): Words {
  if (rows) {
    const { variant, base } = rows;
    const only = { gone: `Only ${base}`, isNew: `only ${variant}`, isGone: `only ${base}` };
    return { variant, base, ...only, same: 'alike' };
  }
  const names = { variant: 'This version', base: 'Base', gone: 'Gone' };
  return { ...names, isNew: 'new', isGone: 'gone', same: 'as before' };
}

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

/** Costs of a call in words: with all that it calls, and by itself. */
export function describeCall(
  call: Call,
  root: Call,
  isCompared: boolean,
  words: Words = wordsOf({}),
): string {
  const side = isGone(call) ? 'base' : 'variant';
  const part = `${shareOfWhole(call.total[side] / (root.total[side] || 1))} of the request`;
  const both = ({ variant, base }: Sides) =>
    isCompared ? `${time(base)} → ${time(variant)} (${signed(variant - base)})` : time(variant);
  const only = isNew(call) ? words.isNew : isGone(call) ? words.isGone : '';
  const kind = isCompared && only ? `${only}; ` : '';
  return `${kind}${both(call.total)}, ${part}; by itself ${both(call.self)}`;
}
