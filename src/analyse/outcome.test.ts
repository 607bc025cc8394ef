import { expect, test } from 'vitest';
import { makeResults, type Setup } from '../../test/fixtures/results/make.ts';
import { summaryOf } from '../../test/fixtures/results/summaries.ts';
import type { Gate, Results } from '../results/results.ts';
import { analyse } from './analyse.ts';
import { outcomeOf } from './outcome.ts';

const gates: Gate[] = [{ source: 'slower > 3%', metric: null, above: 0.03, scenario: null, variant: null }];
const failure = { stage: 'start', reason: 'no', log: '' } as const;
const server = { id: 'apache@8.4', rps: 100 };
const warn = (code: string) => (results: Results) => {
  results.warnings.push({ code, message: '', remedy: '', variant: null });
};

test("the engine's disk that is full in a build is no matter of the app", () => {
  const full = { stage: 'build', reason: 'No space left on device', log: '' } as const;
  const { code } = outcomeOf(
    analyse(makeResults({ instances: 1, servers: [server, { id: 'x@8.4', rps: 1, failure: full }] })),
  );
  expect(code).toBe(4);
});

test.each<[string, Setup, boolean]>([
  ['all is measured', { servers: [{ ...server, base: {} }], compareTo: {}, gates }, false],
  ['a variant failed', { servers: [server, { id: 'x@8.4', rps: 1, failure }] }, true],
  ['most answers are wrong', { servers: [{ ...server, okRatio: 0.071 }] }, true],
  ['a tenth of the answers is wrong', { servers: [{ ...server, okRatio: 0.9 }] }, false],
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
  ['HEAD is the base', { servers: [server], compareTo: {}, gates, change: warn('same-as-base') }, false],
  ['gates compare with the reference', { servers: [server], gates }, false],
])('could not be measured: %s', (_, setup, expected) => {
  const { code, unmeasured, lacksBase } = outcomeOf(analyse(makeResults({ instances: 1, ...setup })));
  expect(unmeasured.length > 0 || lacksBase).toBe(expected);
  if (expected) expect(code).toBe(3);
});

test('a base that failed is named, and does not make all others lack theirs', () => {
  const { code, unmeasured, lacksBase } = outcomeOf(
    analyse(
      makeResults({
        servers: [
          { ...server, base: {} },
          { id: 'x@8.4', rps: 1, base: { failure } },
        ],
        ...{ instances: 1, compareTo: {}, gates },
        change: ({ warnings }) => {
          warnings.push({ code: 'no-base', message: '', remedy: '', variant: 'x@8.4' });
        },
      }),
    ),
  );
  expect({ code, lacksBase }).toEqual({ code: 3, lacksBase: false });
  expect(unmeasured).toEqual([expect.stringContaining('x')]);
});

test.each([
  ['a gate failed', 'base', 1],
  ['all gates passed', 'aa', 0],
  ['a variant was not built', 'base-broken', 3],
  ['a criterion was missed', 'journey', 1],
] as const)('%s: %s has exit code %i', (_, name, code) => {
  expect(outcomeOf(summaryOf(name)).code).toBe(code);
});

test('a gate that could not be judged fails the run, unless that was allowed', () => {
  const found = summaryOf('base');
  const gates = found.gates.map((gate) => ({ ...gate, failed: false, unjudged: true }));
  const summary = { ...found, gates };
  expect(outcomeOf(summary)).toMatchObject({ code: 3, openGates: gates });
  const plan = { ...found.plan, unjudged: 'pass' as const };
  expect(outcomeOf({ ...summary, plan })).toMatchObject({ code: 0, openGates: [] });
});
