/** Errors in the log of k6. Untrusted text: a script prints there, too. */
export interface K6Log {
  /** Iterations that ended with an exception, and the first of them. */
  thrown: { count: number; first: string | null };
  /** Lines of `console.error`, and the first of them. */
  printed: { count: number; first: string | null };
  /** The script ended itself, for this reason; null: it did not. */
  aborted: string | null;
  /** Why the script marked the test as failed; null: it did not. */
  failed: string | null;
  /** The error in `setup` or `teardown` that k6 ended with; null: there is none. */
  ended: string | null;
}

/** First word of the last line, which counts what may be left out of the log. k6 writes no line that begins so. */
export const COUNTS = 'bench-counts';
/** Exit code of a k6 whose script called `exec.test.abort`. */
const ABORTED = 108;
/** Exit codes of a k6 whose `setup` took too long, or whose `setup` or `teardown` threw; 255: an async one. */
const ENDED = [100, 107, 255];
/** Lines about exceptions and a teardown without an end, as a pattern of grep, too. Those of async functions have no source. */
export const THROWN = 'source=stacktrace$|msg="(Uncaught [(]in promise|teardown[(])[)]';
const NO_REASON = 'no reason given';
const FIRST_CHARACTERS = 300;
/** The path of a script in the arena. Its last part is the place in the user's folder. */
const USER_FILE = /file:\/\/\/tmp\/bench\/user\/\d+\/project\/(.*?:\d+:\d+)/;

/** A line of k6 at level `error`. A script cannot forge it: k6 escapes the quotes in its messages. */
const ERROR = /time="[^"]*" level=error msg=/;
/** Errors of a script with which k6 ends. Those of iterations have an executor. */
const ENDING =
  / hint="script exception"| msg="(setup|teardown)\(\) execution timed out| msg="Uncaught \(in promise\)(?!.* executor=)/;

/** @param exitCode null: not known, as of a pod, so that the log alone shows how k6 ended */
export function parseLog(text: string, exitCode: number | null): K6Log {
  const lines = text.split('\n');
  const counts = lines.findLast((line) => line.startsWith(COUNTS))?.split(' ') ?? [];
  const errors = lines.filter((line) => ERROR.test(line) && !line.includes('msg="bench-sample '));
  const [printed, own] = [true, false].map((isPrinted) =>
    errors.filter((line) => line.endsWith(' source=console') === isPrinted),
  ) as [string[], string[]];
  const thrown = new RegExp(THROWN);
  const say = (line: string | undefined) => (line === undefined ? null : messageOf(line));
  const read = (all: readonly string[], count: string | undefined) => ({
    count: Number(count ?? all.length),
    first: say(all[0]),
  });
  const reasonOf = (what: string) => {
    const line = own.find((one) => one.includes(` msg="${what}`));
    return line?.includes(`${what}: `) ? messageOf(line.replace(`${what}: `, '')) : line && NO_REASON;
  };
  const aborted = reasonOf('test aborted');
  const isAborted = exitCode === null ? aborted !== undefined : exitCode === ABORTED;
  const last = exitCode === null ? own.findLast((line) => ENDING.test(line)) : own.at(-1);
  return {
    thrown: read(
      own.filter((line) => thrown.test(line) && !(exitCode === null && ENDING.test(line))),
      counts[1],
    ),
    printed: read(printed, counts[2]),
    // k6 itself gives up with the same code, as where it finds no browser.
    aborted: isAborted ? (aborted ?? say(own.at(-1)) ?? NO_REASON) : null,
    failed: reasonOf('test marked as failed') ?? null,
    ended: exitCode === null || ENDED.includes(exitCode) ? say(last) : null,
  };
}

/** Logs of several generators that made one load. */
export function mergeLogs(logs: readonly K6Log[]): K6Log {
  const firstOf = (of: (log: K6Log) => string | null) => logs.map(of).find((text) => text) ?? null;
  const merge = (of: (log: K6Log) => K6Log['thrown']) => ({
    count: logs.reduce((sum, log) => sum + of(log).count, 0),
    first: firstOf((log) => of(log).first),
  });
  return {
    thrown: merge(({ thrown }) => thrown),
    printed: merge(({ printed }) => printed),
    aborted: firstOf(({ aborted }) => aborted),
    failed: firstOf(({ failed }) => failed),
    ended: firstOf(({ ended }) => ended),
  };
}

/** `TypeError: x is undefined (shop.js:7:24)` from a line of logfmt. */
export function messageOf(line: string): string {
  const message = unquoted(line);
  const [first = '', ...stack] = message.trim().split('\n');
  const place = stack.map(placeOf).find((found) => found !== null) ?? placeOf(first);
  // The words of k6 around an exception, and around that of its `fail`.
  const said = first
    .replace(/^(Uncaught \(in promise\) )?(GoError: )?/, '')
    .replace(/ at \S+ \(file:.*$/, '')
    .slice(0, FIRST_CHARACTERS);
  return place === null || said.includes(place) ? said : `${said} (${place})`;
}

/** The place in the user's files: `lib/shop.js:7:24`. */
function placeOf(line: string): string | null {
  return USER_FILE.exec(line)?.[1] ?? null;
}

/** The message of a line of logfmt, as it was before k6 quoted it. */
export function unquoted(line: string): string {
  const quoted = /\bmsg=("(?:[^"\\]|\\.)*"|\S+)/.exec(line)?.[1] ?? line;
  return quoted.startsWith('"') ? unquote(quoted) : quoted;
}

/** A Go-quoted string; JSON reads what both know. */
function unquote(quoted: string): string {
  try {
    return JSON.parse(
      quoted.replace(/\\(?:x([0-9a-f]{2})|U000([0-9a-f]{5})|[av])/g, (_, x, u) => escapeOf(x ?? u)),
    );
  } catch {
    return quoted.slice(1, -1);
  }
}

function escapeOf(hex: string | undefined): string {
  if (hex === undefined) return ' ';
  return JSON.stringify(String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff))).slice(1, -1);
}
