import { expect, test } from 'vitest';
import type { Slice } from '../../plan/timeline/slices.ts';
import type { K6Summary } from '../load/k6.ts';
import type { BatchOutcome } from './batch-outcome.ts';
import { findOthersInDuets } from './duets.ts';
import { describeOthers, findOthers } from './others.ts';

const slice: Slice = {
  ...{ number: 7, variant: 'a', block: 0, warmup: false, startMs: 0, durationMs: 1000 },
  ...{ turns: null, turnMs: null, duet: null, steps: [] },
};

function summary(counts: Readonly<Record<string, number>>): K6Summary {
  const metrics = Object.entries(counts).map(([name, count]) => [name, { count }]);
  return { durationMs: 1000, endedMs: 0, endpoints: ['/', '/b'], metrics: Object.fromEntries(metrics) };
}

const REQUESTS = 'http_req_duration{slice:s7,name:e0}';
const READ = 'bench_read{slice:s7,endpoint:e0}';
const kind = (name: string, endpoint = 'e0') => `bench_others{slice:s7,endpoint:${endpoint},kind:${name}}`;
const find = (counts: Readonly<Record<string, number>>) =>
  findOthers({ summary: summary(counts), errors: [] }, slice);

test('none', () => {
  expect(find({ [REQUESTS]: 1000, [READ]: 100 })).toBeNull();
  expect(findOthers({ summary: null, errors: [] }, slice)).toBeNull();
});

test.each([
  // Status: of all answers.
  ['all of few', 'other status', 2, 2, true],
  ['one of one', 'other status', 1, 1, false],
  ['one of many', 'other status', 1, 5000, false],
  [
    'two of a hundred, as a page of one odd answer in a hundred gives in every fourth slice',
    'other status',
    2,
    100,
    false,
  ],
  ['one of a hundred', 'other status', 100, 10_000, false],
  ['two of a hundred, of many', 'other status', 200, 10_000, true],
  ['all of many', 'other status', 10_000, 10_000, true],
  ['three of eight', 'other status', 3, 8, true],
  ['one of a hundred, in a soak', 'other status', 3000, 300_000, false],
  ['all, in a soak', 'other status', 300_000, 300_000, true],
  ['two of a hundred, in a soak', 'other status', 6000, 300_000, true],
  // Bodies: of those that were read.
  ['half of those read', 'other length', 50, 100, true],
  ['one of those read', 'other content', 1, 100, false],
])('%s', (_, name, count, of, isVoid) => {
  const read = name === 'other status' ? 0 : of;
  const requests = name === 'other status' ? of : 100_000;
  expect(find({ [REQUESTS]: requests, [READ]: read, [kind(name)]: count })).toMatchObject({
    ...{ endpoint: '/', kind: name, count, of, isVoid },
  });
});

test('what a journey calls wrong counts as well', () => {
  const wrong = 'bench_errors{slice:s7,endpoint:e0,kind:wrong answer}';
  expect(find({ [REQUESTS]: 100, [wrong]: 60 })).toMatchObject({ kind: 'wrong answer', isVoid: true });
});

test('of several endpoints the worst, by share rather than by count', () => {
  const counts = {
    [REQUESTS]: 9000,
    'http_req_duration{slice:s7,name:e1}': 30,
    [kind('other status')]: 60,
    [kind('other status', 'e1')]: 30,
  };
  expect(find(counts)).toMatchObject({ endpoint: '/b', count: 30, of: 30, isVoid: true });
});

test('reported with how the first of them differs', () => {
  const errors = [
    { slice: 's6', endpoint: '/', kind: 'other status', what: 'HTTP 404 instead of HTTP 200', body: '' },
    {
      slice: 's7',
      endpoint: '/',
      kind: 'other status',
      what: 'HTTP 302 to /login instead of HTTP 200',
      body: '',
    },
  ];
  const counts = { [REQUESTS]: 120, [kind('other status')]: 37 };
  const others = findOthers({ summary: summary(counts), errors }, slice);
  expect(others && describeOthers(others)).toBe(
    'other answers: 37 of 120 of / were not the checked one: HTTP 302 to /login instead of HTTP 200',
  );
});

test('in a duet they are reported for the side that gave them', () => {
  const pair = [
    { ...slice, variant: 'a', duet: 'a' },
    { ...slice, number: 8, variant: 'a:base', duet: 'a' },
  ];
  const errors = [
    { slice: 's7', endpoint: '/', kind: 'other status', what: 'HTTP 302 instead of HTTP 200', body: 'moved' },
  ];
  const counts = { [REQUESTS]: 120, [kind('other status')]: 37 };
  const outcome = (slices: readonly Slice[]) =>
    ({
      ...{ summary: summary(counts), errors },
      batch: { slices, scenario: { journey: { kind: 'paths' } } },
    }) as unknown as BatchOutcome;
  expect(findOthersInDuets(outcome(pair))).toMatchObject([
    {
      variant: 'a',
      reason: 'other answers: 37 of 120 of / were not the checked one: HTTP 302 instead of HTTP 200',
      errors: [{ kind: 'other status', answer: { body: 'moved' } }],
    },
  ]);
  // Slices in turns have it in the measurement.
  expect(findOthersInDuets(outcome([slice]))).toEqual([]);
  expect(findOthersInDuets({ ...outcome(pair), summary: null })).toEqual([]);
});
