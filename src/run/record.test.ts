import { expect, test } from 'vitest';
import { makeResults, type Setup } from '../../test/fixtures/results/make.ts';
import type { Gate, Results } from '../results/results.ts';
import { assembleResults, hasFailures, type Record } from './record.ts';

const gates: Gate[] = [{ source: 'slower > 3%', metric: null, above: 0.03, scenario: null, variant: null }];
const failure = { stage: 'start', reason: 'no', log: '' } as const;
const server = { id: 'apache@8.4', rps: 100 };
const warn = (code: string) => (results: Results) => {
  results.warnings.push({ code, message: '', remedy: '', variant: null });
};

test.each<[string, Setup, boolean]>([
  ['all is measured', { servers: [{ ...server, base: {} }], compareTo: {}, gates }, false],
  ['a variant failed', { servers: [server, { id: 'x@8.4', rps: 1, failure }] }, true],
  ['one slice of many is void', { servers: [{ ...server, voidSlices: 1 }] }, false],
  ['all slices are void', { servers: [{ ...server, voidSlices: 99 }] }, true],
  ['a twin failed', { servers: [{ ...server, base: { failure } }], compareTo: {} }, false],
  [
    'a twin failed and a gate needs it',
    { servers: [{ ...server, base: { failure } }], compareTo: {}, gates },
    true,
  ],
  ["a twin's slice is void", { servers: [{ ...server, base: { voidSlices: 1 } }], compareTo: {} }, false],
  ['there is no base', { servers: [server], compareTo: {}, change: warn('no-base') }, false],
  [
    'there is no base and a gate needs it',
    { servers: [server], compareTo: {}, gates, change: warn('no-base') },
    true,
  ],
  ['the app is new', { servers: [server], compareTo: {}, gates, change: warn('not-in-base') }, false],
  ['gates are held against the reference', { servers: [server], gates }, false],
])('could not be measured: %s', (_, setup, expected) => {
  expect(hasFailures(makeResults({ instances: 1, ...setup }))).toBe(expected);
});

test('a run is as long as it took, whatever becomes of the clock', () => {
  const plan = { seed: 1, variants: [], instances: [], scenarios: [], warnings: [], cpus: {} };
  const record = {
    ...{ tool: {}, runId: 'r', command: [], config: { failOn: [] }, found: null, head: null, plan, host: {} },
    ...{
      built: new Map(),
      outcomes: new Map(),
      measurements: [],
      duets: [],
      searches: [],
      checked: [],
      stopped: null,
    },
    ...{ startedMs: Date.UTC(2026, 0, 31, 9), beganMs: 5000, waitedMs: 10_000 },
  } as unknown as Record;
  expect(assembleResults(record, 95_000).run).toMatchObject({
    ...{ started: '2026-01-31T09:00:00.000Z', finished: '2026-01-31T09:01:30.000Z', wallSeconds: 80 },
  });
});
