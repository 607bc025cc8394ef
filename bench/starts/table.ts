// Prints what study.ts measured as the table of docs/evidence.md: table.ts FILE.ndjson…

import { readFileSync } from 'node:fs';
import { type Reading, summarise } from './summarise.ts';

const rows = process.argv
  .slice(2)
  .flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))
  .map((line): Partial<Reading> => JSON.parse(line))
  .filter((row): row is Reading => row.requests !== undefined);

console.log('| arm | loaded | rounds | µs per request | SD of a start in a window | of it from the start |');
console.log('| --- | --- | ---: | ---: | ---: | ---: |');
for (const line of summarise(rows)) {
  const { arm, turnMs, rounds, usPerRequest, totalPercent, startPercent, startBelowPercent } = line;
  const how = turnMs === 0 ? 'all together' : `turns of ${turnMs} ms`;
  const below = startBelowPercent === null ? '' : ` (< ${startBelowPercent.toFixed(2)} %)`;
  const start = startPercent === null ? '–' : `${startPercent.toFixed(2)} %${below}`;
  const cells = [arm, how, rounds, usPerRequest.toFixed(0), `${totalPercent.toFixed(2)} %`, start];
  console.log(`| ${cells.join(' | ')} |`);
}
