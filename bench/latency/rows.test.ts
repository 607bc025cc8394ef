import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMachine } from './rows.ts';

const file = (name: string) => join(import.meta.dirname, 'data', name);

test('a file that is gone on with has the capacity that its loads are shares of', () => {
  expect(readMachine(file('2026-11-21.ndjson'))?.capacityRps).toBe(19_792);
  expect(readMachine(file('none.ndjson'))).toBeUndefined();
});
