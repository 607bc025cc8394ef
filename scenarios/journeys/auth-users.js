// The same as people do it: they come within five seconds, and wait one to five after each round.
import { pause } from '../lib/bench.js';
import round from './auth.js';

let arrived = false;

export default function () {
  if (!arrived) pause(0, 5);
  arrived = true;
  round();
  pause(1, 5);
}
