import { expect, test } from 'vitest';
import { fixtures } from '../../test/fixtures/results/make.ts';
import { Results, resultsJsonSchema } from './results.ts';

const plain = () => JSON.parse(JSON.stringify(fixtures['one-start']?.()));

test('the pairs of histograms are not copied: there may be millions', () => {
  const raw = plain();
  const [slice] = Results.parse(raw).measurements;
  expect(slice?.histogram.length).toBeGreaterThan(50);
  expect(slice?.histogram).toBe(raw.measurements[0].histogram);
  expect(slice?.endpoints[0]?.histogram).toBe(raw.measurements[0].endpoints[0].histogram);
});

test.each([
  ['no list', '1'],
  ['no list of pairs', [1, 2]],
  ['one of a pair', [[1]]],
  ['three', [[1, 2, 3]]],
  ['text', [['1', 2]]],
  ['half a bucket', [[1.5, 2]]],
  ['half a request', [[1, 0.5]]],
  ['less than no request', [[1, -1]]],
  ['nothing', [[1, null]]],
  ['more than can be counted', [[1, 1e300]]],
])('they are checked: %s', (_, histogram) => {
  const raw = plain();
  raw.measurements[1].endpoints[0].histogram = histogram;
  const { error } = Results.safeParse(raw);
  expect(error?.issues).toMatchObject([
    {
      path: ['measurements', 1, 'endpoints', 0, 'histogram'],
      message: 'not pairs of a bucket and a count',
    },
  ]);
});

test('the JSON Schema describes what a histogram is', () => {
  type Schema = { properties: Record<string, Schema>; items: Schema; prefixItems: { type: string }[] };
  const { properties } = resultsJsonSchema() as Schema;
  const pair = properties.measurements?.items.properties.histogram?.items;
  expect(pair?.prefixItems.map(({ type }) => type)).toEqual(['integer', 'integer']);
});

test.each<[string, object]>([
  ['a caller behind its call', { tree: [[0, 0, 1]] }],
  ['a function that is not there', { tree: [[-1, 1, 1]] }],
  ['more calls than anybody keeps', { tree: Array.from({ length: 5001 }, () => [-1, 0, 1]) }],
])('a profile that cannot be walked is refused: %s', (_, wrong) => {
  const raw = plain();
  const frames = [{ name: 'f', file: 'a.php', line: 1 }];
  const [variant, scenario] = [raw.variants[0].id, raw.plan.scenarios[0].name];
  const facts = { profile: true, variant, scenario, instance: 0, requests: 1, failures: 0 };
  const profile = { ...facts, cpuUs: 1, periodUs: 1, samples: 1, frames, tree: [[-1, 0, 1]] };
  expect(Results.safeParse({ ...raw, profiles: [profile] }).success).toBe(true);
  expect(Results.safeParse({ ...raw, profiles: [{ ...profile, ...wrong }] }).success).toBe(false);
});
