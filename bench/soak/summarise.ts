/** Prints what the analysis finds in the traces of a file. See ./summarise. */
import { join } from 'node:path';
import { mean } from 'simple-statistics';
import { judge, readTraces, type Trace } from './trace.ts';

const [file = join(import.meta.dirname, 'data/soaks.ndjson')] = process.argv.slice(2);
const traces = readTraces(file);
const nameOf = ({ runtime, leak }: Trace) => `${runtime} | ${leak}`;

console.log(
  '| server | keeps | soaks | `leaks` | bytes a request: mean (least…most) | half of the interval | truth within |',
);
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const name of new Set(traces.map(nameOf))) {
  const group = traces.filter((trace) => nameOf(trace) === name);
  const leak = group[0]?.leak as number;
  const found = group.map((trace) => judge(trace)).filter((soak) => soak !== null);
  const slopes = found.map(({ bytesPerThousand: { value } }) => value / 1000);
  const halves = found.map(({ bytesPerThousand: { half } }) => half / 1000);
  const inside = slopes.filter((slope, i) => Math.abs(slope - leak) <= (halves[i] as number)).length;
  const cells = [
    ...[name, found.length, found.filter(({ leaks }) => leaks).length],
    `${mean(slopes).toFixed(1)} (${Math.min(...slopes).toFixed(1)}…${Math.max(...slopes).toFixed(1)})`,
    ...[`±${mean(halves).toFixed(1)}`, inside],
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
