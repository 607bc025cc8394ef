import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import { summarise, summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { Results } from '../../results/results.ts';
import { renderTable } from './terminal.ts';

const table = (name: string, width = 120, color = false) => renderTable(summaryOf(name), { width, color });

/** The table of a run with --cold-start. */
function coldStarts(width: number): string {
  const results = fixtures.quick?.() as Results;
  for (const variant of results.variants) {
    variant.coldStart = { tool: 'hyperfine 1.15.0', path: '/', timesMs: [310, 325, 298] };
  }
  const text = renderTable(summarise(results), { width, color: false });
  expect(text).toMatch(/cold starts\n {2}apache: median 310 ms/);
  return text;
}

describe('as people see it', () => {
  test.each([
    ...['quick', 'tie', 'one-start', 'mixed', 'journey', 'script', 'hostile'],
    ...['base', 'aa', 'base-several', 'base-broken', 'base-hostile', 'why', 'why-rows', 'why-hostile'],
    ...['counts', 'counts-alone', 'counts-hostile', 'gated', 'services'],
  ])('%s', async (name) => {
    await expect(table(name)).toMatchFileSnapshot(`__golden__/${name}.txt`);
  });
  test.each([80, 60, 40])('mixed in %i columns', async (width) => {
    await expect(table('mixed', width)).toMatchFileSnapshot(`__golden__/mixed-${width}.txt`);
  });
});

test('base in 80 columns', async () => {
  await expect(table('base', 80)).toMatchFileSnapshot('__golden__/base-80.txt');
});

describe('width', () => {
  test.each([200, 120, 100, 80, 72, 60, 50])('no line is wider than %i columns', (width) => {
    for (const name of Object.keys(fixtures)) {
      for (const line of table(name, width).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }
  });
  test.each(['quick', 'mixed', 'journey', 'hostile', 'cold'])('nor is it than 40: %s', (name) => {
    const text = name === 'cold' ? coldStarts(40) : table(name, 40);
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(40);
  });
  test.each(['mixed', 'base'])('colour changes no letter: %s', (name) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colour is made of
    const bare = table(name, 120, true).replace(/\u001b\[[\d;]*m/g, '');
    expect(bare).toBe(table(name));
  });
  test('names that end in different options stay apart where they are cut', () => {
    const servers = [1, 4, 16].map((workers) => ({ id: `日本語-fpm@8.4[workers=${workers}]`, rps: 300 }));
    const text = renderTable(summarise(makeResults({ servers })), { width: 50, color: false });
    for (const workers of [1, 4, 16])
      expect(text).toMatch(new RegExp(`^.*日本語.*….*s=${workers}\\] .*\\d`, 'm'));
  });
  test('nor do they look alike in the table of changes', () => {
    const ids = [4, 16].map((workers) => `nginx-fpm@8.4[listen=unix,pm=dynamic,workers=${workers}]`);
    const servers = ids.map((id) => ({ id, rps: 300, base: {} }));
    const results = makeResults({ servers, compareTo: {} });
    const text = renderTable(summarise(results), { width: 200, color: false });
    for (const workers of [4, 16])
      expect(text).toMatch(new RegExp(`^. +nginx-fpm@8.4\\S*…\\S*workers=${workers}\\]`, 'm'));
  });
  test('narrow: what matters most stays', () => {
    const head = table('mixed', 50)
      .split('\n')
      .find((line) => line.includes('#'));
    expect(head).toMatch(/Variant +RPS/);
    expect(head).toContain('p99 ms');
    expect(head).not.toContain('Memory');
  });
});

test('generator-bound: a lower bound, below the ranked ones, without a place', () => {
  const text = table('mixed');
  expect(text).toMatch(/^ +swoole +– +≥ 5,180 /m);
  expect(text.indexOf('nginx-fpm (unix)  ')).toBeLessThan(text.indexOf('swoole  '));
});

test('one start: the legend says what its interval leaves out', () => {
  expect(table('one-start')).toContain('differences between starts are not in it');
});

test.each([60, 80, 200])('the answer is in the first lines and in the table, %i columns wide', (width) => {
  const text = table('base', width);
  expect(text).toMatch(/^✗ This change makes apache use 4\.8 % more CPU per/);
  expect(text).toMatch(/^✗ +apache .*\+4\.8 % .*worse/m);
  expect(text).toMatch(/^\? +nginx-fpm \(tcp\) .*too noisy to tell/m);
  expect(text).toMatch(/^✓ +nginx-fpm \(unix\) .*no change above 1\.2 %/m);
  expect(text.indexOf('✗  apache')).toBeLessThan(text.indexOf('highest RPS'));
});

/** The base fixture, with a second metric that is judged for each variant. */
function withTwoMetrics() {
  const summary = summaryOf('base');
  const scenarios = summary.scenarios.map((scenario) => {
    const rps = scenario.comparisons
      .filter(({ against, primary }) => against === 'base' && primary)
      .map((one) => ({ ...one, metric: 'rps' as const, ratio: 0.954 }));
    const others = scenario.comparisons.filter(({ metric }) => metric !== 'rps');
    return { ...scenario, comparisons: [...others, ...rps] };
  });
  return { ...summary, scenarios };
}

test.each([62, 72, 80, 120])('rows of one variant show their metric, %i columns wide', (width) => {
  const text = renderTable(withTwoMetrics(), { width, color: false });
  expect(text).toMatch(/^. +apache +RPS /m);
  expect(text).toMatch(/^. +apache +CPU per request /m);
});

test.each([80, 200])('RPS is explained only where it is shown, %i columns wide', (width) => {
  const text = table('base', width);
  expect(text.includes('RPS (requests per second) is for information.')).toBe(
    /^ +Variant .*RPS,/m.test(text),
  );
});

test.each(['hostile', 'base-hostile', 'counts-hostile', 'why-hostile'])(
  'text of others cannot steer the terminal: %s',
  (name) => {
    const text = table(name);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(text).toContain(name === 'hostile' ? '日本語サーバーred' : 'evil.example');
  },
);

test('a commit that is its own base: the ranking comes first, and nothing is asked for', () => {
  const text = table('base-is-head');
  expect(text).toMatch(/^[^\n]*quick/);
  expect(text).toContain('! same-as-base: nothing to compare with: HEAD is part of main');
  expect(text).not.toMatch(/Not compared|to do:|could not be judged/);
});

test('nothing measured at all', () => {
  const failure = { stage: 'build' as const, reason: 'no such image', log: '' };
  const text = renderTable(summarise(makeResults({ servers: [{ id: 'a', rps: 1, failure }] })), {
    width: 80,
    color: false,
  });
  expect(text).toContain('No variant could be ranked. Failed: a.');
  expect(text).toContain('a: failed to build: no such image');
});

test('of 500 variants that failed, 20 are listed, and the others are counted', () => {
  const servers = Array.from({ length: 501 }, (_, i) => ({
    ...{ id: `v${i}`, rps: 300 },
    ...(i > 0 && { failure: { stage: 'build' as const, reason: `exit code ${i}`, log: '' } }),
  }));
  const results = makeResults({ servers, instances: 1, scenario: { blocks: 1 } });
  const text = renderTable(summarise(results), { width: 80, color: false });
  const lines = text.split('\n');
  expect(lines.filter((line) => line.includes('failed to build'))).toHaveLength(20);
  expect(text).toMatch(/v20: failed to build: exit code 20\n {2}480 more in results\.json\n/);
  expect(lines.length).toBeLessThan(60);
});

test('one reason and log of several variants are printed once, with all names', () => {
  const failed = (id: string, time: string, body: string) => ({
    ...{ id, rps: 300 },
    failure: {
      ...{ stage: 'verify' as const, reason: 'GET / answers HTTP 500' },
      answer: { status: 500, headers: `Date: Mon, 02 Mar 2026 ${time} GMT\nServer: ${id}`, body },
      log: `[02-Mar-2026 ${time}] PHP Fatal error: no table`,
    },
  });
  const servers = [
    { id: 'a', rps: 300 },
    failed('b', '10:00:01', 'no table'),
    failed('c', '10:00:02', 'no database'),
    failed('d', '10:00:13', 'no table'),
  ];
  const text = renderTable(summarise(makeResults({ servers })), { width: 80, color: false });
  expect(text.slice(text.indexOf('\nfailed\n'))).toMatch(
    /^\nfailed\n {2}b, d: answered wrongly: GET \/ answers HTTP 500\n.*10:00:01.*PHP Fatal error: no table\n {2}c: answered/s,
  );
  expect(text.match(/10:00:13/g)).toBeNull();
});

test('what the run has printed on the same terminal is not repeated', () => {
  const results = makeResults({ servers: [{ id: 'a', rps: 100 }] });
  const page = { endpoint: '/', journey: null, variants: ['a'], status: 200, type: '', location: '' };
  const summary = summarise({ ...results, checked: [{ ...page, title: null, bytes: [7, 7] }] });
  const checks = (showsChecks: boolean) =>
    renderTable(summary, { width: 120, color: false, showsChecks }).match(/^checked: .*$/gm);
  expect(checks(false)).toEqual(['checked: / → 200, 7 bytes']);
  expect(checks(true)).toBeNull();
});
