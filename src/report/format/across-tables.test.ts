import { expect, test } from 'vitest';
import { makeResults, type Server } from '../../../test/fixtures/results/make.ts';
import { makeProfile } from '../../../test/fixtures/results/profile.ts';
import { renderHtml } from '../../../test/fixtures/results/render-html.ts';
import type { Across } from '../../analyse/judge/across-shards.ts';
import { compareAcross } from '../../analyse/judge/across-shards.ts';
import type { Results } from '../../results/results.ts';
import { htmlGroup } from '../html/render.ts';
import { renderAcross, renderAcrossTable, renderMissing, renderMissingLine } from './across-tables.ts';

const noise = { instanceSd: 0.006, sliceSd: 0.008 };
const reference: Server = { id: 'apache@8.4', label: 'apache', rps: 400, ...noise };
const NASTY = '\u001b[31m</td><img src=x onerror=alert(1)>|@everyone\u202e "]\n bar';

function shard(index: number, of: number, speed: number, own: readonly Server[]): Results {
  return makeResults({
    ...{ seed: index, instances: 8, scenario: { blocks: 4 } },
    servers: [reference, ...own].map((server) => ({ ...server, rps: server.rps * speed })),
    change(results) {
      results.plan.shard = { index, of };
      results.plan.reference = reference.id;
      results.host.cpuModel = `CPU ${speed}`;
    },
  });
}

const shards = [
  shard(1, 3, 1, [{ id: 'swoole@8.4', label: NASTY, rps: 600, ...noise }]),
  shard(3, 3, 3, [
    { id: 'nginx-fpm@8.4', label: 'nginx-fpm', rps: 440, ...noise },
    { id: 'unit@8.4', label: 'unit', rps: 1, failure: { stage: 'build', reason: NASTY, log: '' } },
  ]),
];
const across = compareAcross(shards) as Across;

test.each([60, 120])('in a terminal of %d columns', async (width) => {
  const options = { width, color: false };
  const text = `${renderMissingLine(across, options)}\n\n${renderAcrossTable(across, options)}`;
  await expect(`${text}\n`).toMatchFileSnapshot(`__golden__/across-${width}.txt`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the question
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
});

test('as Markdown', async () => {
  const missing = renderMissing(across, [{ index: 2, variants: [NASTY] }]);
  const text = `${missing}\n\n${renderAcross(across)}`;
  await expect(`${text}\n`).toMatchFileSnapshot('__golden__/across.md');
});

test('labels that are cut keep their end', () => {
  const labels = [4, 16].map((workers) => `${'frankenphp'.repeat(8)}[workers=${workers}]`);
  const own = labels.map((label, i) => ({ id: `v${i}@8.4`, label, rps: 600 + 100 * i, ...noise }));
  const found = compareAcross([shard(1, 2, 1, own), shard(2, 2, 1, [])]) as Across;
  const texts = [renderAcross(found), renderAcrossTable(found, { width: 200, color: false })];
  const missing = renderMissing({ missing: [1], of: 2 }, [{ index: 1, variants: labels }]);
  for (const text of [...texts, missing])
    expect(text).toMatch(/…\S*\[workers=(4|16)\].*…\S*\[workers=(4|16)\]/s);
});

test('one machine without results and several', () => {
  const wanted = [1, 2, 3].map((index) => ({ index, variants: [`part ${index}`] }));
  const options = { width: 80, color: false };
  const one = { missing: [2], of: 3 };
  const two = { missing: [1, 2], of: 3 };
  expect(renderMissing(one, wanted)).toBe(
    '**No results of machine 2 of 3 (`part 2`).** Its variants are missing in the tables. See the log of its job.',
  );
  expect(renderMissing(two, wanted)).toBe(
    '**No results of machines 1 of 3 (`part 1`) and 2 of 3 (`part 2`).** Their variants are missing in the tables. See the logs of their jobs.',
  );
  expect(renderMissingLine(one, options)).toBe('No results of machine 2.');
  expect(renderMissingLine(two, options)).toBe('No results of machines 1 and 2.');
  const page = (missing: number[]) => renderHtml(shards.map(htmlGroup), { ...across, missing });
  expect(page([2])).toContain('No results of machine 2 of 3: what it was to measure');
  expect(page([1, 2])).toContain('No results of machines 1, 2 of 3: what they were to measure');
});

test('of 500 shards without results, and 500 variants in one, a few are named', () => {
  const variants = Array.from({ length: 500 }, (_, i) => `${i}${'<'.repeat(200)}`);
  const missing = Array.from({ length: 500 }, (_, i) => i + 1);
  const wanted = missing.slice(0, 3).map((index) => ({ index, variants }));
  const text = renderMissing({ missing, of: 500 }, wanted);
  expect(text).toMatch(/ and 497 others\)/);
  expect(text).toMatch(/ and 497 others\.\*\*/);
  // A label takes four times its columns when it is escaped.
  expect(text.length).toBeLessThan(4000);
  expect(renderMissingLine({ missing }, { width: 80, color: false }).length).toBeLessThan(80);
});

test('on the page: one table above those of each machine, and no ranking of their absolute numbers', () => {
  const html = renderHtml(shards.map(htmlGroup), across);
  const [, section = ''] = /<section class="card across">([\s\S]*?)<\/section>/.exec(html) ?? [];
  expect(html.indexOf('card across')).toBeLessThan(html.indexOf('class="group"'));
  expect(html.indexOf('No results of machine 2 of 3')).toBeLessThan(html.indexOf('card across'));
  expect(html).toContain('No results of machine 2 of 3');
  expect(section).not.toMatch(/<img|\u202e/);
  const rows = [...section.matchAll(/<tr[^>]*>(.*)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
  );
  expect(rows.map(([place, , machine]) => [place, machine])).toEqual([
    ['#', 'Machine'],
    ['1', '1'],
    ['2', '3'],
    ['3', 'all'],
  ]);
  expect(rows[2]?.[3]).toMatch(/^\+\d+(\.\d)? % \(\+.*…\+.*\)$/);
  expect(section).toContain('is not ranked');
});

test('the first is never a negative share ahead, as it can be by way of a third', () => {
  const [scenario] = across.scenarios as [Across['scenarios'][number]];
  const told = (metric: 'rps' | 'p99', ratio: number) => {
    const rows = scenario.rows.map((row, i) =>
      i === 1 ? { ...row, toFirst: { ratio, interval: null } } : row,
    );
    const text = renderAcross({ ...across, scenarios: [{ ...scenario, metric, rows }] });
    return /has the (?:highest RPS|lowest p99): (.*) `/.exec(text)?.[1];
  };
  expect(told('rps', 0.9)).toBe('11 % ahead of');
  expect(told('rps', 1.021)).toBe('ahead of');
  expect(told('p99', 2)).toBe('50 % below');
  expect(told('p99', 0.979)).toBe('below');
});

test('variants beyond the sixtieth are counted, those without a place too', () => {
  const [scenario] = across.scenarios as [Across['scenarios'][number]];
  const apart = scenario.rows.find(
    ({ place }) => place === null,
  ) as Across['scenarios'][number]['rows'][number];
  const placed = scenario.rows.filter(({ place }) => place !== null);
  const told = (count: number) =>
    renderAcross({
      ...across,
      scenarios: [{ ...scenario, rows: [...placed, ...Array.from({ length: count }, () => apart)] }],
    });
  expect(told(60)).not.toContain('more variant');
  expect(told(67)).toContain('7 more variants in the results of each machine.');
  expect(told(67).match(/is not ranked/g)).toHaveLength(60);
});

test('image sizes of machines with different image stores are not comparable', () => {
  const note = 'Image sizes are not comparable';
  const storing = (stores: readonly Results['host']['imageStore'][]) =>
    shards.map((results, i) => ({ ...results, host: { ...results.host, imageStore: stores[i] } }));
  const textOf = (list: Results[]) => renderAcross(compareAcross(list) as Across);
  expect(textOf(storing(['containerd', 'graph driver']))).toContain(
    `${note}: Docker has the image store containerd on machine 1 and graph driver on machine 3.`,
  );
  for (const stores of [['containerd', 'containerd'], ['containerd'], []] as const) {
    expect(textOf(storing(stores))).not.toContain(note);
  }
});

test('a ramp that goes beyond what variants sustain: plainly reported, nothing ranked, what failed named', () => {
  const broken = { stage: 'build', reason: NASTY, log: '' } as const;
  const ramps = [520, 1400].map((capacity, i) => {
    const results = makeProfile({
      servers: [
        { ...reference, capacity: 400 * (i + 1) },
        { id: `own${i}@8.4`, label: `own${i}`, rps: 1, capacity },
        ...(i === 0 ? [] : [{ id: 'unit@8.4', label: 'unit', rps: 1, capacity, failure: broken }]),
      ],
    });
    results.plan.shard = { index: i + 1, of: 2 };
    results.plan.reference = reference.id;
    return results;
  });
  const across = compareAcross(ramps) as Across;
  // A variant sustained the whole ramp of the second machine, but that is another machine.
  expect(
    across.scenarios[0]?.rows.map(({ label, place, toReference }) => [label, place, toReference]),
  ).toEqual([
    ['apache', null, null],
    ['own0', null, null],
    ['own1', null, null],
    ['unit', null, null],
  ]);
  const said = 'No ranking across machines: some variants did not sustain the whole ramp';
  const text = renderAcrossTable(across, { width: 200, color: false });
  expect(text).toContain(said);
  expect(text.match(/is not ranked/g)).toHaveLength(1);
  const markdown = renderAcross(across);
  expect(markdown).toContain(`**${said}`);
  expect(markdown).not.toMatch(/^\||mermaid|own[01]/m);
  const html = renderHtml(ramps.map(htmlGroup), across);
  const [, section = ''] = /<section class="card across">([\s\S]*?)<\/section>/.exec(html) ?? [];
  expect(section).toContain(said);
  expect(section).not.toContain('<table');
});
