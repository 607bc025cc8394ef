import { expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { makeProfile } from '../../test/fixtures/results/profile.ts';
import { appendRecords, readHistory } from './file.ts';
import { HistoryRecord, recordsOf } from './history-record.ts';

const servers = [
  { id: 'apache@8.4', label: 'a\u0000<b>\nc', rps: 400, instanceSd: 0.006, sliceSd: 0.008 },
  { id: 'swoole@8.4', label: 'swoole', rps: 600, instanceSd: 0.006, sliceSd: 0.008 },
  {
    ...{ id: 'nginx-fpm@8.4', label: 'fpm', rps: 500 },
    failure: { stage: 'build' as const, reason: 'no image', log: '' },
  },
];
const results = () => makeResults({ servers, instances: 8 });
const records = recordsOf(results(), 'c0ffee');

test('a line for each variant and scenario, as the schema has it', () => {
  for (const record of records) expect(HistoryRecord.parse(record)).toEqual(record);
  expect(records.map(({ variant, state }) => [variant, state])).toEqual([
    ['swoole@8.4', 'ranked'],
    ['apache@8.4', 'ranked'],
    ['nginx-fpm@8.4', 'failed'],
  ]);
  const [swoole, apache, fpm] = records;
  expect(swoole).toMatchObject({
    ...{
      v: 1,
      date: '2026-01-31T09:00:00.000Z',
      commit: 'c0ffee',
      scenario: 'quick',
      load: 'vus(8, 1s)',
      shard: null,
    },
    toReference: { variant: 'apache@8.4', metric: 'rps', interval: { low: expect.any(Number) } },
  });
  expect(swoole?.rps?.value).toBeGreaterThan(590);
  expect(swoole?.rps?.half).toBeGreaterThan(0);
  expect(swoole?.rps?.n).toBe(8);
  expect(swoole?.toReference?.ratio).toBeCloseTo(1.5, 1);
  expect(apache).toMatchObject({ label: 'a<b> c', toReference: null });
  expect(fpm).toMatchObject({ rps: null, p99Ms: null, memoryBytes: null });
  // Years of them are read at once.
  for (const record of records) expect(JSON.stringify(record).length).toBeLessThan(1200);
});

test('the slices of one start are no fresh starts', () => {
  const [record] = recordsOf(makeResults({ servers, instances: 1, scenario: { blocks: 5 } }), null);
  expect(record?.rps).toMatchObject({ n: 1, half: expect.any(Number) });
});

test('a run that was cut short adds nothing', () => {
  const cut = results();
  cut.run.stopped = 'SIGINT';
  expect(recordsOf(cut, null)).toEqual([]);
});

test('appending twice adds once', () => {
  const first = appendRecords('', records);
  expect(first.added).toBe(3);
  expect(readHistory(first.lines)).toEqual({ records, corrupt: [] });
  expect(appendRecords(first.lines, records)).toEqual({ lines: '', added: 0, corrupt: [] });
});

test('what cannot be read is reported, and the rest is read', () => {
  const good = JSON.stringify(records[0]);
  const text = `${good}\n{"v":1\n\n<<<<<<< HEAD\n{"v":2}\nnull\n${JSON.stringify({ ...records[1], rps: 'fast' })}`;
  const { records: read, corrupt } = readHistory(text);
  expect(read).toEqual([records[0]]);
  expect(corrupt).toEqual([
    { line: 2, why: 'not JSON' },
    { line: 4, why: 'not JSON' },
    { line: 5, why: expect.stringMatching(/^v: /) },
    { line: 6, why: expect.any(String) },
    { line: 7, why: expect.stringMatching(/^rps: /) },
  ]);
  // The last line has no end: a record begins on a line of its own.
  const { lines, added } = appendRecords(text, records);
  expect(added).toBe(2);
  expect(readHistory(text + lines).records).toHaveLength(3);
});

test('a count of failed requests is none, and a mean over paths has their mark', () => {
  const counted = (failures: number, ...endpoints: string[]) =>
    recordsOf(
      makeResults({
        servers: [{ id: 'a', rps: 400 }],
        change: ({ counts }) =>
          counts.push(
            ...endpoints.map((endpoint, i) => ({
              ...{
                count: true as const,
                variant: 'a',
                scenario: 'quick',
                instance: 0,
                by: 'php' as const,
                endpoint,
              },
              ...{ requests: 20, failures, values: [{ name: 'instructions', perRequest: [i + 1, i + 1] }] },
            })),
          ),
      }),
      null,
    )[0]?.counts?.instructions;
  expect(counted(1, '/')).toBeUndefined();
  const [both, again, one] = [counted(0, '/', '/b'), counted(0, '/', '/b'), counted(0, '/b')];
  expect(both).toMatchObject({ value: 1.5, paths: again?.paths });
  expect(one?.paths).not.toBe(both?.paths);
});

test('latency of a ramp that went beyond its saturation point is no number of the history', () => {
  const [cut] = recordsOf(makeProfile({ servers: [{ id: 'a', rps: 1, capacity: 300 }], instances: 3 }), null);
  expect(cut).toMatchObject({ state: 'ranked', p50Ms: null, cpuMsPerRequest: { n: 3 } });
  const [whole] = recordsOf(
    makeProfile({ servers: [{ id: 'a', rps: 1, capacity: 3000 }], instances: 3 }),
    null,
  );
  expect(whole?.p50Ms).toMatchObject({ n: 3 });
});
