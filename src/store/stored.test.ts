import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { fixtures } from '../../test/fixtures/results/make.ts';
import type { Results } from '../results/results.ts';
import { findResults, readOutput } from './stored.ts';

useFolder();

const made = () => JSON.parse(JSON.stringify(fixtures['one-start']?.())) as Results;
const file = () => join(folder, 'results.json');
const write = (results: unknown) => writeFileSync(file(), JSON.stringify(results));

test('results are read as they are, from a folder and from a file by itself', async () => {
  for (const make of [fixtures.journey, fixtures.script, fixtures['base-several']]) {
    const results = make?.();
    write(results);
    expect(await readOutput(folder)).toEqual(JSON.parse(JSON.stringify(results)));
    expect(await findResults(file())).toEqual(await readOutput(folder));
  }
  expect(await findResults(join(folder, 'none.json'))).toBe(null);
});

test('what is alike is in memory once', async () => {
  const results = made();
  write(results);
  const [slice, other] = (await readOutput(folder)).measurements;
  expect(slice?.endpoints[0]?.histogram).toBe(slice?.histogram);
  expect(slice?.endpoints[0]?.latency).toBe(slice?.latency);
  const pairs = new Set(slice?.histogram);
  expect(other?.histogram.some((pair) => pairs.has(pair))).toBe(true);
});

const search = { search: true, variant: 'apache@8.4', scenario: 'quick', instance: 0, probes: [] };

describe('refused, and what is wrong is named', () => {
  test.each<[string, (results: Results) => unknown, string | RegExp]>([
    [
      'a slice',
      (r) => ({ ...r, measurements: [r.measurements[0], { ...r.measurements[1], block: -1 }] }),
      /^measurements\.1\.block: /,
    ],
    ['a number for a slice', (r) => ({ ...r, measurements: [...r.measurements, 0] }), /^measurements\.0: /],
    ['only numbers for slices', (r) => ({ ...r, measurements: [0, 0] }), /^measurements\.0: /],
    ['a duet', (r) => ({ ...r, duets: [{ duet: true }] }), /^duets\.0\./],
    ['no list', (r) => ({ ...r, measurements: {} }), /^measurements: /],
    ['a list', () => [], /^schema: /],
    [
      'a scenario twice',
      (r) => ({ ...r, plan: { ...r.plan, scenarios: [...r.plan.scenarios, ...r.plan.scenarios] } }),
      'plan.scenarios: the same scenario twice',
    ],
    [
      'a variant twice',
      (r) => ({ ...r, variants: [...r.variants, r.variants[0]] }),
      'variants: the same variant twice',
    ],
    ['a search twice', (r) => ({ ...r, searches: [search, search] }), 'searches: the same search twice'],
    [
      'too many rows',
      (r) => ({
        ...r,
        plan: {
          ...r.plan,
          scenarios: Array.from({ length: 400 }, (_, i) => ({ ...r.plan.scenarios[0], name: `s${i}` })),
        },
        variants: Array.from({ length: 251 }, (_, i) => ({ ...r.variants[0], id: `v${i}` })),
      }),
      'more than 100000 variants × scenarios',
    ],
  ])('%s', async (_, change, found) => {
    write(change(made()));
    await expect(readOutput(folder)).rejects.toMatchObject({
      message: 'cannot read these results',
      detail: {
        where: { name: file() },
        found: expect.stringMatching(found),
        allowed: 'results of schema version 1',
      },
    });
  });

  test('a file that cannot be looked at', async () => {
    symlinkSync('results.json', file());
    await expect(readOutput(folder)).rejects.toMatchObject({
      message: 'cannot read these results',
      detail: { where: { name: file() }, found: expect.stringMatching(/^ELOOP: /) },
    });
    expect(await findResults(folder)).toBe(null);
  });

  test('a file that is too large is not even opened', async () => {
    write(made());
    truncateSync(file(), 1_073_741_825);
    await expect(readOutput(folder)).rejects.toMatchObject({
      message: 'these results are too large',
      detail: { where: { name: file() }, found: '1073741825 bytes', allowed: '1073741824 bytes at most' },
    });
  });
});
