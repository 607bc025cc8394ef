import { expect, test } from 'vitest';
import type { Scenario } from '../../config/types.ts';
import { pathsOf } from './answers.ts';

const scenario = (journey: Scenario['journey'], verify?: 'status') =>
  ({ journey, ...(verify && { verify }) }) as Scenario;
const script = { kind: 'script', name: 'visit', file: 'visit.js' } as const;
const home = { kind: 'paths', paths: ['/'] } as const;

test.each<[string, Scenario[], { mayRefuse: boolean; headOnly: boolean }]>([
  ['a script', [scenario(script)], { mayRefuse: true, headOnly: false }],
  ['a script with `verify: status`', [scenario(script, 'status')], { mayRefuse: true, headOnly: true }],
  [
    'two scripts, one with `verify: status`',
    [scenario(script, 'status'), scenario(script)],
    { mayRefuse: true, headOnly: false },
  ],
  [
    'paths, and a script with `verify: status`',
    [scenario(home), scenario(script, 'status')],
    { mayRefuse: false, headOnly: false },
  ],
  ['paths with `verify: status`', [scenario(home, 'status')], { mayRefuse: false, headOnly: true }],
])('how `/` is compared for %s', (_, scenarios, rules) => {
  expect(pathsOf(scenarios)).toEqual([{ path: '/', ...rules }]);
});
