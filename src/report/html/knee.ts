/** One level of a ramp: what was offered and what was answered rightly, per second. */
export interface Level {
  offered: number;
  answered: number;
}

/** Below this share of what was offered a level was not held. */
const HELD = 0.97;

/**
 * The highest rate that was held, where the ramp went beyond it: the last level before the first from which on none was
 * held. A single bad level is a stall, not a knee.
 *
 * @param levels by rising rate
 * @returns null when the ramp did not reach a knee, or began beyond it
 */
export function findKnee(levels: readonly Level[]): number | null {
  const isHeld = ({ offered, answered }: Level) => answered >= HELD * offered;
  const last = levels.findLastIndex(isHeld);
  // One level at the end tells nothing: the next might have been held.
  return last >= 0 && levels.length - 1 - last >= 2 ? (levels[last] as Level).offered : null;
}
