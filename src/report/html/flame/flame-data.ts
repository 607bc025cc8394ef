import type { Why } from '../../../analyse/why/why-model.ts';
import { cleanLine, cut } from '../../../text/plain.ts';
import { callName, placeName } from '../../view/why/function-names.ts';
import { round } from '../charts/thin.ts';
import type { Flame } from './flame.ts';

/** Names of others can be long, and a page has thousands. */
const LONG = 300;

/** Flame graph of a profile, for the page's script. */
export function flameOf(why: Why, labelOf: (variant: string) => string): Flame {
  const { frames, calls } = why.tree;
  const clean = (text: string) => cut(cleanLine(text), LONG);
  return {
    isCompared: why.base !== null,
    ...(why.against === 'row' && {
      rows: { variant: clean(labelOf(why.variant)), base: clean(labelOf(why.base ?? '')) },
    }),
    names: frames.map((frame) => clean(callName(frame))),
    // The name of a file shows where it is.
    places: frames.map((frame) => clean(placeName(frame))),
    groups: frames.map(({ group }) => group),
    changed: frames.flatMap(({ changed }, i) => (changed ? [i] : [])),
    calls: calls.map(([caller, frame, variant, base]) => [caller, frame, round(variant), round(base)]),
  };
}
