import { expect, test } from 'vitest';
import { parseLoad } from '../../config/parts/load.ts';
import type { Scenario } from '../../config/types.ts';
import { warnOfScripts } from './script-warning.ts';

/** A script with one threshold, and a load of the scenario that replaces its own, if any. */
const scenario = (metric: string, condition: string, { aborts = false, load = '' } = {}) =>
  ({
    name: 'cart',
    load: load === '' ? null : parseLoad(load),
    script: { thresholds: [{ metric, condition, aborts }] },
  }) as unknown as Scenario;

test.each([
  ['a count', 'http_reqs', 'count>100'],
  ['the last value', 'users', ' value < 5'],
])('a threshold on %s is judged by slice', (_, metric, condition) => {
  expect(warnOfScripts([scenario(metric, condition)])).toEqual([
    {
      code: 'threshold-by-slice',
      message: `scenario cart: ${metric} ${condition}: counts and last values cannot be combined over slices, so each slice must meet the threshold`,
      remedy: 'use a rate or a trend for one number over all slices',
      variant: null,
    },
  ]);
});

test.each([
  ['alone', 'http_req_duration{scenario:buy}'],
  ['behind another one', 'http_req_duration{expected_response:true, scenario:buy}'],
])('a threshold on a scenario that `load` replaces has nothing to judge: its tag %s', (_, metric) => {
  expect(warnOfScripts([scenario(metric, 'p(95)<200', { load: 'vus(2, 1s)' })])).toEqual([
    {
      code: 'threshold-scenario',
      message: `scenario cart: ${metric} p(95)<200: no request has this tag, because \`load\` replaces the scenarios of the script`,
      remedy: 'remove `load`, so that the script uses its own',
      variant: null,
    },
  ]);
});

test('a threshold that would abort is evaluated at the end', () => {
  const [warning, ...others] = warnOfScripts([scenario('checks', 'rate>0.9', { aborts: true })]);
  expect(others).toEqual([]);
  expect(warning).toMatchObject({
    code: 'threshold-abort',
    message: expect.stringContaining('checks rate>0.9'),
  });
});

test('a script with executors of both kinds is judged by RPS, which their rates fix in part', () => {
  const of = (rates: string) =>
    ({ ...scenario('', ''), script: { thresholds: [], rates } }) as unknown as Scenario;
  expect(warnOfScripts([of('some'), of('all'), of('none')])).toEqual([
    {
      code: 'script-mixed-load',
      message:
        'scenario cart: its script has executors with an arrival rate and others: RPS decides, though the rates fix a part of it, so slower answers change it less',
      remedy: 'measure the two kinds in separate scripts, or compare latency: `fail-on: p50 slower > 3%`',
      variant: null,
    },
  ]);
});

test.each([
  ['a rate', scenario('checks', 'rate>0.9')],
  ['a trend', scenario('http_req_duration', 'p(95)<200', { load: 'vus(2, 1s)' })],
  ['a scenario that the script runs itself', scenario('http_req_duration{scenario:buy}', 'p(95)<200')],
  [
    'a tag that only ends like it',
    scenario('http_req_duration{my_scenario:buy}', 'p(95)<200', { load: 'vus(2, 1s)' }),
  ],
  ['no script', { ...scenario('', ''), script: undefined } as unknown as Scenario],
])('says nothing of %s', (_, given) => {
  expect(warnOfScripts([given])).toEqual([]);
});
