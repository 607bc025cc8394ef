import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type CountTrend, findCountTrends } from '../history/count-trend.ts';
import type { HistoryRecord } from '../history/history-record.ts';
import type { ChangedSide, Trend } from '../history/trend-model.ts';
import { renderHistory } from './history.ts';
import { renderHistoryPage } from './html/html-history.ts';
import { sparkline } from './view/sections/history-section.ts';

const HOSTILE = '</svg><script>alert(1)</script> | @everyone `x` [a](b)';

function trend({
  machine = 'Xeon, 1 of 2 CPUs',
  ...change
}: Partial<Trend> & { machine?: string } = {}): Trend {
  const values = [400, 404, 398, 360, 361, 358];
  return {
    ...{
      variant: 'apache@8.4',
      scenario: 'quick',
      load: 'vus(8, 1s)',
      apart: {},
      reference: null,
      metric: 'rps',
    },
    points: values.map((value, i) => ({
      ...{
        date: `2026-03-0${i + 1}T05:00:00Z`,
        run: `r${i}`,
        commit: `c0ffee${i}`,
        machine,
        value,
        half: i === 0 ? null : 5,
      },
    })),
    changes: [{ at: 3, ratio: 0.9, interval: { low: 0.88, high: 0.92, level: 0.99 }, by: null }],
    levels: [400.6, 359.7],
    ...change,
  };
}

describe('the history as Markdown', () => {
  test('says what changed when, and by how much', () => {
    const text = renderHistory([trend()], { corrupt: [] });
    expect(text).toContain('| `apache@8.4` | `quick` vus(8, 1s) | RPS |');
    expect(text).toMatch(/\| 2026-03-04 at `c0ffee3`: \*\*−10\.0 %\*\* \(99 % interval −12\.0…−8\.0\) \|/);
  });

  test('reports lines that were not read, and holds no machine against another', () => {
    const other = trend({ machine: 'Epyc, 2 of 4 CPUs', changes: [], levels: [9] });
    const text = renderHistory([trend(), other], { corrupt: [{ line: 7, why: 'not JSON' }] });
    expect(text.match(/^On .*:$/gm)).toEqual(['On Xeon, 1 of 2 CPUs:', 'On Epyc, 2 of 4 CPUs:']);
    expect(text).toContain(
      '1 line of the history could not be read, and was left out; the first is line 7: not JSON',
    );
    expect(renderHistory([], { corrupt: [] })).toBe('The history has no measurements.');
  });

  test('says of a ratio to what, on how many kinds of machine, and whose the change is', () => {
    const interval = { low: 0.88, high: 0.92, level: 0.99 };
    const told = (by: ChangedSide) =>
      renderHistory([trend({ reference: 'fpm', changes: [{ at: 3, ratio: 0.9, interval, by }] })], {
        corrupt: [],
      });
    expect(told('variant')).toMatch(/^Each number ÷ that of `fpm` in the same run, on whatever machine:$/m);
    expect(told('variant')).toContain(
      '| 6 | 1 | 360 × | 2026-03-04 at `c0ffee3`: **−10.0 %** (99 % interval',
    );
    expect(told('reference')).toContain('the reference, not this: **+11.1 %** (99 % interval +8.6…+13.7) |');
    expect(told('unclear')).toContain('−8.0), or the reference the other way |');
  });

  test('gives a ratio no unit', () => {
    const own = trend({ metric: 'cpu' });
    const ratio = trend({ metric: 'cpu', reference: 'fpm', levels: [1, 0.93] });
    const [alone, beside] = [own, ratio].map((one) => renderHistory([one], { corrupt: [] }));
    expect(alone).toContain('| CPU ms/request |');
    expect(beside).toMatch(/\| CPU per request \|.*\| 0\.930 × \|/);
    expect(beside).not.toContain('ms/request');
    expect(renderHistoryPage([own], { corrupt: [] }).match(/CPU ms\/request/g)).toHaveLength(3);
    const page = renderHistoryPage([ratio], { corrupt: [] });
    expect(page.match(/CPU per request/g)).toHaveLength(3);
    expect(page).not.toContain('ms/request');
  });

  test('shows in which parts trends of one name differ, on the page too', () => {
    const trends = [
      trend({ apart: { journey: '/', headers: '' } }),
      trend({ apart: { journey: '/ /report', headers: 'Accept: a/b' } }),
    ];
    const text = renderHistory(trends, { corrupt: [] });
    expect(text).toContain('| `quick` vus(8, 1s), journey `/`, headers none | RPS |');
    expect(text).toContain('| `quick` vus(8, 1s), journey `/ /report`, headers `Accept: a/b` | RPS |');
    const page = renderHistoryPage(trends, { corrupt: [] }).replaceAll(/<\/?bdi[^>]*>/g, '');
    expect(page).toContain('vus(8, 1s), journey / /report, headers Accept: a/b · 6 runs');
  });

  test('lets nothing of others through', () => {
    const apart = { journey: HOSTILE, host: HOSTILE };
    const names = { variant: HOSTILE, scenario: HOSTILE, load: HOSTILE, machine: HOSTILE, apart };
    const beside = renderHistory([trend({ reference: HOSTILE })], { corrupt: [] });
    expect(beside).not.toMatch(/<script|<\/svg/);
    const text = renderHistory([trend(names)], { corrupt: [{ line: 1, why: HOSTILE }] });
    expect(text).not.toMatch(/<script|<\/svg/);
    expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(3);
  });
});

describe('counts in the history', () => {
  test('a mean over other paths is no change', () => {
    const of = (day: number, value: number, paths?: string) => {
      const record = at(day, value);
      Object.assign(record.counts?.queries as object, { paths });
      return record;
    };
    const changes = (...records: HistoryRecord[]) => findCountTrends(records)[0]?.changes;
    expect(changes(of(1, 5, 'a'), of(2, 1, 'b'))).toEqual([]);
    expect(changes(of(1, 5, 'a'), of(2, 1, 'a'))).toEqual([1]);
    // An older version did not note them.
    expect(changes(of(1, 5), of(2, 1, 'a'))).toEqual([1]);
  });

  const at = (day: number, value: number, constant = true): HistoryRecord =>
    ({
      ...{
        date: `2026-03-0${day}T05:00:00Z`,
        commit: `c0ffee${day}`,
        variant: 'apache@8.4',
        label: 'apache',
      },
      ...{ scenario: 'quick', load: 'vus(8, 1s)', counts: { queries: { value, constant } } },
    }) as unknown as HistoryRecord;
  const told = (...records: HistoryRecord[]) =>
    renderHistory([trend()], { corrupt: [] }, findCountTrends(records))
      .split('\n')
      .find((line) => line.includes('Database queries'));

  test('change where one constant number follows another, in the order of the runs', () => {
    const row = told(at(3, 14), at(1, 3), at(2, 3), at(4, 14));
    expect(row).toMatch(/^\| `apache` \| `quick` vus\(8, 1s\) \| Database queries \|/);
    expect(row).toMatch(/\| 4 \| 14 \| 2026-03-03 at `c0ffee3`: \*\*3 → 14\*\* \|$/);
    expect(told(at(1, 3), at(2, 3))).toMatch(/\| 2 \| 3 \| – \|$/);
    expect(told(at(1, 1236.4), at(2, 1239.4))).toMatch(/\*\*1,236 → 1,239\*\* \|$/);
    // A count that varies within its runs varies between them, too.
    expect(told(at(1, 3), at(2, 3.4, false), at(3, 3))).toMatch(/\| 3 \| 3 \| – \|$/);
  });

  test('stand apart from trends, each with how it was found', () => {
    const counts = findCountTrends([at(1, 3), at(2, 14)]);
    const text = renderHistory([trend()], { corrupt: [] }, counts);
    const page = renderHistoryPage([trend()], { corrupt: [] }, counts);
    for (const shown of [text, page]) {
      const at = shown.indexOf('Counts per request');
      const [ofTrends, ofCounts] = [shown.slice(0, at), shown.slice(at)];
      expect(ofTrends).toContain('E-divisive');
      expect(ofCounts).not.toContain('E-divisive');
      expect(ofCounts).toContain('Now is the number of the last run.');
    }
  });

  test('are there without any trend, as in runs that gave no ranking', () => {
    const counts = findCountTrends([at(1, 3), at(2, 14)]);
    const [text, page] = [renderHistory, renderHistoryPage].map((render) =>
      render([], { corrupt: [] }, counts),
    ) as [string, string];
    for (const shown of [text, page]) {
      expect(shown).toContain('Database queries');
      expect(shown).not.toMatch(/no measurements|E-divisive/);
    }
    expect(renderHistoryPage([], { corrupt: [] })).toContain('no measurements');
  });

  test('with many changes show the newest, and that there can be more', () => {
    const records = Array.from({ length: 13 }, (_, i) => ({
      ...at(1, i),
      date: `2026-03-${10 + i}T05:00:00Z`,
    }));
    const text = renderHistory([], { corrupt: [] }, findCountTrends(records));
    expect(text.match(/→/g)).toHaveLength(10);
    expect(text).toContain('**11 → 12**');
    expect(text).toContain('Up to 10 changes are shown, the newest.');
  });

  test('that are all 0 are a flat line', () => {
    expect(sparkline([0, 0, 0])).toBe('▁▁▁');
    expect(told(at(1, 0), at(2, 0))).toContain('| ▁▁ |');
  });

  test('of runs that counted nothing have no table', () => {
    expect(findCountTrends([{ ...at(1, 3), counts: undefined }])).toEqual([]);
    expect(renderHistoryPage([], { corrupt: [] }, [])).not.toContain('Counts per request');
  });

  test('stand on the page, with nothing of others in its markup', () => {
    const [known] = findCountTrends([at(1, 3), at(2, 14)]);
    const hostile = {
      ...(known as CountTrend),
      variant: HOSTILE,
      scenario: HOSTILE,
      load: HOSTILE,
      apart: { settings: HOSTILE },
      name: HOSTILE,
    };
    const page = renderHistoryPage([], { corrupt: [] }, [known as CountTrend, hostile]);
    expect(page).toContain('<strong>3 → 14</strong>');
    for (const text of [page, renderHistory([trend()], { corrupt: [] }, [hostile])])
      expect(text).not.toMatch(/<script>|<\/svg><script/);
  });
});

describe('the history as a page', () => {
  const apart = { headers: HOSTILE };
  const names = { variant: HOSTILE, scenario: HOSTILE, load: HOSTILE, machine: HOSTILE, apart };
  const page = renderHistoryPage([trend({ reference: HOSTILE }), trend(names)], {
    corrupt: [{ line: 2, why: HOSTILE }],
  });

  test('draws each run, each level and each change, with its numbers as a table', () => {
    expect(page.match(/<circle /g)).toHaveLength(12);
    expect(page.match(/class="level"/g)).toHaveLength(4);
    expect(page.match(/class="change"/g)).toHaveLength(2);
    expect(page.match(/class="half"/g)).toHaveLength(10);
    expect(page.match(/<tbody>/g)).toHaveLength(2);
    for (const [, y] of page.matchAll(/cy="([^"]*)"/g)) {
      expect(Number(y)).toBeGreaterThan(0);
      expect(Number(y)).toBeLessThan(160);
    }
  });

  test('shows which runs were on other machines than most', () => {
    const { points, ...rest } = trend({ reference: 'fpm' });
    const mixed = points.map((point, i) => (i % 3 === 1 ? { ...point, machine: HOSTILE } : point));
    const text = renderHistoryPage([{ ...rest, points: mixed }], { corrupt: [] });
    expect(text.match(/<circle class="other" /g)).toHaveLength(2);
    expect(text.match(/<circle /g)).toHaveLength(6);
    expect(text).toContain('6 runs on 2 kinds of machine');
    expect(page).not.toContain('class="other"');
  });

  test('has its style allowed by what it is, no script, and nothing of others in its markup', () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    expect(page).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(page).not.toContain('script-src');
    expect(page.replace(/<style>.*?<\/style>/s, '')).not.toMatch(/<script|\sstyle=|\son\w+=/);
  });
});

test('a sparkline shows the last values, and does not make noise large', () => {
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8])).toBe('▁▂▃▄▅▆▇█');
  expect(new Set(sparkline([1000, 1001, 1000.5])).size).toBe(1);
  expect(sparkline(Array.from({ length: 100 }, (_, i) => i + 1))).toHaveLength(24);
});
