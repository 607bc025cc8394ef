/** Log of k6 at level `error`. Untrusted text: a script prints there, too. */
export interface K6Log {
  /** Iterations that ended with an exception, and the first of them. */
  thrown: { count: number; first: string | null };
  /** Lines of `console.error`, and the first of them. */
  printed: { count: number; first: string | null };
  /** The script ended itself, for this reason; null: it did not. */
  aborted: string | null;
}

/** First word of the last line, which counts what may be left out of the log. k6 writes no line that begins so. */
export const COUNTS = 'bench-counts';
/** Exit code of a k6 whose script called `exec.test.abort`. */
const ABORTED = 108;
const FIRST_CHARACTERS = 300;
/** The path of a script in the arena. Its last part is the place in the user's folder. */
const USER_FILE = /file:\/\/\/tmp\/bench\/user\/\d+\/project\/(.*?:\d+:\d+)/;

export function parseLog(text: string, exitCode: number): K6Log {
  const lines = text.split('\n');
  const counts = lines.findLast((line) => line.startsWith(COUNTS))?.split(' ') ?? [];
  const find = (is: (line: string) => boolean) => {
    const line = lines.find(is);
    return line === undefined ? null : messageOf(line);
  };
  const aborted = find((line) => /\blevel=error msg="test aborted: /.test(line));
  return {
    thrown: { count: Number(counts[1] ?? 0), first: find((line) => line.endsWith(' source=stacktrace')) },
    printed: {
      count: Number(counts[2] ?? 0),
      first: find((line) => line.endsWith(' source=console') && !line.includes('msg="bench-sample ')),
    },
    aborted: exitCode === ABORTED ? (aborted?.replace(/^test aborted: /, '') ?? 'no reason given') : null,
  };
}

/** `TypeError: x is undefined (shop.js:7:24)` from a line of logfmt. */
export function messageOf(line: string): string {
  const message = unquoted(line);
  const [first = '', ...stack] = message.trim().split('\n');
  const place = stack.map(placeOf).find((found) => found !== null) ?? placeOf(first);
  const said = first.replace(/ at \S+ \(file:.*$/, '').slice(0, FIRST_CHARACTERS);
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
