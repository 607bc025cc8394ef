import { expect, test } from 'vitest';
import { CLOCK_STEP } from '../../results/results.ts';
import { watchClocks } from './clock-steps.ts';
import { Samples } from './samples.ts';

/** Samples of a machine whose clock was set by so many seconds before. */
function samplesAfter(step: number): Samples {
  const samples = new Samples();
  samples.add('clock 1000000 100.00');
  samples.add(`clock ${1_000_100 + step} 200.00`);
  return samples;
}

test.each([
  [-3600, 'the clock of b was set back by 3600 s during the load'],
  [0.25, 'the clock of b was set forward by 0.3 s during the load'],
])('a clock that was set by %d s during a load makes it void', (step, trouble) => {
  const [a, b] = [samplesAfter(7), samplesAfter(7)];
  const findStep = watchClocks({ a, b });
  expect(findStep()).toBeNull();
  b.add(`clock ${1_000_207 + step} 300.00`);
  expect(findStep()).toEqual({ summary: null, code: CLOCK_STEP, trouble });
  expect(watchClocks({ a, b })()).toBeNull();
});
