import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const scenarios = resolve(import.meta.dirname, '../../scenarios');

type Parts = Readonly<Record<string, readonly RegExp[]>>;

/** The proof of requests sent again, in scenarios/lib. */
const PROOF: Parts = {
  'main.js': [/^import \{ watchResent \}.*\n/m, /^watchResent\(http\);\n/m],
  'bench.js': [
    /^import \{ countResent.*\n/m,
    /^let instance = null;\n/m,
    /^ {2}if \(by === null\) instance = .*\n/m,
    /^ {2}const fromMs = .*\n/m,
    /^ {2}else if \(response\.timings[\s\S]*?;\n/m,
  ],
};
/** The comparison. */
const COMPARISON: Parts = {
  'main.js': [
    /^ {2}if \(slice !== current\) enter\(slice\);\n/m,
    /^ {2}if \(from >= clock\.nextMs\) clock\.due = true;\n/m,
  ],
  'bench.js': [
    /^ {2}const reads = .*\n/m,
    /^ {4}reads \|\|\n/m,
    /^.*\n {2}if \(status === clock\.usual.*\n/m,
    /^ {2}else if \(by === null[\s\S]*?\n {2}\}\n/m,
  ],
};

/** Each copy, and what it lacks. */
export const COPIES = {
  bare: [PROOF, COMPARISON],
  compared: [PROOF],
  full: [],
} as const satisfies Record<string, readonly Parts[]>;

/** Variable in main.js for the last slice of a client. */
const LAST_SLICE = 'here.slice';

/** Writes scenarios/ without some parts. Each of them has to be there once, so that a change of it is no silent one. */
export function writeCopy(folder: string, lacks: readonly Parts[]): void {
  mkdirSync(folder);
  for (const part of ['lib', 'journeys'])
    cpSync(join(scenarios, part), join(folder, part), { recursive: true });
  for (const [file, parts] of lacks.flatMap((one) => Object.entries(one))) {
    const path = join(folder, 'lib', file);
    writeFileSync(
      path,
      parts.reduce((text, part) => without(text, part, file), readFileSync(path, 'utf8')),
    );
  }
  // A client goes from copy to copy, so that all have to know whose turn was last.
  const path = join(folder, 'lib/main.js');
  const text = readFileSync(path, 'utf8');
  if (text.split(LAST_SLICE).length !== 3)
    throw new Error(`scenarios/lib/main.js: ${LAST_SLICE} is not there twice`);
  writeFileSync(path, text.replaceAll(LAST_SLICE, 'globalThis.lastSlice'));
}

function without(text: string, part: RegExp, file: string): string {
  const parts = text.split(part);
  if (parts.length !== 2)
    throw new Error(`scenarios/lib/${file}: ${part} is there ${parts.length - 1} times`);
  return parts.join('');
}
