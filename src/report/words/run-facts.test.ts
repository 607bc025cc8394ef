import { expect, test } from 'vitest';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { ScenarioSummary } from '../../analyse/summary.ts';
import { SCRIPT_LOAD } from '../../results/results.ts';
import { textPlain } from '../format/layout.ts';
import { methodOf } from '../view/sections/method.ts';
import { conditions, machineFacts } from './run-facts.ts';

test.each([
  ['containerd', 'image store containerd: sizes include compressed layers'],
  ['graph driver', 'image store graph driver: sizes without compressed layers'],
  [undefined, ''],
] as const)('the image store %s is beside the version of Docker', (imageStore, expected) => {
  const summary = summaryOf('base');
  const host = { ...summary.host, ...(imageStore && { imageStore }) };
  const { Docker } = Object.fromEntries(machineFacts({ ...summary, host }));
  expect(Docker).toBe(['engine 28.0.4, buildx 0.23.0', expected].filter(Boolean).join(', '));
});

test('a load that the script has itself is in words', () => {
  const summary = summaryOf('script');
  const [scenario] = summary.scenarios as [ScenarioSummary];
  const own = { ...scenario, facts: { ...scenario.facts, load: SCRIPT_LOAD } };
  expect(conditions(own, summary)).toMatch(/^load of the script · /);
  expect(textPlain(methodOf({ ...summary, scenarios: [own] }).loads[0] ?? '')).toContain(
    ', load of the script in each of 4 blocks',
  );
  expect(conditions(scenario, summary)).toMatch(/^load vus\(8, 1s\) · /);
});
