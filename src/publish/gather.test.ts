import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { fixtures } from '../../test/fixtures/results/make.ts';
import { renderShards } from '../report/shards.ts';
import type { Results, Variant } from '../results/results.ts';
import { gatherResults, MAX_RESULTS_BYTES, readWanted, type WantedShards } from './gather.ts';

const wanted: WantedShards = [1, 2].map((index) => ({ index, of: 2, variants: [`part ${index}`] }));

useFolder();

function part(index: number, change: (results: Results) => unknown = () => {}): unknown {
  const results = (fixtures.quick as () => Results)();
  results.plan.shard = { index, of: 2 };
  results.plan.reference = results.variants[0]?.id ?? null;
  change(results);
  return results;
}

function put(name: string, content: unknown) {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, name, 'results.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
}

test('the shards in their order', async () => {
  put('b', part(1));
  put('a', part(2));
  const { results, refused } = await gatherResults(folder, wanted);
  expect(results.map(({ plan }) => plan.shard?.index)).toEqual([1, 2]);
  expect(refused).toEqual([]);
});

test('the one shard that there is, without a folder of its own', async () => {
  put('.', part(1));
  mkdirSync(join(folder, 'raw'));
  const { results, refused } = await gatherResults(folder, wanted);
  expect(results.map(({ plan }) => plan.shard?.index)).toEqual([1]);
  expect(refused).toEqual([]);
});

test.each([
  ['no JSON', '{', 'not JSON'],
  ['another form', { schema: 2 }, 'schema: '],
  [
    'a version that would be a link of its own',
    part(1, ({ tool }) => Object.assign(tool, { version: '1)(www.evil.example' })),
    'tool.version: ',
  ],
  ['a shard that was not asked for', part(3), 'not a shard of this run'],
  [
    'a whole run',
    part(1, (all) => {
      all.plan.shard = null;
    }),
    'not a shard of this run',
  ],
  [
    'numbers that are none',
    part(1, (all) => Object.assign(all.run, { wallSeconds: '1' })),
    'run.wallSeconds',
  ],
  [
    'too many variants',
    part(1, (all) => {
      all.variants = Array.from({ length: 201 }, (_, i) => ({ ...all.variants[0], id: `v${i}` }) as Variant);
    }),
    '201 variants, up to 200',
  ],
  [
    'a scenario that is there many times',
    part(1, (all) => {
      all.plan.scenarios = Array(40).fill(all.plan.scenarios[0]);
    }),
    'plan.scenarios: the same scenario twice',
  ],
])('refuses %s, and says so', async (_, content, why) => {
  put('x', content);
  const { results, refused } = await gatherResults(folder, wanted);
  expect(results).toEqual([]);
  expect(refused).toEqual([expect.stringContaining(why)]);
});

test('refuses a second one, a link, a file that is too large, and takes the rest', async () => {
  put('1', part(1));
  put('2', part(1));
  mkdirSync(join(folder, '3'));
  symlinkSync('/etc/passwd', join(folder, '3/results.json'));
  put('4', part(2));
  truncateSync(join(folder, '4/results.json'), MAX_RESULTS_BYTES + 1);
  symlinkSync(join(folder, '1'), join(folder, '5'));
  const { results, refused } = await gatherResults(folder, wanted);
  expect(results).toHaveLength(1);
  expect(refused).toEqual([
    '2: a newer result of the same shard exists',
    '3: there is no such file',
    `4: ${MAX_RESULTS_BYTES + 1} bytes; at most ${MAX_RESULTS_BYTES} are read`,
  ]);
});

test('a shard that was measured again: the newer results count, whatever their folder is called', async () => {
  const at = (started: string) => (all: Results) => Object.assign(all.run, { id: started, started });
  put('shard-1', part(1, at('2026-01-31T09:00:00.000Z')));
  put('shard-1-2', part(1, at('2026-01-31T11:00:00.000Z')));
  put('shard-2', part(2, at('2026-01-31T11:00:01Z')));
  put('shard-2-2', part(2, at('2026-01-31T10:59:00Z')));
  const { results, refused } = await gatherResults(folder, wanted);
  expect(results.map(({ run }) => run.id)).toEqual(['2026-01-31T11:00:00.000Z', '2026-01-31T11:00:01Z']);
  expect(refused.sort()).toEqual([
    'shard-1: a newer result of the same shard exists',
    'shard-2-2: a newer result of the same shard exists',
  ]);
});

test('of more artifacts than are read the newest attempt counts, and the report shows how many are left out', async () => {
  for (let attempt = 1; attempt <= 130; attempt++) {
    const started = new Date(Date.UTC(2026, 0, 31, 9, attempt)).toISOString();
    const isNewest = attempt === 130;
    put(`bench-shard-1-${attempt}`, isNewest ? part(1, (all) => Object.assign(all.run, { started })) : '{');
  }
  const { results, refused } = await gatherResults(folder, wanted);
  expect(results.map(({ run }) => run.started)).toEqual(['2026-01-31T11:10:00.000Z']);
  expect(refused).toContain('2 more artifacts: up to 128 are read');
  expect(refused).not.toContain('bench-shard-1-1: not JSON');
});

test('a folder that is not there has nothing', async () => {
  expect(await gatherResults(join(folder, 'missing'), wanted)).toEqual({ results: [], refused: [] });
});

test('the list of shards is compared with its form', async () => {
  const file = join(folder, 'shards.json');
  writeFileSync(file, JSON.stringify(wanted));
  expect(await readWanted(file)).toEqual(wanted);
  for (const wrong of [
    [],
    [{ ...wanted[0], of: 65 }],
    [{ ...wanted[0], variants: ['x'.repeat(2001)] }],
    '{',
  ]) {
    writeFileSync(file, JSON.stringify(wrong));
    await expect(readWanted(file)).rejects.toThrow('cannot be read');
  }
});

test('what is missing comes first, in every rendering', async () => {
  put('1', part(1));
  const { results } = await gatherResults(folder, wanted);
  const stages = renderShards(results, wanted);
  expect(stages).toHaveLength(3);
  for (const stage of stages) expect(stage).toMatch(/^\*\*No results of machine 2 of 2 \(`part 2`\)\.\*\*/);
  expect(renderShards([], wanted)).toEqual([
    expect.stringMatching(/^\*\*No results of machines 1 of 2 .* and 2 of 2/),
  ]);
});

test('texts of 10 MB are cut, whatever they are', async () => {
  const big = '<b>@x '.repeat(1_700_000);
  put(
    '1',
    part(1, (all) => {
      const [variant] = all.variants;
      const old = variant?.id;
      const id = big.slice(0, 1_000_000);
      Object.assign(variant as object, { id, label: big });
      for (const one of all.measurements) if (one.variant === old) one.variant = id;
      all.plan.reference = id;
    }),
  );
  put(
    '2',
    part(2, (all) =>
      Object.assign(all.variants[1] ?? {}, { failure: { stage: 'run', reason: big, log: big } }),
    ),
  );
  const { results, refused } = await gatherResults(folder, wanted);
  expect(refused).toEqual([]);
  expect(results[0]?.variants[0]?.label).toHaveLength(20_001);
  // The same variant still.
  expect(results[0]?.measurements.some(({ variant }) => variant === results[0]?.variants[0]?.id)).toBe(true);
  const stages = renderShards(results, wanted);
  expect(stages[0]?.length).toBeLessThan(3_000_000);
  expect(stages.at(-1)?.length).toBeLessThan(65_000);
});

test('text of a stranger stays text', async () => {
  put(
    '1',
    part(1, (all) => {
      for (const variant of all.variants) {
        variant.label = `<img src=x>|@everyone \${{ secrets.X }} [x](https://evil.example) ::error::${'y'.repeat(100_000)}`;
      }
    }),
  );
  put('2', part(2));
  const { results } = await gatherResults(folder, wanted);
  for (const stage of renderShards(results, wanted)) {
    expect(stage).not.toMatch(/<img|@everyone|\]\(https:\/\/evil|^::error/m);
  }
  expect(renderShards(results, wanted).at(-1)?.length).toBeLessThan(65_000);
});
