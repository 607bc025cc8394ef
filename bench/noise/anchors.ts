import type { Anchors } from './worlds.ts';

/**
 * Noise of recorded series, rounded from the table of `anchor.ts`. 60 quiet comparisons of equal sides, of starts with
 * one block each, vary by 0.56 % in duets. In turns they vary by 1.44 % (CPU) and 2.54 % (RPS). 0.45 % of each is from
 * the starts. While others took nine tenths of both cores, duets varied by 1.6 to 8.8 %, CPU in turns by 11 to 23 %,
 * RPS by 38 to 73 %.
 */
export const ANCHORS: Anchors = {
  start: 0.0045,
  cpuTurns: 0.0137,
  rpsTurns: 0.025,
  duet: 0.0033,
  dearer: 0.6,
  duetNoise: 0.07,
};
