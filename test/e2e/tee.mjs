// Writes what a step prints to a file, too: act loses what a failing step printed last.
import { appendFileSync } from 'node:fs';

const file = process.env.BENCH_PRINTED;
if (file) {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (chunk, ...rest) => {
      appendFileSync(file, chunk);
      return write(chunk, ...rest);
    };
  }
}
