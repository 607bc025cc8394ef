import type { Count } from '../../results/results.ts';

/** One request of a counting pass, as runtimes/_profile/files/count.php writes it. */
interface RequestLine {
  errors: [number, number, number];
  seen: boolean;
  files: number;
  memoryBytes: number;
  /** Misses of opcache in the request; null: not known. */
  misses: number | null;
}

/**
 * Counts per request of one repeat; an app with an error handler of its own hides what is raised. Pure.
 *
 * @param requests those of the load. PHP may answer fewer, or also those that the app sends to itself.
 * @param around lines of what a script does before and after its load, which are among those of `text`
 */
export function readCountLines(
  text: string,
  requests: number,
  around = '',
): { values: Map<string, number>; requests: number; hidden: boolean } {
  const [lines, others] = [readLines(text), readLines(around)];
  const answered = Math.max(0, lines.length - others.length);
  const values = new Map<string, number>();
  const sum = (of: (line: RequestLine) => number) => total(lines.map(of)) - total(others.map(of));
  const hidden = lines.some(({ seen }) => !seen);
  if (answered > 0) {
    if (!hidden) {
      for (const [i, name] of ['notices', 'warnings', 'deprecations'].entries())
        values.set(name, sum(({ errors }) => errors[i] as number) / requests);
    }
    values.set('included-files', sum(({ files }) => files) / requests);
    values.set('peak-memory', sum(({ memoryBytes }) => memoryBytes) / answered);
    if (lines.every(({ misses }) => misses !== null))
      values.set('opcache-misses', sum(({ misses }) => misses ?? 0) / requests);
  }
  return { values, requests: answered, hidden };
}

const readLines = (text: string): RequestLine[] => text.split('\n').flatMap((line) => parseLine(line) ?? []);
const total = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Untrusted: an app can write into the file, too. */
function parseLine(text: string): RequestLine | null {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(line) || line.length !== 7) return null;
  const [notices, warnings, deprecations, seen, files, memoryBytes, misses] = line;
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  if (![notices, warnings, deprecations, files, memoryBytes].every(isCount)) return null;
  if (typeof seen !== 'boolean' || (misses !== null && !isCount(misses))) return null;
  return { errors: [notices, warnings, deprecations], seen, files, memoryBytes, misses };
}

/** Repeats of a variant; what only some of them have is left out. */
export function joinRepeats(repeats: readonly ReadonlyMap<string, number>[]): Count['values'] {
  const names = [...(repeats[0]?.keys() ?? [])].filter((name) => repeats.every((one) => one.has(name)));
  return names.map((name) => ({ name, perRequest: repeats.map((one) => one.get(name) as number) }));
}

/**
 * Why PHP may have written no line. Pure.
 *
 * @param extensions those of the server in the pass; null: unknown
 */
export function explainNoLines(
  { model, isGiven }: { model: 'per-request' | 'long-lived'; isGiven: boolean },
  extensions: readonly string[] | null,
): string {
  if (isGiven && extensions && !extensions.includes('bench_errors'))
    return 'the counter was not loaded: this runtime does not read BENCH_INI, or its PHP cannot load the extension';
  const isLoaded = isGiven && extensions !== null;
  const causes = [
    ...(isLoaded ? [] : ['this runtime may not read BENCH_INI']),
    'the app may set `auto_prepend_file` or `open_basedir`',
    ...(model === 'long-lived' ? ['the server may load the app without worker.php'] : []),
    ...(isGiven || model === 'long-lived' ? [] : ['a shutdown function of the app may call exit()']),
  ];
  return `PHP wrote no counts: ${causes.join(', or ')}`;
}
