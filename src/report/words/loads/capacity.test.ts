import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../../test/fixtures/results/make.ts';
import { renderHtml } from '../../../../test/fixtures/results/render-html.ts';
import { analyse } from '../../../analyse/analyse.ts';
import { mergeResults } from '../../../analyse/merge.ts';
import type { ScenarioSummary } from '../../../analyse/summary.ts';
import type { Probe, Results } from '../../../results/results.ts';
import { renderCsv } from '../../format/csv.ts';
import { renderMarkdown } from '../../format/markdown.ts';
import { renderTable } from '../../format/terminal.ts';
import { htmlGroup } from '../../html/render.ts';
import { verdict } from '../ranked.ts';
import { tuned } from './tune.ts';

const HOSTILE = '<b>|`[x](https://evil.example)';

function probe(offeredRps: number, held: boolean, more: Partial<Probe> = {}): Probe {
  const latency = { p50Ms: 51, p95Ms: 60, p99Ms: held ? 70 : 410 };
  const base = { offeredRps, servedRps: Math.min(offeredRps, 80), requests: offeredRps * 4, failures: 0 };
  return { ...base, dropped: held ? 0 : 9, latency, held, generator: null, died: null, ...more };
}
const missed = (rps: number, more: Partial<Probe> = {}) => [probe(rps, false, more), probe(rps, false, more)];

/** Workers → what was tried. */
const TRIED: Record<number, Probe[]> = {
  4: [probe(78, true), ...missed(82, { dropped: 0 })],
  16: [probe(310, true), ...missed(322, { dropped: 0 })],
  64: [probe(600, true), ...missed(640, { generator: 'k6 used 95 % of its CPUs' })],
  2: missed(1, { died: HOSTILE }),
};

function resultsOf(workers: readonly number[], change: (results: Results) => void = () => {}): Results {
  return makeResults({
    servers: workers.map((n) => ({ id: `fpm@8.4[workers=${n}]`, rps: 60 + n, options: { workers: n } })),
    scenario: { slo: { p99Ms: 200 } },
    change(results) {
      results.searches = workers.map((n) => ({
        ...{ search: true as const, variant: `fpm@8.4[workers=${n}]`, scenario: 'quick', instance: 0 },
        probes: TRIED[n] ?? [],
      }));
      change(results);
    },
  });
}
const all = analyse(resultsOf([4, 16, 64, 2]));
const table = (width: number) => renderTable(all, { width, color: false });

describe('the capacity', () => {
  test('is a column on the terminal, with what it is', () => {
    const text = table(160);
    expect(text).toMatch(/Capacity rps +RPS/);
    expect(text).toMatch(/workers=4\] .* 80\.0 +± 2\.0 /);
    expect(text).toMatch(/workers=16\] .* 316 +± 6 /);
    expect(text).toMatch(/workers=64\] .* ≥ 600 /);
    expect(text).toMatch(/workers=2\] .* < 1\.00 /);
    const words = text.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'capacity: the highest constant rate that was answered in time with p99 ≤ 200 ms',
    );
    expect(words).toContain('≥ the load generator was the limit, or the search ended before');
  });

  test.each([120, 100, 80, 60])('stays in %i columns, and no line is wider', (width) => {
    expect(table(width)).toContain('Capacity rps');
    for (const line of table(width).split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });

  test('is a column in Markdown, and every rate that was tried is below', () => {
    const text = renderMarkdown(all);
    expect(text).toContain('| Capacity rps |');
    expect(text).toMatch(/workers=4\]`\*{0,2} \|.* \| 80\.0\u00a0±\u00a02\.0 \|/);
    expect(text).toContain('<summary>Rates tried for the capacity</summary>');
    expect(text).toMatch(
      /`fpm@8\.4\[workers=4\]` \| 82\.0 \| 80\.0 \| 100 % \| 51\.0 \| 60\.0 \| 410 \| 0 \| no \|/,
    );
    expect(text).toContain('no, but by the load generator: k6 used 95 % of its CPUs');
  });

  test('is a column of the page, and of the table of rates', () => {
    const page = renderHtml([htmlGroup(resultsOf([4, 16, 64, 2]))]);
    expect(page).toContain('>Capacity</abbr> <small>rps</small>');
    expect(page).toContain('316 <small>± 6</small>');
    expect(page).toContain('<summary>Rates tried for the capacity</summary>');
  });

  test('is in the CSV, empty where it was not searched for', () => {
    const [head = '', ...lines] = renderCsv([all]).trim().split('\n');
    const at = (name: string, line = '') => line.split(',')[head.split(',').indexOf(name)];
    const line = lines.find((text) => text.includes('workers=16'));
    expect([at('capacityRps', line), at('capacityHalf', line), at('capacityKind', line)]).toEqual([
      ...['316', '6', 'found'],
    ]);
    const [, none] = renderCsv([analyse(makeResults({ servers: [{ id: 'a', rps: 60 }] }))]).split('\n');
    expect(at('capacityRps', none)).toBe('');
  });

  test('is nowhere where nobody asked for it', () => {
    const none = analyse(makeResults({ servers: [{ id: 'a', rps: 60 }] }));
    for (const text of [renderTable(none, { width: 160, color: false }), renderMarkdown(none)]) {
      expect(text.toLowerCase()).not.toContain('capacity');
    }
  });

  test('what a server died of cannot steer what shows it', () => {
    expect(renderMarkdown(all)).not.toContain(HOSTILE);
    const page = renderHtml([htmlGroup(resultsOf([4, 2]))]);
    expect(page).not.toContain('<b>|');
    expect(page).toContain('no, its server died: &lt;b&gt;');
  });
});

describe('with tune', () => {
  const told = (workers: readonly number[]) => {
    const results = resultsOf(workers, ({ plan }) => {
      plan.tune = 'workers';
    });
    const summary = analyse(results);
    const [scenario] = summary.scenarios;
    return scenario && tuned(scenario, summary, (label) => label).join('\n');
  };
  test('it is what the best value is found by', () => {
    expect(told([4, 16])).toBe(
      'fpm@8.4[workers=4]: of workers from 4 to 16 the best by capacity is 16 (316 ± 6 rps), 3.95 times as good as 4 (80.0 ± 2.0 rps).\nEach value was tried on one start only: another start may differ by about 1 %, and the best of 2 numbers owes something to chance.',
    );
  });
  test('paired starts decide, and the numbers over all starts point the other way', () => {
    const results = resultsOf([4, 16], ({ plan }) => {
      plan.tune = 'workers';
    });
    const summary = analyse(results);
    const [scenario] = summary.scenarios as [ScenarioSummary];
    const turned = scenario.tuned.map((one) => ({
      ...one,
      own: one.best as string,
      best: one.own,
      gain: 1.07,
    }));
    expect(tuned({ ...scenario, tuned: turned }, summary, (label) => label)[0]).toContain(
      'the best by capacity is 4 (80.0 ± 2.0 rps), in paired starts 7.0 % better than 16 (316 ± 6 rps).',
    );
  });
  test('p99 has the percentage of the ranking', () => {
    const servers = [2, 4].map((workers) => {
      const p50Ms = workers === 2 ? 50 : 40;
      return { id: `fpm[workers=${workers}]`, rps: 60, p50Ms, runtime: 'fpm', options: { workers } };
    });
    const change = ({ plan }: Results) => Object.assign(plan, { tune: 'workers' });
    const summary = analyse(makeResults({ servers, offeredRps: 1000, instances: 6, change }));
    const [scenario] = summary.scenarios as [ScenarioSummary];
    const [text = ''] = tuned(scenario, summary, (label) => label);
    expect(text).toMatch(/the best is 4 \(.* ms\), \d+(\.\d+)? % below 2 \(.* ms\)\.$/);
    const gap = / ms\)?, (\S+ % below) /;
    expect(gap.exec(text)?.[1]).toBe(gap.exec(verdict(scenario, (label) => label))?.[1]);
  });
  test('no value of one start each is better by p99', () => {
    const servers = [8, 4].map((ms) => {
      return { id: `fpm[workers=${ms}]`, rps: 60, p50Ms: ms, runtime: 'fpm', options: { workers: ms } };
    });
    const change = ({ plan }: Results) => Object.assign(plan, { tune: 'workers' });
    const summary = analyse(makeResults({ servers, offeredRps: 1000, instances: 1, change }));
    const [scenario] = summary.scenarios as [ScenarioSummary];
    expect(tuned(scenario, summary, (label) => label)).toEqual([
      expect.stringMatching(/workers from 4 to 8 none is surely better than 8 \([\d.]+ ± [\d.]+ ms\)\.$/),
      'Each value was tried on one start only, which does not show how p99 differs between starts.',
    ]);
  });
  test('what is only bounded from below may be better still', () => {
    expect(told([64, 16])).toMatch(
      /none is surely better by capacity than 64 \(≥ 600 rps\)\.\nEach value was tried on one start only: another start may differ by about 1 %\.$/,
    );
  });
  test('what one start cannot show is on the terminal, in Markdown and on the page', () => {
    const tune = ({ plan }: Results) => {
      plan.tune = 'workers';
    };
    const results = resultsOf([4, 16], tune);
    const once = /owes something to chance/;
    expect(renderTable(analyse(results), { width: 80, color: false }).replaceAll(/\s+/g, ' ')).toMatch(once);
    expect(renderMarkdown(analyse(results))).toMatch(once);
    expect(renderHtml([htmlGroup(results)])).toMatch(once);
    const [merged] = mergeResults([
      results,
      resultsOf([4, 16], (other) => {
        tune(other);
        other.run.id = 'another';
      }),
    ]);
    expect(renderMarkdown(analyse(merged as Results))).not.toMatch(once);
    expect(renderMarkdown(analyse(merged as Results))).toContain('tried on 2 fresh starts');
  });
});

test('searches of runs that are put together are those of starts of their own', () => {
  const other = resultsOf([4], ({ run }) => {
    run.id = 'another';
  });
  const [merged] = mergeResults([resultsOf([4]), other]);
  expect(merged?.searches.map(({ instance }) => instance)).toEqual([0, 3]);
  expect(analyse(merged as Results).scenarios[0]?.rows[0]?.capacity).toMatchObject({ value: 80, n: 2 });
});
