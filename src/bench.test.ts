import { expect, test } from 'vitest';
import { untilStopped } from './bench.ts';
import type { Host } from './host.ts';
import type { RecordFile } from './stages/record-file.ts';

test('a run that fails, and whose report then fails, throws its first error', async () => {
  let reports = 0;
  const file = {
    record: {
      get beginning() {
        reports++;
        throw new Error('the report failed');
      },
    },
  } as unknown as RecordFile;
  const desk = {
    host: { elapsed: () => 0 } as Host,
    caller: { version: '', packageRoot: '', command: [], say: () => {}, at: () => {} },
    signal: new AbortController().signal,
  };
  const first = new Error('the measurement failed');
  await expect(untilStopped(desk, file, () => Promise.reject(first))).rejects.toBe(first);
  expect(reports).toBe(1);
});
