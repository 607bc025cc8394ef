import { expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import { renderHtml } from '../../../test/fixtures/results/render-html.ts';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { ScenarioSummary } from '../../analyse/summary.ts';
import { type Results, SCRIPT_LOAD } from '../../results/results.ts';
import { textPlain } from '../format/layout.ts';
import { renderMarkdown } from '../format/markdown.ts';
import { renderTable } from '../format/terminal.ts';
import { htmlGroup } from '../html/render.ts';
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

test('the CPU layout has the CPUs of services and of a proxy, if there are any', () => {
  const summary = summaryOf('base');
  const layoutOf = (more: object) => {
    const cpus = { ...summary.plan.cpus, ...more };
    return Object.fromEntries(machineFacts({ ...summary, plan: { ...summary.plan, cpus } }))['CPU layout'];
  };
  const found = 'servers 0, 1; load 2, 3; system none';
  expect(layoutOf({})).toBe(`${found} (found from the topology)`);
  expect(layoutOf({ services: [5, 6], front: [7], source: 'given' })).toBe(
    `${found}; front 7; services 5, 6 (given)`,
  );
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

test('a site in a cluster was not started, and no command repeats its load', () => {
  const textsOf = (isCluster: boolean) => {
    const results = fixtures.quick?.() as Results;
    if (isCluster) {
      results.plan.elsewhere = { kind: 'cluster', target: 'http://shop', generators: [] };
      Object.assign(results.host, { cpuModel: 'a site in a cluster', cpus: 0 });
      results.run.command = [];
      for (const variant of results.variants) Object.assign(variant, { facts: null, php: '' });
    }
    const summary = analyse(results);
    const table = renderTable(summary, { width: 200, color: false });
    return [renderMarkdown(summary), renderHtml([htmlGroup(results)]), table] as const;
  };
  const own = /not running|\b0 CPUs|started afresh|\d fresh start|seed \d|To repeat it|```sh/g;
  for (const text of textsOf(true)) expect(text.match(own)).toBeNull();
  const [markdown, page] = textsOf(false);
  expect(new Set(markdown.match(own))).toEqual(
    new Set(['3 fresh start', 'started afresh', 'seed 2', '```sh']),
  );
  expect(page).toContain('To repeat it');
});
