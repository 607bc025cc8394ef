// Comments as GitHub shows them: parsed by its own parser, opened in Chromium. SHOTS=folder keeps pictures of them.
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { analyse } from '../../../src/analyse/analyse.ts';
import { markerOf, postComment } from '../../../src/publish/api/comment.ts';
import { COMMENT_CHARACTERS } from '../../../src/publish/api/fit-size.ts';
import { describePublication } from '../../../src/publish/publish.ts';
import { methodUrl } from '../../../src/report/format/md-comparisons.ts';
import { renderShards } from '../../../src/report/shards.ts';
import type { Results } from '../../../src/results/results.ts';
import { fixtures, makeResults, type Server } from '../../fixtures/results/make.ts';
import { summaryOf } from '../../fixtures/results/summaries.ts';
import { hasMarkdown, NO_MARKDOWN, renderGitHub } from './markdown.ts';
import { openHere, useBrowser } from './use-browser.ts';

const markdown = hasMarkdown();

useBrowser();
beforeEach((context) => {
  if (!markdown) context.skip(NO_MARKDOWN);
});

/** Everything that a name or an answer may try, on GitHub, in HTML, in Mermaid, in a log and on a terminal. */
const PIECES = [
  '<img src=x onerror=alert(1)><script>alert(2)</script></details></code></sub>',
  '[click](javascript:alert(3)) ![x](https://evil.example/x.png) <https://evil.example> https://evil.example www.evil.example',
  '@everyone @octocat #1 GH-2 octo/shop#3 deadbeefcafe1234 a@evil.example',
  '| --- | `code` ``` ~~~ **bold** ~~gone~~ $x$ $`x`$ :tada: [x]: y',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression that must stay text
  '::error file=x::owned %0A::set-output name=x::y ${{ secrets.TOKEN }} $(touch owned)',
  '%%{init: {"securityLevel":"loose"}}%% "] #quot; --> end <!-- php-runtime-bench:x -->',
  '\u001b[31m\u202egnihton\u2066\u0000\u200b <h1>&lt;b&gt;</h1>',
];
/** Long texts are cut: each piece comes first somewhere. */
const hostileFrom = (i: number) =>
  [...PIECES.slice(i % PIECES.length), ...PIECES.slice(0, i % PIECES.length)].join(' ');
const HOSTILE = hostileFrom(0);

const JOB = {
  pull: { owner: 'octo', repo: 'shop', number: 7 },
  isCheck: true,
  runUrl: 'https://github.com/octo/shop/actions/runs/42',
};

/** Elements that a comment may contain, whatever the results contain. */
const OURS = [
  ...[
    'BLOCKQUOTE',
    'BR',
    'CODE',
    'DETAILS',
    'H1',
    'H2',
    'H3',
    'LI',
    'OL',
    'P',
    'PRE',
    'STRONG',
    'SUB',
    'SUMMARY',
  ],
  ...['TABLE', 'TBODY', 'TD', 'TH', 'THEAD', 'TR', 'UL', 'A', 'EM'],
];

interface Shown {
  tags: string[];
  links: string[];
  /** Rows with another number of cells than the head of their table, and paragraphs that were to be a row. */
  broken: string[];
  text: string;
  /** The text that GitHub searches for names, numbers and addresses: all but code. */
  prose: string;
  charts: number;
  tables: number;
}

async function show(name: string, body: string): Promise<Shown> {
  const style =
    'body{font:14px/1.5 sans-serif;max-width:880px;margin:16px}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:4px 8px}code{background:#eee}';
  const html = `<!doctype html><meta charset="utf-8"><title>Comment</title><style>${style}</style><body>${renderGitHub(body)}`;
  const { page, troubles } = await openHere(html);
  if (process.env.SHOTS) {
    await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
  }
  const shown = await page.evaluate(() => {
    const all = (selector: string) => [...document.body.querySelectorAll(selector)];
    const cells = (row: Element) => row.querySelectorAll('td, th').length;
    return {
      tags: [...new Set(all('*').map(({ tagName }) => tagName))],
      links: all('[href], [src]').map(
        (found) => found.getAttribute('href') ?? found.getAttribute('src') ?? '',
      ),
      broken: [
        ...all('table').flatMap((table) =>
          [...table.querySelectorAll('tr')]
            .filter((row) => cells(row) !== cells(table.querySelector('tr') as Element))
            .map((row) => row.innerHTML),
        ),
        ...all('p')
          .map(({ textContent }) => textContent ?? '')
          .filter((text) => /^\s*\|/.test(text)),
      ],
      text: document.body.textContent ?? '',
      prose: (() => {
        const copy = document.body.cloneNode(true) as Element;
        for (const code of copy.querySelectorAll('code, pre')) code.remove();
        return copy.textContent ?? '';
      })(),
      charts: all('pre[lang=mermaid]').length,
      tables: all('table').length,
    };
  });
  expect(troubles).toEqual([]);
  return shown;
}

function expectHarmless(shown: Shown, link: string) {
  expect(shown.broken).toEqual([]);
  expect(shown.tags.filter((tag) => !OURS.includes(tag))).toEqual([]);
  expect(shown.links.filter((target) => target !== link)).toEqual([]);
  expect(shown.text).toContain('<img src=x onerror=a');
  expect(shown.prose).not.toMatch(/@[a-z]|:\/\/|www\.|#\d|GH-\d|deadbeefcafe/i);
}

/** A run in which every text that is not ours is hostile. */
function hostile(change: (results: Results) => void = () => {}, count = 7): Results {
  const servers = Array.from({ length: count }, (_, i): Server => {
    const kinds: Partial<Server>[] = [
      { rps: 400 + i },
      { rps: 300, okRatio: 0.5, errorKind: hostileFrom(i + 1), errorSample: HOSTILE },
      { rps: 1, failure: { stage: 'build', reason: hostileFrom(i), log: `${HOSTILE}\n`.repeat(30) } },
    ];
    return { id: `v${i}@8.4`, label: `${i} ${hostileFrom(i)}`, rps: 1, ...kinds[i < 2 ? 0 : i % 3] };
  });
  const results = makeResults({
    ...{
      servers,
      instances: 6,
      endpoints: [`/${HOSTILE}`],
      scenario: { title: hostileFrom(1), journey: HOSTILE },
    },
    compareTo: { given: HOSTILE, ref: hostileFrom(3), commit: null, reason: hostileFrom(2) },
    change,
  });
  results.run.command = ['php-runtime-bench', 'run', HOSTILE];
  Object.assign(results.host, { cpuModel: hostileFrom(2), os: HOSTILE, kernel: HOSTILE, engine: HOSTILE });
  results.warnings.push({ code: 'x', message: HOSTILE, remedy: HOSTILE, variant: null });
  for (const { facts } of results.variants) {
    if (facts) Object.assign(facts, { php: HOSTILE, server: HOSTILE, ini: { [HOSTILE]: HOSTILE } });
  }
  return results;
}

test.each(['full', 'folded', 'short'])('hostile names, answers and logs are text: %s', async (stage) => {
  const results = hostile();
  const body =
    describePublication('', analyse(results), JOB).stages[['full', 'folded', 'short'].indexOf(stage)] ?? '';
  const shown = await show(`hostile-${stage}`, body);
  expectHarmless(shown, methodUrl({ ...summaryOf('quick'), tool: results.tool }));
  expect(shown.charts).toBe(1);
  if (stage === 'full') expect(shown.text).toContain('::error file=x::owned %0A::set-output');
});

test('the comment of several machines with hostile names', async () => {
  const shards = [1, 2].map((index) =>
    hostile((results) => {
      results.plan.shard = { index, of: 3 };
      results.plan.reference = 'v0@8.4';
    }),
  );
  const wanted = [1, 2, 3].map((index) => ({ index, of: 3, variants: [HOSTILE, 'x'.repeat(2000)] }));
  const stages = renderShards(shards, wanted);
  for (const [i, stage] of stages.entries()) {
    const shown = await show(`machines-${i}`, stage);
    expectHarmless(shown, methodUrl({ ...summaryOf('quick'), tool: (shards[0] as Results).tool }));
    // One chart, of ratios: those of each machine would be taken for one picture. The last has the answer alone.
    expect(shown.charts).toBe(i < stages.length - 1 ? 1 : 0);
    expect(shown.text).toContain('No results of machine 3 of 3');
  }
  expect(stages.at(-1)?.length).toBeLessThan(COMMENT_CHARACTERS);
});

test('200 variants: shortened in stages, whole tables, under the limit', async () => {
  const { stages } = describePublication('', analyse(hostile(() => {}, 200)), JOB);
  expect(stages[0]?.length).toBeGreaterThan(COMMENT_CHARACTERS);
  const posted: string[] = [];
  await postComment(
    {
      whoAmI: async () => 'me',
      list: async function* () {},
      update: () => Promise.reject(new Error('there is none')),
      remove: () => Promise.reject(new Error('there is none')),
      async create(body) {
        posted.push(body);
        return { id: 1, url: '' };
      },
    },
    HOSTILE,
    stages,
  );
  const [body = ''] = posted;
  expect(body.length).toBeLessThanOrEqual(COMMENT_CHARACTERS);
  expect(body.startsWith(`${markerOf(HOSTILE)}\n`)).toBe(true);
  const shown = await show('variants-200', body);
  expect(shown.tables).toBeGreaterThan(0);
  expect(shown.text).toMatch(/\d+ more variants in the full report/);
  expectHarmless(shown, methodUrl(summaryOf('quick')));
});

test('200 variants with plain names: folded is too long, short is whole', async () => {
  const servers = Array.from({ length: 200 }, (_, i) => ({
    id: `nginx-fpm@8.4[workers=${i + 1}]`,
    rps: 100 + i,
  }));
  const { stages } = describePublication(
    '',
    analyse(makeResults({ servers, instances: 2, scenario: { blocks: 1 } })),
    JOB,
  );
  const fitting = stages.findIndex((stage) => stage.length < COMMENT_CHARACTERS - 500);
  expect(stages.length).toBe(3);
  expect(fitting).toBeGreaterThan(0);
  const shown = await show('plain-200', stages[fitting] as string);
  expect(shown.broken).toEqual([]);
});

test('whole tables and nothing but ours, whatever was measured', async () => {
  const bodies = Object.values(fixtures).map(
    (make) => describePublication('', analyse(make()), JOB).stages[0] ?? '',
  );
  const shown = await show('fixtures', bodies.join('\n\n'));
  expect(shown.tables).toBeGreaterThan(2 * bodies.length);
  expect(shown.broken).toEqual([]);
  expect(shown.tags.filter((tag) => !OURS.includes(tag))).toEqual([]);
});
