import { describe, expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import { ramp } from '../../../test/fixtures/results/profile.ts';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { Row, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { Results } from '../../results/results.ts';
import { numberColumns } from '../view/ranking.ts';
import { CSV_COLUMNS, renderCsv } from './csv.ts';

type Line = Record<string, string>;

/** As RFC 4180 has it, and nothing beside it. */
function parseCsv(text: string): Line[] {
  const [head = [], ...lines] = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const cells = [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g)];
      expect(cells.map(([all]) => all).join('')).toBe(`,${line}`);
      return cells.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '');
    });
  return lines.map((cells) => {
    expect(cells).toHaveLength(head.length);
    return Object.fromEntries(head.map((name, i) => [name, cells[i] ?? '']));
  });
}

const linesOf = (name: string) => parseCsv(renderCsv([summaryOf(name)]));

/** Those of a variant with all of its requests. */
const isWhole = ({ endpoint }: Line) => endpoint === '';

describe('a line for each variant, scenario and endpoint', () => {
  test.each([
    ['mixed', 7, [1, 1, 1, 1, 0, 0, 0]],
    ['journey', 3, [4, 4, 4]],
    ['base', 6, [1, 1, 1, 1, 1, 1]],
    ['base-several', 8, [1, 1, 1, 1, 1, 1, 1, 1]],
  ])('%s', (name, variants, endpoints) => {
    const lines = linesOf(name);
    const starts = lines.flatMap((line, i) => (isWhole(line) ? [i] : []));
    expect(starts).toHaveLength(variants);
    expect(starts.map((start, i) => (starts[i + 1] ?? lines.length) - start - 1)).toEqual(endpoints);
    const keys = lines.map(({ scenario, variant, endpoint }) =>
      JSON.stringify([scenario, variant, endpoint]),
    );
    expect(new Set(keys).size).toBe(lines.length);
  });

  test('endpoints add up to the whole, and have none of what only the whole has', () => {
    const lines = linesOf('journey');
    const variant = 'apache@8.4';
    const [whole, ...parts] = lines.filter((line) => line.variant === variant) as [Line, ...Line[]];
    const names = ['GET /', 'POST /register', 'POST /login', 'GET /user'];
    expect(parts.map(({ endpoint }) => endpoint)).toEqual(names);
    const sum = (key: string) => parts.reduce((total, part) => total + Number(part[key]), 0);
    for (const key of ['requests', 'okCount']) expect(sum(key)).toBe(Number(whole[key]));
    expect(sum('rps')).toBeCloseTo(Number(whole.rps), 6);
    const rank = Number(whole.rank);
    expect(rank).toBeGreaterThan(0);
    for (const part of parts) {
      expect(Number(part.p99Ms)).toBeGreaterThan(Number(part.p50Ms));
      expect([part.rank, part.cpuMsPerRequest, part.referenceRpsRatio]).toEqual(['', '', '']);
    }
  });
});

describe('columns', () => {
  test.each(['quick', 'mixed', 'journey', 'base', 'one-start'])('are the same in all: %s', (name) => {
    expect(renderCsv([summaryOf(name)]).split('\n')[0]).toBe(CSV_COLUMNS.join(','));
  });

  test('are there where nothing was measured, and each once', () => {
    expect(renderCsv([])).toBe(`${CSV_COLUMNS.join(',')}\n`);
    expect(new Set(CSV_COLUMNS).size).toBe(CSV_COLUMNS.length);
  });

  test('hold what the summary holds, unrounded', () => {
    const [row] = summaryOf('base').scenarios[0]?.rows ?? [];
    const [line] = linesOf('base');
    expect(line).toMatchObject({
      run: 'r-20260131-090000',
      scenario: 'quick',
      variant: 'apache@8.4',
      ref: '',
    });
    expect(line).toMatchObject({ state: 'ranked', rank: '1', basePrimary: 'cpu', baseCpuVerdict: 'slower' });
    for (const [key, value] of [
      ['rps', row?.rps?.value],
      ['rpsHalf', row?.rps?.half],
      ['p99Ms', row?.latency?.percentiles.find(({ p }) => p === 99)?.ms],
      ['p99_9Ms', row?.latency?.percentiles.find(({ p }) => p === 99.9)?.ms],
      ['cpuMsPerRequest', row?.cpuMsPerRequest?.value],
      ['memoryMedianBytes', row?.memory?.medianBytes],
    ] as const) {
      expect(value).toBeTypeOf('number');
      expect(Number(line?.[key])).toBe(value);
    }
    expect(linesOf('base').at(-1)).toMatchObject({ state: 'base', endpoint: '/', ref: 'base' });
  });

  test.each(['mixed', 'script', 'base', 'ramp', 'soak'])('have each number of the ranking: %s', (name) => {
    const summary =
      name === 'ramp' ? analyse(ramp()) : structuredClone(summaryOf(name === 'soak' ? 'quick' : name));
    const [scenario] = summary.scenarios as [ScenarioSummary];
    const soak = { bytesPerThousand: { value: 12.5, half: 3 }, decay: { value: -0.02, half: 0.01 } };
    const capacity = { value: 123, half: 4, kind: 'found', probes: [] };
    if (name === 'soak') Object.assign(scenario.rows[0] as Row, { soak, capacity });
    const lines = parseCsv(renderCsv([summary])).filter(isWhole);
    const missing = numberColumns(scenario).filter(({ sort }) => {
      const wanted = scenario.rows.map((row) => String(sort(row) ?? ''));
      return !CSV_COLUMNS.some((column) => wanted.every((value, i) => lines[i]?.[column] === value));
    });
    expect(missing.map(({ key }) => key)).toEqual([]);
  });

  test('of a ramp have what it held, and what was answered up to there', () => {
    const lines = parseCsv(renderCsv([analyse(ramp())])).filter(isWhole);
    const found = lines.filter(({ holdsKind }) => holdsKind === 'found');
    expect(found).toHaveLength(2);
    for (const line of found) {
      expect(Number(line.holdsRps)).toBeGreaterThan(400);
      expect(Number(line.holdsP50Ms)).toBeGreaterThan(0);
    }
  });

  test('separate runs', () => {
    const other = { ...summaryOf('journey'), run: { ...summaryOf('journey').run, id: 'r-2' } };
    const lines = parseCsv(renderCsv([summaryOf('quick'), other]));
    expect(new Set(lines.map(({ run }) => run))).toEqual(new Set(['r-20260131-090000', 'r-2']));
  });
});

describe('nothing that a spreadsheet would run', () => {
  test.each([
    '=cmd|" /C calc"!A0',
    '+1+1',
    '-2+3',
    '@SUM(1+1)*cmd|x',
    '\t=1+1',
    '\r\n=1+1',
    '\u202e=1+1',
    '\u001b[31m=1+1',
    ' \u00a0=1+1',
    '＝1+1',
    '＠SUM(1)',
    'a;=1+1',
    '"; -1',
    '",=1+1,"',
  ])('%j', (text) => {
    const summary = structuredClone(summaryOf('quick')) as Summary;
    const [row] = summary.scenarios[0]?.rows ?? [];
    Object.assign(row as object, { label: text });
    Object.assign(row?.endpoints[0] as object, { name: text });
    const lines = parseCsv(renderCsv([summary]));
    expect(lines).toHaveLength(6);
    for (const cell of [lines[0]?.label, lines[1]?.label, lines[1]?.endpoint]) {
      for (const part of (cell as string).split(';')) expect(part).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
      // Only marks are added: the text is there.
      const marked = cell?.replaceAll(/(^|;)'/g, '$1').trim();
      expect(marked).toBe(
        text
          .replaceAll(/[\t\r\n\u202e]/g, '')
          .replace('\u001b[31m', '')
          .trim(),
      );
    }
  });

  test('a number below zero stays a number', () => {
    const summary = structuredClone(summaryOf('quick')) as Summary;
    const soak = { bytesPerThousand: { value: -12.5, half: 3 }, leaks: false, decay: null };
    Object.assign(summary.scenarios[0]?.rows[0] as object, { soak: { ...soak, requests: 1, seconds: 1 } });
    expect(parseCsv(renderCsv([summary]))[0]).toMatchObject({
      memoryBytesPerThousand: '-12.5',
      leaks: 'false',
    });
  });
});

describe('functions that were profiled', () => {
  test('have a line each, which has nothing of the load', () => {
    const lines = linesOf('why').filter((line) => line.variant === 'apache@8.4');
    const functions = lines.filter((line) => line.function !== '');
    // The variant as a whole, and its only endpoint.
    expect(lines.length - functions.length).toBe(2);
    expect(functions.length).toBeGreaterThan(5);
    const [first] = functions as [Line];
    expect(first).toMatchObject({
      ...{ function: 'App\\Repository::find', functionFile: 'src/Repository.php', functionLine: '41' },
      ...{
        functionCode: 'own',
        functionChanged: 'true',
        selfChangeSure: 'true',
        requests: '',
        rps: '',
        baseCpuRatio: '',
      },
    });
    expect(Number(first.selfUs) - Number(first.baseSelfUs)).toBeCloseTo(18, 5);
    expect(Number(first.selfChangeLowUs)).toBeGreaterThan(0);
    expect(linesOf('base').every((line) => line.function === '')).toBe(true);
    expect(linesOf('why-alone').every((line) => line.baseSelfUs === '')).toBe(true);
  });

  test('a file whose name is a formula is text', () => {
    const results = fixtures.why?.() as Results;
    const named = { name: '=1+1', file: '=cmd|x/a.php', line: 1 };
    results.profiles = results.profiles.map((profile) => ({
      ...profile,
      frames: profile.frames.map(() => named),
    }));
    const lines = parseCsv(renderCsv([analyse(results)])).filter((line) => line.function !== '');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect([line.function, line.functionFile]).toEqual(["'=1+1", "'=cmd|x/a.php"]);
  });

  test('a hostile name is a cell', () => {
    const names = linesOf('why-hostile').map((line) => line.function);
    expect(names).toContain(
      'App\\</script><img src=x onerror=alert(1)>|@octocat `#12` **x** [y](https://evil.example)::find',
    );
  });
});

describe('counts', () => {
  test('stand with those of the other version and the verdict', () => {
    const [slower, same] = linesOf('counts').filter(isWhole) as [Line, Line];
    expect(slower).toMatchObject({
      ...{ countQueries: '14', countQueriesAgainst: '3', countQueriesVerdict: 'more' },
      ...{ countRowsRead: '300', countRowsReadAgainst: '36', countRowsReadVerdict: 'more' },
      ...{ countRowsWritten: '1', countRowsWrittenAgainst: '1', countRowsWrittenVerdict: 'same' },
      ...{ countInstructions: '', countInstructionsAgainst: '', countInstructionsVerdict: '' },
    });
    expect(Number(slower.countCacheMisses)).toBeCloseTo(2.0917, 4);
    expect(same).toMatchObject({ countQueries: '3', countQueriesVerdict: 'same' });
  });

  test('without another version have no verdict on the reference itself', () => {
    const [first, second] = linesOf('counts-alone').filter(isWhole) as [Line, Line];
    expect([first.countQueries, first.countQueriesAgainst, first.countQueriesVerdict]).toEqual(['3', '', '']);
    expect([second.countQueries, second.countQueriesVerdict]).toEqual(['14', 'more']);
  });
});
