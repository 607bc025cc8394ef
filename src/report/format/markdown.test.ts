import { describe, expect, test } from 'vitest';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import { makeProfile } from '../../../test/fixtures/results/profile.ts';
import { summarise, summaryOf } from '../../../test/fixtures/results/summaries.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { ScenarioSummary, Soak } from '../../analyse/summary.ts';
import { REPOSITORY_URL } from '../../project.ts';
import type { Results } from '../../results/results.ts';
import { soakLegend } from '../words/loads/soak.ts';
import { renderMarkdown, renderMarkdownTable, type Stage } from './markdown.ts';
import { docsUrl, methodUrl } from './md-comparisons.ts';

const lines = (text: string) => text.split('\n');

/** The checked-in reports are of this repository, whoever owns it. */
const anyOwner = (text: string) =>
  text.replaceAll(REPOSITORY_URL, 'https://github.com/org/php-runtime-bench');

describe('as people see it', () => {
  test.each([
    'quick',
    'mixed',
    'journey',
    'script',
    'hostile',
    'base',
    'base-broken',
    'base-hostile',
    'why-hostile',
    'why-rows',
    'counts',
    'counts-alone',
    'counts-hostile',
    'gated',
    'services',
  ])('%s', async (name) => {
    await expect(anyOwner(renderMarkdown(summaryOf(name)))).toMatchFileSnapshot(`__golden__/${name}.md`);
  });
  test.each(['mixed-folded', 'mixed-short', 'base-folded', 'base-short', 'base-several-short', 'why-folded'])(
    '%s',
    async (name) => {
      const [, fixture = '', stage] = /^(.*)-(folded|short)$/.exec(name) ?? [];
      const place = { isPull: true, isCheck: true, repositoryUrl: 'https://github.com/octo/shop' };
      const text = renderMarkdown(summaryOf(fixture), stage as Stage, place);
      await expect(anyOwner(text)).toMatchFileSnapshot(`__golden__/${name}.md`);
    },
  );
});

test('the first answer that several variants gave alike is shown once, with all names', () => {
  const wrong = (id: string, rps: number, errorSample: string) => ({ id, rps, okRatio: 0.7, errorSample });
  const servers = [
    wrong('a', 500, 'no table, id 17'),
    wrong('b', 400, 'no database'),
    wrong('c', 300, 'no table, id 4'),
  ];
  const text = renderMarkdown(summarise(makeResults({ servers })));
  expect(text.match(/^First .*$/gm)).toEqual([
    'First `http 500` of `a`, `c` at `/`:',
    'First `http 500` of `b` at `/`:',
  ]);
  expect(text).not.toContain('id 4');
});

test('answers that differ in their headers alone are one answer', () => {
  const servers = ['a', 'b'].map((id) => ({ id, rps: 500, okRatio: 0.7 }));
  const results = makeResults({ servers });
  const measurements = results.measurements.map((one) => {
    const answer = { status: 500, headers: `Server: ${one.variant}`, body: 'no table' };
    return { ...one, errors: one.errors.map((error) => ({ ...error, answer })) };
  });
  const text = renderMarkdown(summarise({ ...results, measurements }));
  expect(text.match(/^First .*$/gm)).toEqual(['First `http 500` of `a`, `b` at `/`:']);
});

describe('the verdict claims no more than is known', () => {
  const verdict = (name: string) => {
    const all = lines(renderMarkdown(summaryOf(name)));
    return all[all.findIndex((line) => line.startsWith('## ')) + 2];
  };
  test.each([
    [
      'quick',
      '**`apache` has the highest RPS: 2,320 ± 60 rps, 11 % ahead of `nginx-fpm (unix)` (2,080 ± 50 rps).**',
    ],
    [
      'tie',
      '**No clear best between `apache` and `nginx-fpm (unix)`: 2,280–2,310 rps, their 95 % intervals overlap; `nginx-fpm (tcp)` is surely behind at least one of them.** `apache` needs the least CPU per request: 0.430 ± 0.011 ms, 10 % below the next.',
    ],
  ])('%s', (name, expected) => {
    expect(verdict(name)).toBe(expected);
  });
  test.each(['quick', 'base'])('a page that may not be the app: said beside the result of %s', (name) => {
    const results = fixtures[name]?.() as Results;
    const own = {
      code: 'looks-unfinished',
      message:
        'GET /<b> looks like an installer (HTTP 302 to /install.php): the numbers are those of this page',
      remedy: '',
      variant: null,
    };
    const text = renderMarkdown(summarise({ ...results, warnings: [...results.warnings, own] }));
    expect(text.slice(0, 400)).toContain(
      'Perhaps not the page that you mean: GET /&lt;b&gt; looks like an installer (see looks-unfinished).',
    );
    expect(renderMarkdown(summarise(results))).not.toContain('Perhaps not');
  });
  test('one start each: noted in the same sentence', () => {
    expect(verdict('one-start')).toMatch(
      /has the highest RPS: .* Each was started only once; another start may differ/,
    );
    const near = makeResults({
      servers: [
        { id: 'a', rps: 700 },
        { id: 'b', rps: 692 },
      ],
      instances: 1,
    });
    for (const slice of near.measurements) slice.achievedRps = slice.variant === 'a' ? 700 : 692;
    expect(lines(renderMarkdown(analyse(near)))[2]).toMatch(
      /^\*\*No clear best between `a` and `b`: 692–700 rps, each was started only once, and another start may differ by about 1 %/,
    );
  });
  test('one start each at a rate: the reason that nobody has the lowest p99', () => {
    const servers = [4, 8].map((ms) => ({ id: `${ms} ms`, rps: 60, p50Ms: ms, cpuMs: ms }));
    const once = renderMarkdown(analyse(makeResults({ servers, offeredRps: 300, instances: 1 })));
    expect(lines(once)[2]).toMatch(
      /^\*\*No clear best between `4 ms` and `8 ms`: p99 [\d.–]+ ms, each was started only once, which does not show how p99 differs between starts\.\*\*/,
    );
    expect(once).toContain('p95 and p99 of one start decide no place');
    expect(once).not.toContain('another start');
  });
  test('one ramp each: its levels say nothing of other starts', () => {
    const servers = [520, 640].map((capacity) => ({ id: `full-at-${capacity}`, rps: 1, capacity }));
    const said = (instances: number) => renderMarkdown(analyse(makeProfile({ servers, instances })));
    expect(said(1)).toMatch(
      /`full-at-640` sustains the highest rate: .* Each was started only once; another start may differ\.\*\*/,
    );
    expect(said(3)).toMatch(/`full-at-640` sustains the highest rate: [^*]*\(\d+ ± \d+ rps\)\.\*\*/);
  });
  test('with a generator-bound variant about, it is the fastest of the others only', () => {
    expect(verdict('mixed')).toMatch(/^\*\*With `swoole` left out, `apache` has the highest RPS/);
    expect(verdict('mixed')).toContain(
      'The load generator was the limit for `swoole` (≥ 5,180 rps), which can do more.',
    );
  });
  test('one that is left does not hide that others were there', () => {
    const bound = makeResults({
      servers: [
        { id: 'a', rps: 900 },
        { id: 'b', rps: 1900 },
      ],
      change({ measurements }) {
        for (const slice of measurements.filter(({ variant }) => variant === 'b'))
          Object.assign(slice.generator, {
            ...{ bound: true, reasons: [`k6 used ${90 + slice.block} % of its CPUs`] },
          });
      },
    });
    const text = renderMarkdown(summarise(bound));
    expect(text).toMatch(
      /^\*\*`a`: [89]\d\d ± \d+ rps; no other variant could be ranked\.\*\* The load generator was the limit for `b` \(≥ 1,[89]\d\d rps\), which can do more\.$/m,
    );
    // One reason is enough if others differ from it only in a figure.
    expect(text.match(/k6 used 9\d % of its CPUs/g)).toHaveLength(1);
  });
  test('where intervals of one start overlap, that is why, not what starts differ by', () => {
    const results = makeResults({
      servers: [
        { id: 'a', rps: 700 },
        { id: 'b', rps: 600 },
      ],
      instances: 1,
    });
    for (const slice of results.measurements) slice.achievedRps *= slice.block % 2 === 0 ? 1.4 : 0.6;
    expect(renderMarkdown(analyse(results))).toContain(' rps, their 95 % intervals overlap.**');
  });
  test('those that held a ramp to its end were not measured too little', () => {
    const servers = [500, 1400, 1500].map((capacity) => ({ id: `b-${capacity}`, capacity, rps: 300 }));
    const text = renderMarkdown(analyse(makeProfile({ servers, instances: 3 })));
    expect(text).toContain(
      ': they sustained the whole ramp, only a higher ramp can separate them; `b-500` is surely behind at least one of them.**',
    );
  });
  test('one variant is compared with nothing', () => {
    const text = renderMarkdown(summarise(makeResults({ servers: [{ id: 'a', rps: 900 }] })));
    expect(text).toMatch(/\*\*`a`: 9\d\d ± \d+ rps; there is nothing to compare it with\.\*\*/);
  });
});

describe('how it was measured', () => {
  test('a run cut short says how many starts there were', () => {
    const cut = makeResults({ servers: [{ id: 'a', rps: 900 }], instances: 6 });
    cut.measurements = cut.measurements.filter(({ instance }) => instance < 2);
    const text = renderMarkdown(analyse(cut));
    expect(text).toContain('· 2 of 6 fresh starts × 4 slices of each variant ·');
    expect(text).toContain('Every server was started afresh 2 of 6 times.');
  });
  test('± of CPU is explained where the ranking has none', () => {
    // Five samples of a slice lie beyond p95: too few for an interval over slices.
    const servers = ['a', 'b'].map((id) => ({ id, rps: 900 }));
    const one = makeResults({ servers, offeredRps: 100, instances: 1 });
    const text = renderMarkdown(analyse(one));
    expect(text).toMatch(/\| \d+(\.\d+)? \| 100\s% \| 0\.\d+ ± 0\.\d+ \|/);
    expect(text).toContain('± is the 95 % interval over the slices of one start');
  });
  test('what a ramp was never held by is less than its lowest rate, so the distance is a bound', () => {
    const ramp = makeProfile({
      servers: [
        { id: 'fast', rps: 1, capacity: 520 },
        { id: 'late', rps: 1, capacity: 1400, p50Ms: 40 },
      ],
      instances: 3,
    });
    Object.assign(ramp.plan.scenarios[0]?.slo as object, { p95Ms: 30 });
    expect(renderMarkdown(analyse(ramp))).toMatch(
      /`fast` sustains the highest rate: .* at least \d+(\.\d+)? times as much as `late` \(< /,
    );
  });
  test('every ± of a soak is explained', () => {
    const trend = { value: 1, half: 2 };
    const soak = (seconds: number, decay: Soak['decay']) => ({
      soak: { bytesPerThousand: trend, leaks: false, decay, requests: 1, seconds },
    });
    const legend = (...rows: object[]) => soakLegend({ rows, bases: [] } as unknown as ScenarioSummary);
    expect(legend(soak(1200, null))).toMatch(/under 20 min of .*, with its 99 % interval; 'leaks' [^;]*$/);
    expect(legend(soak(600, null), soak(1200, trend))).toMatch(
      /under up to 20 min of .*; RPS, start to end: .*, with its 99 % interval$/,
    );
    expect(legend({ soak: null })).toBe('');
  });
});

test('every row of a table has as many cells as its head', () => {
  for (const name of Object.keys(fixtures)) {
    for (const block of renderMarkdown(summaryOf(name)).split('\n\n')) {
      if (!block.startsWith('|')) continue;
      const counts = lines(block.trim()).map((line) => line.split('|').length);
      expect(new Set(counts).size, `${name}: ${block}`).toBe(1);
    }
  }
});

test.each(['hostile', 'base-hostile', 'why-hostile', 'counts-hostile'])(
  'text of others does nothing: %s',
  (name) => {
    // Two links are ours.
    const summary = summaryOf(name);
    const accept = docsUrl(summary.tool.version, 'comparing', 'accept-a-slowdown-once');
    const text = renderMarkdown(summary).replaceAll(methodUrl(summary), '').replaceAll(accept, '');
    // Code blocks and code between backticks are shown as they are.
    const active = text.replace(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '').replace(/`[^`\n\\]*`/g, '');
    expect(active).not.toMatch(/@(?!&#8203;)/);
    expect(active).not.toMatch(/:\/\/|www\.|#\d+\b(?!;)|GH-\d/);
    const tags = new Set(active.match(/<[^>]*>/g));
    expect([...tags].sort()).toEqual(
      [
        '</code>',
        '</details>',
        '</sub>',
        '</summary>',
        '<br>',
        '<code>',
        '<details>',
        '<sub>',
        '<summary>',
      ].sort(),
    );
    expect(active.match(/<details>/g)?.length).toBe(active.match(/<\/details>/g)?.length);
  },
);

test('a version leads nowhere but to the documentation', () => {
  const summary = summaryOf('base-hostile');
  const tool = { ...summary.tool, version: "1)(www.evil.example '!*~_" };
  const active = renderMarkdown({ ...summary, tool })
    .replace(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '')
    .replace(/`[^`\n\\]*`/g, '');
  const links = active.match(/(?<!\\)\]\(.*/g);
  const page = (name: string) =>
    expect.stringMatching(new RegExp(`^\\]\\(https://github\\.com/[^()\\s'*]+/${name}\\)`));
  expect(links).toEqual([page('comparing\\.md#accept-a-slowdown-once'), page('method\\.md')]);
});

test('groups that must not be compared are kept apart and say so', () => {
  const text = renderMarkdown([summaryOf('quick'), summaryOf('journey')]);
  expect(text).toContain('# Group 1 of 2');
  expect(text).toContain('do not compare across them');
});

test('the table alone', () => {
  const text = renderMarkdownTable(summaryOf('quick'));
  expect(lines(text.trim())).toHaveLength(5);
});
