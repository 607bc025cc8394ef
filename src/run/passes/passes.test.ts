import { expect, test } from 'vitest';
import type { Warning } from '../../results/results.ts';
import type { Job } from '../world.ts';
import { warnOfIgnoredIni } from './passes.ts';

test.each([
  [{}, { profile: /^a runtime of your own.*, or set `profile: false`/ }],
  [
    { BENCH_INI: 'precision=10' },
    { 'ini-ignored': /^correct the syntax of `ini`; a runtime/, profile: /^correct the syntax/ },
  ],
])('with the environment %j, only settings that there are can have a wrong syntax', (env, remedies) => {
  const variant = { id: 'own@8.4', label: 'own' };
  const job = {
    plan: { variants: [variant], profile: { variants: { [variant.id]: {} } } },
    config: { env },
    outcomes: new Map([[variant.id, { facts: { ignoresIni: true }, failure: null }]]),
  } as unknown as Job;
  const warned: Warning[] = [];
  warnOfIgnoredIni({ job, sink: { warn: (warning: Warning) => warned.push(warning) } } as never);
  expect(Object.fromEntries(warned.map(({ code, remedy }) => [code, remedy]))).toEqual(
    Object.fromEntries(Object.entries(remedies).map(([code, text]) => [code, expect.stringMatching(text)])),
  );
});
