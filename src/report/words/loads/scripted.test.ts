import { expect, test } from 'vitest';
import { foundOf } from './scripted.ts';

test.each([
  ['p(95)<500', 499.8, 'passed', '499.8'],
  ['p(95)<500', 134.26, 'passed', '134'],
  ['p(95)<=500', 500.04, 'missed', '500.04'],
  ['rate>=0.99', 0.98996, 'missed', '0.98996'],
  ['rate>0.99', 0.98996, 'missed', '0.990'],
] as const)('what was found for %s shows the outcome: %d', (condition, value, state, text) => {
  expect(foundOf({ metric: 'm', condition, value, state, why: null })).toBe(text);
});
