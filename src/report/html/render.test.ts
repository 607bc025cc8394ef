import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import { makeProfile } from '../../../test/fixtures/results/profile.ts';
import { renderHtml } from '../../../test/fixtures/results/render-html.ts';
import { shardedRun } from '../../../test/fixtures/results/sharded.ts';
import { compareAcross } from '../../analyse/judge/across-shards.ts';
import type { Results } from '../../results/results.ts';
import { htmlGroup } from './render.ts';

const page = (name: string) => renderHtml([htmlGroup(fixtures[name]?.() as Results)]);
/** The page without its own script, style and data. */
const markup = (text: string) =>
  text.replace(/<(script|style)[^>]*>.*?<\/\1>/gs, '').replace(/<!doctype html>/, '');

describe.each(Object.keys(fixtures))('the page of %s', (name) => {
  const text = page(name);

  test('allows its own script and style by what they are, and nothing else', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1];
    const hash = (element: string) => {
      const inner = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(text)?.[1] ?? '';
      return `sha256-${createHash('sha256').update(inner).digest('base64')}`;
    };
    expect(policy).toBe(
      `default-src 'none'; style-src '${hash('style')}'; script-src '${hash('script')}'; base-uri 'none'; form-action 'none'`,
    );
  });

  test('refers to nothing outside of itself', () => {
    expect(text.match(/<(link|img|iframe|object|embed|base)\b/g)).toBeNull();
    expect(markup(text).match(/\b(src|href)="(?!#)[^"]*"/g)).toBeNull();
  });

  test('has no attribute that the policy would refuse', () => {
    const names = markup(text).replaceAll(/"[^"]*"/g, '""');
    expect(names.match(/<[^>]*\s(style|on\w+)=/g)).toBeNull();
  });

  test('has each id once, and what refers to one finds it', () => {
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
    for (const [, id] of text.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(id);
  });
});

test('one reason and log of several variants are there once, with all names', () => {
  const failed = /<ul class="failed">(.*?)<\/ul>/s.exec(page('base-broken'))?.[1] ?? '';
  expect(failed.replaceAll(/<\/?bdi[^>]*>/g, '')).toBe(
    '<li data-variant="3 4 5">nginx-fpm (unix), apache (base), nginx-fpm (unix) (base): failed to build: composer install failed<details><summary>Last lines of its log</summary><pre tabindex="0" dir="auto">#7 ERROR: ext-redis is missing</pre></details></li>',
  );
});

test('text of others is shown and does nothing', () => {
  const text = page('hostile');
  const shown = markup(text);
  expect(shown).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(shown).toContain('日本語サーバー');
  for (const element of ['<img', '<script', '<h1>@', '<b>@', '\u001b', '\u0007', '\u202e']) {
    expect(shown).not.toContain(element);
  }
  expect(text.match(/<script/g)).toHaveLength(2);
});

test('what a script calls its checks and metrics is shown and does nothing', () => {
  const shown = markup(page('script'));
  for (const text of ['&lt;img src=x&gt;', 'Thresholds', 'render_time', 'not judged'])
    expect(shown).toContain(text);
  for (const element of ['<img', '<b>']) expect(shown).not.toContain(element);
});

test('the command to repeat it stands there as it was', () => {
  const results = fixtures.quick?.() as Results;
  results.run.command = ['php-runtime-bench', 'run', '--paths', '/a b?x=<1>', '--app', "it's"];
  const text = renderHtml([htmlGroup(results)]);
  expect(text).toContain(
    '<code>php-runtime-bench run --paths &#39;/a b?x=&lt;1&gt;&#39; --app &#39;it&#39;\\&#39;&#39;s&#39;</code>',
  );
});

test('the star claims nothing about a variant that was too fast to be ranked', () => {
  expect(markup(page('mixed'))).toContain(
    '<span class="star" title="surely ahead of all others that are ranked">',
  );
});

test('a run of ten variants is less than 1.5 MB, a long ramp of each too', () => {
  const servers = Array.from({ length: 10 }, (_, i) => ({
    ...{ id: `s${i}@8.4`, rps: 1, capacity: 400 + 60 * i },
  }));
  const text = renderHtml([htmlGroup(makeProfile({ servers, seconds: 300, instances: 3 }))]);
  expect(Buffer.byteLength(text)).toBeLessThan(1_500_000);
});

test('a run without images and starts has no empty card for them', () => {
  const results = fixtures.quick?.() as Results;
  expect(markup(renderHtml([htmlGroup(results)]))).toMatch(
    /<h2>Starting up<\/h2>\s*<p class="note no-script">/,
  );
  for (const variant of results.variants)
    Object.assign(variant, { image: null, coldStart: null, coldStartMs: [] });
  expect(markup(renderHtml([htmlGroup(results)]))).not.toContain('Starting up');
});

test('groups are kept apart', () => {
  const text = renderHtml(['quick', 'journey'].map((name) => htmlGroup(fixtures[name]?.() as Results)));
  expect(text).toContain('do not compare across them');
  expect(text).toContain('data-group="1"');
});

describe('a comparison with another ref', () => {
  const text = page('base');

  test('answers first whether it got slower, and whether the check fails', () => {
    const first = /<main[^>]*>.*?<p class="verdict bad">(.*?)<\/p>/s.exec(text)?.[1];
    expect(first).toMatch(
      /This change makes <bdi class="name">apache<\/bdi> serve 4\.\d\u00a0% fewer requests per second/,
    );
    expect(text).toMatch(/<strong>This check fails \(exit code 1\):<\/strong>/);
    expect(text.indexOf('class="card answer"')).toBeLessThan(text.indexOf('<caption>Ranking</caption>'));
  });

  test('has a row of each variant, with its interval beside the line of no change', () => {
    const table = /class="card answer".*?<\/table>/s.exec(text)?.[0] ?? '';
    const rows = [...table.matchAll(/<tr data-variant.*?<\/tr>/gs)].map(([row]) => row);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/apache.*class="range".*worse/s);
    expect(rows[0]).toMatch(/<td class="number">[\d.]+ → [\d.]+\u00a0(ms|rps)<\/td>/);
    for (const row of rows) expect(row).toMatch(/<line class="zero" x1="([\d.]+)%" x2="\1%"/);
  });
});

test('Δ from the reference is explained only where it is shown', () => {
  const meaning = 'Δ is the change of RPS from';
  expect(markup(page('base'))).toContain(meaning);
  // Too few starts to show a comparison with the reference.
  const servers = ['a', 'b'].map((id) => ({ id, rps: 400, base: {} }));
  const few = markup(renderHtml([htmlGroup(makeResults({ servers, compareTo: {}, instances: 3 }))]));
  expect(few).toContain('Compared with');
  expect(few).not.toContain(meaning);
});

test('without another ref, the check and the result of each limit are above the ranking', () => {
  const text = page('gated');
  const card = /<section class="card answer">.*?<\/section>/s.exec(text)?.[0] ?? '';
  expect(card).toMatch(/<strong>This check fails \(exit code 1\):<\/strong>/);
  expect(card).toMatch(/<strong>Limit <bdi class="name">slower &gt; 3%<\/bdi> exceeded:<\/strong>/);
  expect(text.indexOf(card)).toBeLessThan(text.indexOf('<caption>Ranking</caption>'));
  expect(page('quick')).not.toContain('class="card answer"');
});

test('the title counts what is compared, without its base', () => {
  expect(page('base')).toMatch(/<title>plain, Hello, server: 3 variants/);
});

test('several machines are called so, and one table compares across them', () => {
  const shards = shardedRun();
  const text = renderHtml(shards.map(htmlGroup), compareAcross(shards));
  expect(text).toContain('<title>PHP runtimes: results of 2 machines</title>');
  expect(text).toMatch(/<h2 dir="auto">Machine 2 of 2: /);
  expect(text).not.toContain('do not compare across them');
});

describe('what was checked out', () => {
  const measured = (head: Results['run']['head']) => {
    const results = fixtures.quick?.() as Results;
    if (head) results.run.head = head;
    return renderHtml([htmlGroup(results)]);
  };
  const titleOf = (text: string) => /<title>(.*?)<\/title>/.exec(text)?.[1] ?? '';
  const factsOf = (text: string) => /<p class="facts-line">.*?<\/p>/s.exec(text)?.[0] ?? '';
  const commit = '4c0f362682f0a1b2c3d4e5f60718293a4b5c6d7e';

  test('is in the title and in the head', () => {
    const text = measured({ commit, uncommitted: 0, files: [] });
    expect(titleOf(text)).toMatch(/^plain, .*: 3 variants \(4c0f362\)$/);
    expect(factsOf(text)).toContain('<span dir="auto">4c0f362</span>');
    expect(titleOf(measured(undefined))).toMatch(/: 3 variants$/);
  });

  test('says what no commit has', () => {
    const text = measured({ commit, uncommitted: 4, files: ['a.php', '<b>.php', 'c.php'] });
    expect(titleOf(text)).toMatch(/\(4c0f362 and uncommitted changes\)$/);
    expect(factsOf(text)).toContain('4c0f362 and 4 uncommitted changes (a.php, &lt;b&gt;.php, c.php, …)');
  });
});

test('flame graphs of two rows that are not compared stand side by side, below the reason', () => {
  const results = fixtures['why-alone']?.() as Results;
  const [, second] = results.variants;
  if (second) second.model = 'long-lived';
  const text = markup(renderHtml([htmlGroup(results)]));
  const [above = '', flames = ''] = text.split('<div class="flames">');
  expect(above.replaceAll(/<\/?bdi[^>]*>/g, '')).toContain(
    '<p>Functions of apache and nginx-fpm (unix) are not compared: apache starts the app for each request, and nginx-fpm (unix) keeps the app in memory.</p>',
  );
  expect(above).not.toContain('class="flame"');
  expect(flames.match(/class="flame" data-flame="[^"]*" data-title="([^"]*)"/g)).toHaveLength(2);
});

test('a profile states how much CPU time lies between two samples', () => {
  expect(markup(page('why'))).toMatch(
    /4 fresh starts of each version, [\d,]+ samples, one for each 1 ms of CPU\. A request/,
  );
});
