import type { Anchors } from './worlds.ts';

/**
 * What recorded series show, rounded from the table of `anchor.ts`. Between starts with one block each, 60 quiet comparisons
 * of equal sides vary by 0.56 % in duets, 1.44 % and 2.54 % in turns (CPU, RPS); 0.45 % of each are the starts'. While others
 * took nine tenths of both cores, duets varied by 1.6 to 8.8 %, CPU in turns by 11 to 23 %, RPS by 38 to 73 %.
 */
export const ANCHORS: Anchors = {
  start: 0.0045,
  cpuTurns: 0.0137,
  rpsTurns: 0.025,
  duet: 0.0033,
  dearer: 0.6,
  duetNoise: 0.07,
};
