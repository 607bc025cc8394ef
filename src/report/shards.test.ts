import { describe, expect, test } from 'vitest';
import { deviation, pair, setExactly } from '../../test/fixtures/results/compared.ts';
import { shardedRun } from '../../test/fixtures/results/sharded.ts';
import { summarise } from '../../test/fixtures/results/summaries.ts';
import type { Summary } from '../analyse/summary.ts';
import type { Results } from '../results/results.ts';
import { NOWHERE } from './format/markdown.ts';
import { renderAs } from './formats.ts';
import { renderShards } from './shards.ts';

const shards = shardedRun();
const summaries = new Map(shards.map((results) => [results, summarise(results)]));
const judge = (results: Results) => summaries.get(results) as Summary;
const wanted = [1, 2].map((index) => ({ index, variants: [`part ${index}`] }));
const place = { isPull: true, isCheck: true, repositoryUrl: 'https://github.com/octo/shop' };
const terminal = { width: 120, color: false };
const all = (format: 'md' | 'table' | 'html') => [...renderAs(format, shards, terminal, judge)].join('');

describe('a pull request on two machines, as people see it', () => {
  const [full, folded, short, ranked, answer] = renderShards(shards, wanted, place, judge);
  test.each([
    ['sharded-folded', folded],
    ['sharded-short', short],
    ['sharded-ranked', ranked],
  ])('%s', async (name, text) => {
    await expect(`${text}\n`).toMatchFileSnapshot(`format/__golden__/${name}.md`);
  });
  test('each rendering is shorter than the one before', () => {
    const lengths = [full, folded, short, ranked, answer].map((text = '') => text.length);
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
    expect(new Set(lengths).size).toBe(5);
  });
  test('sharded.txt', async () => {
    await expect(all('table')).toMatchFileSnapshot('format/__golden__/sharded.txt');
  });
});

describe.each(['md', 'table', 'html'] as const)('%s: one answer, before any ranking', (format) => {
  const text = all(format)
    .replaceAll(/<(script|style)[^>]*>.*?<\/\1>/gs, '')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/[`\u2068\u2069]|<\/?bdi[^>]*>/g, '');
  test('the headline is there once, and names what is worse', () => {
    expect(text.match(/This change makes nginx-fpm use [\d.]+ % more CPU per request/g)).toHaveLength(1);
    const [headline, table, ranking] = [
      'makes nginx-fpm use',
      'apache (machine 2)',
      'Servers compared with each other',
    ].map((part) => text.indexOf(part));
    expect(headline).toBeGreaterThan(0);
    expect(table).toBeGreaterThan(headline as number);
    expect(ranking).toBeGreaterThan(table as number);
    expect(text.indexOf('across 2 machines')).toBeGreaterThan(ranking as number);
  });
});

test('the last rendering fits a comment, whatever the run', () => {
  const nasty = '<@octocat|`#12>'.repeat(50);
  const few = shardedRun(4, 1);
  const many = Array.from({ length: 24 }, (_, i) => {
    const results = structuredClone(few[i % 2] as Results);
    results.plan.shard = { index: i + 1, of: 24 };
    for (const variant of results.variants) {
      if (variant.id !== results.plan.reference) variant.label = `${nasty}${i}${variant.id}`;
    }
    for (const gate of results.plan.gates) gate.source = nasty;
    const [own, base] = results.variants.slice(-2).map(({ id }) => id);
    if (i % 3 === 0)
      results.measurements = results.measurements.filter(({ variant }) => variant !== (i % 2 ? own : base));
    return results;
  });
  const stages = renderShards(
    many,
    many.map((_, i) => ({ index: i + 1, variants: [nasty] })),
    place,
    summarise,
  );
  expect(stages.at(-1)).toMatch(/^### \S+ \S/);
  expect(stages.at(-1)).toContain('more rows in the full report');
  expect(stages.at(-1)?.length).toBeLessThan(60_000);
});

describe('what the answer of several machines cannot claim', () => {
  const [one, two] = shards as [Results, Results];
  const render = (list: readonly Results[], expected = wanted, here = place) =>
    renderShards(list, expected, here, (results) => judge(results) ?? summarise(results))[1] ?? '';

  test('a check passes only with the results of all shards', () => {
    const calm = shardedRun().map((results) => ({ ...results, plan: { ...results.plan, gates: [] } }));
    expect(render(calm)).toContain('**This check passes:**');
    const three = [...wanted, { index: 3, variants: ['part 3'] }];
    expect(render(calm, three)).toContain('**This check is not complete:** no results of machine 3.');
    expect(render(calm.slice(0, 1))).toContain('**This check is not complete:** no results of machine 2.');
    const four = [...three, { index: 4, variants: ['part 4'] }];
    expect(render(calm, four)).toContain('**This check is not complete:** no results of machines 3 and 4.');
    expect(render([one, two], three)).toContain('limit `slower > 3%` exceeded; no results of machine 3.');
  });

  test.each(['md', 'table', 'html'] as const)('nor in %s without those of one', (format) => {
    const [calm] = shardedRun().map((results) => ({ ...results, plan: { ...results.plan, gates: [] } }));
    const textOf = (isShare: boolean) =>
      [...renderAs(format, [calm as Results], { ...terminal, isShare }, (one) => summarise(one))].join('');
    for (const words of ['This check is not complete', 'No results of machine 2'])
      expect(textOf(false)).toContain(words);
    expect(textOf(false)).not.toContain('This check passes');
    // A machine that has just measured its own share.
    expect(textOf(true)).toContain('This check passes');
    expect(textOf(true)).not.toContain('machine 2');
  });

  test.each(['md', 'table', 'html'] as const)('nor in %s where each has its own answer', (format) => {
    const list = shardedRun().map((results, i) => {
      const head = { commit: `${i}`.repeat(40), uncommitted: 0, files: [] };
      const plan = { ...results.plan, gates: [], shard: { index: i + 1, of: 3 } };
      return { ...results, plan, run: { ...results.run, head } };
    });
    const text = [...renderAs(format, list, terminal, (one) => summarise(one))].join('');
    expect(text.match(/This check is not complete/g)).toHaveLength(2);
    expect(text).toContain('No results of machine 3');
  });

  test('a change that is sure on its machine, but not among the rows of seven', () => {
    const machine = (index: number, of: number) => {
      const results = pair({});
      results.run.id = `run-${index}`;
      results.plan.shard = { index, of };
      setExactly(results, (slice) => {
        const [shift, noise] =
          slice.variant === 'a' ? [index === 1 ? 0.0132 : 0, 4 * deviation(slice)] : [0, 0];
        return { rps: 100 * (1 - shift) * (1 + noise) };
      });
      return results;
    };
    const headlineOf = (of: number) => {
      const list = Array.from({ length: of }, (_, i) => machine(i + 1, of));
      const shards = list.map((_, i) => ({ index: i + 1, variants: [] }));
      return renderShards(list, shards, place)[1]?.split('\n')[0];
    };
    expect(headlineOf(1)).toContain('makes `a` serve 1.3 % fewer requests per second');
    expect(headlineOf(7)).toContain('does not affect RPS by more than');
  });

  test('groups of different commits each have their own answer', () => {
    const other = structuredClone(two);
    if (other.run.head) other.run.head.commit = 'c'.repeat(40);
    const text = render([one, other]);
    expect(text).toContain('# Machine 2 of 2');
    expect(text.match(/^\*\*This check/gm)).toHaveLength(2);
    expect(text).not.toContain('(machine 2)');
    const table = [...renderAs('table', [one, other], terminal, (results) => summarise(results))].join('');
    expect(table.match(/^This check /gm)).toHaveLength(2);
    expect(table).toMatch(/^Machine 2 of 2: .*\n\n\S /m);
  });

  test('groups of different loads do too, but with a budget each machine has as many blocks as fit', () => {
    const change = (facts: object) => {
      const other = structuredClone(two);
      Object.assign(other.plan.scenarios[0] ?? {}, facts);
      return render([one, other]).match(/^\*\*This check/gm)?.length;
    };
    expect(change({ load: 'vus(9, 1s)' })).toBe(2);
    expect(change({ blocks: 5 })).toBe(1);
  });

  test('a machine that was stopped is named, beside all else that makes the check fail', () => {
    const [first, second] = [one, two].map((results) => structuredClone(results)) as [Results, Results];
    const fails = (text: string) => `**This check fails:** The run was stopped: ${text}.`;
    second.run.stopped = 'SIGINT';
    const exceeded = 'SIGINT (machine 2); limit `slower > 3%` exceeded';
    expect(render([first, second])).toContain(fails(exceeded));
    const three = [...wanted, { index: 3, variants: ['part 3'] }];
    expect(render([first, second], three)).toContain(fails(`${exceeded}; no results of machine 3`));
    for (const { plan } of [first, second]) plan.gates = [];
    expect(render([first, second])).toContain(fails('SIGINT (machine 2)'));
    first.run.stopped = 'an error';
    expect(render([first, second])).toContain(fails('an error (machine 1) and SIGINT (machine 2)'));
  });

  test('a doubt about the page that all machines have is there once', () => {
    const message = 'the load measures redirects, not their targets: GET / to /login';
    const warning = { code: 'redirect', message, remedy: 'add the target', variant: null };
    const list = [one, two].map((results) => ({ ...results, warnings: [...results.warnings, warning] }));
    const [answer = ''] = render(list).split('<details>');
    expect(answer.match(/not their targets/g)).toHaveLength(1);
  });

  test('a machine without the base is named, beside the verdicts of the other', () => {
    const lacking = structuredClone(two);
    lacking.variants = lacking.variants
      .filter(({ ref }) => ref === null)
      .map((one) => ({ ...one, base: null }));
    lacking.measurements = lacking.measurements.filter(({ variant }) => !variant.endsWith(':base'));
    Object.assign(lacking.plan.compareTo ?? {}, { commit: null, reason: 'git knows no `main`' });
    const text = render([one, lacking]);
    expect(text).toContain('makes `nginx-fpm` use');
    expect(text).toContain('Not compared with the base: git knows no &#96;main&#96; (machine 2).');
  });

  test('without another version the ranking leads, as before', () => {
    const alone = shardedRun().map((results) => {
      results.variants = results.variants
        .filter(({ ref }) => ref === null)
        .map((one) => ({ ...one, base: null }));
      results.measurements = results.measurements.filter(({ variant }) => !variant.endsWith(':base'));
      results.plan = { ...results.plan, compareTo: null, gates: [] };
      return results;
    });
    expect(render(alone, wanted, NOWHERE as typeof place)).toMatch(
      /^## Hello, server, across 2 machines\n[\s\S]*```mermaid[\s\S]*^# Machine 1 of 2: /m,
    );
  });
});
