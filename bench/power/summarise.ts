/** Prints the summary of a data file. See ./summarise. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readLines } from './data.ts';
import { readSeries, summarise } from './summary.ts';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { again: { type: 'boolean', default: false } },
  });
  const [file = join(import.meta.dirname, 'data/series.ndjson')] = positionals;
  console.log(summarise(readSeries(readLines(file), values.again)));
} catch (error) {
  console.error(`power: ${(error as Error).message}`);
  process.exitCode = 2;
}
