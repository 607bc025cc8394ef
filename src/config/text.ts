import { relative } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { UserError } from '../errors.ts';

/** Text values as users write them, in YAML, flags and action inputs alike. Each `parse…` throws a UserError without a place. */

export const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Quotes untrusted text for a message: escaped, at most 80 characters. */
export function quote(text: string): string {
  if (!text) return 'nothing';
  return `'${escapeText(text.length > 80 ? `${text.slice(0, 79)}…` : text)}'`;
}

/** The path as people would write it: relative to the current folder when it lies below it. */
export function displayPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return escapeText(short.startsWith('..') ? path : short);
}

/** Makes control and invisible characters visible: a name must not forge lines of a log or colour a terminal. */
export function escapeText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => {
    const short = JSON.stringify(char).slice(1, -1);
    return short.startsWith('\\') ? short : `\\u{${char.codePointAt(0)?.toString(16)}}`;
  });
}

/** `did you mean 'workers'?` when one of the candidates is near, else undefined. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  const given = bare(word.slice(0, 100));
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const candidate of candidates) {
    const steps = stepsBetween(given, bare(candidate));
    if (steps < least) {
      best = candidate;
      least = steps;
    }
  }
  return best === undefined ? undefined : `did you mean '${best}'?`;
}

/** The word of a flag. */
const bare = (text: string) => text.replace(/^-+/, '').toLowerCase();

/** Wrong letters, of which two that are swapped are one. With several, another first letter makes another word. */
function stepsBetween(word: string, candidate: string): number {
  const steps = distance(word, candidate);
  const lettersOf = (text: string) => [...text].sort().join('');
  if (steps === 2 && lettersOf(word) === lettersOf(candidate)) return 1;
  return steps < 2 || word[0] === candidate[0] ? steps : Number.POSITIVE_INFINITY;
}

/** A UserError about a text that is not what was asked for. */
export function refuse(message: string, found: string, allowed: string, hint?: string): UserError {
  return new UserError(message, { found: quote(found), allowed, ...(hint && { hint }) });
}

/** A UserError about a word that is none of the allowed ones. */
export function unknownWord(what: string, word: string, allowed: readonly string[]): UserError {
  const hint = suggest(word, allowed);
  return new UserError(`unknown ${what}`, {
    found: quote(word),
    allowed: allowed.join(', ') || 'none',
    ...(hint && { hint }),
  });
}

const UNIT_MS: Record<string, number> = { h: HOUR, m: MINUTE, s: SECOND, ms: 1 };

interface Duration {
  /** ms. */
  min?: number;
  /** ms: whole hours. */
  max?: number;
  orZero?: boolean;
  /** The likely unit of a number without one. */
  unit?: 'ms' | 'm';
  /** Examples of right values. */
  such?: string;
}

/** `500ms`, `2s`, `2m30s`, `1h` → ms. Between `min` and `max`, 24 h by default; `orZero`: or 0. */
export function parseDuration(
  text: string,
  { min = 0, max = DAY, orZero = false, unit, such = '500ms, 2s, 2m30s, 1h' }: Duration = {},
): number {
  const allowed = `${orZero ? '0s or ' : ''}a time such as ${such}, from ${formatDuration(min)} to ${max / HOUR}h`;
  const parts = /^(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/.exec(text);
  if (!text || !parts) {
    throw new UserError('not a time', {
      found: quote(text),
      allowed,
      ...(/^\d+(\.\d+)?$/.test(text) && { hint: missingUnit(addUnit(Number(text), unit, max)) }),
    });
  }
  const ms = ['h', 'm', 's', 'ms'].reduce(
    (sum, unit, i) => sum + Number(parts[i + 1] ?? 0) * (UNIT_MS[unit] ?? 0),
    0,
  );
  if ((ms < min && !(orZero && ms === 0)) || ms > max)
    throw new UserError('time out of bounds', { found: quote(text), allowed });
  return ms;
}

const missingUnit = (meant: string) => `the unit is missing: did you mean '${meant}'?`;

/** Nobody waits for minutes where a time is asked for, so a large number is one of milliseconds. */
function addUnit(value: number, unit: Duration['unit'], max: number): string {
  if (unit === 'm') return `${Math.max(1, Math.round(value))}${value * MINUTE <= max ? 'm' : 's'}`;
  if (unit === 'ms' || value >= 100) return `${Math.max(1, Math.round(value))}ms`;
  return formatDuration(Math.max(1, Math.round(value * SECOND)));
}

/** ms → `2s` or `1500ms`: one number and one unit, so that entry points in shell need no parser. */
export function formatDuration(ms: number): string {
  return ms % SECOND === 0 ? `${ms / SECOND}s` : `${ms}ms`;
}

const UNIT_BYTES: Record<string, number> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };
const MAX_SIZE = 16 * 1024 ** 4;

/** Docker refuses to limit a container to less. */
const MIN_MEMORY = 6 * 1024 ** 2;

/** The memory limit of a container: a size that Docker takes. */
export function parseMemory(text: string): number {
  const bytes = parseSize(text);
  if (bytes >= MIN_MEMORY) return bytes;
  throw new UserError('memory limit too small', {
    found: quote(text),
    allowed: `from ${formatSize(MIN_MEMORY)}, such as 512M`,
    ...(/^\d+$/.test(text) && parseSize(`${text}M`) >= MIN_MEMORY && { hint: missingUnit(`${text}M`) }),
  });
}

/** `128M`, `2G` → bytes; units are powers of 1024, as in php.ini. 1 byte to 16 T. */
export function parseSize(text: string): number {
  const parts = /^(\d{1,15})([KMGT]?)$/i.exec(text);
  const bytes = Number(parts?.[1]) * (UNIT_BYTES[parts?.[2]?.toUpperCase() ?? ''] ?? Number.NaN);
  if (!(bytes >= 1 && bytes <= MAX_SIZE)) {
    throw new UserError('not a size', {
      found: quote(text),
      allowed: 'a size such as 512K, 128M, 2G, from 1 to 16T',
    });
  }
  return bytes;
}

/** bytes → `128M`, in the largest unit that divides it; never T, which PHP does not know. */
export function formatSize(bytes: number): string {
  const unit = ['G', 'M', 'K', ''].find((u) => bytes % (UNIT_BYTES[u] ?? 1) === 0) ?? '';
  return `${bytes / (UNIT_BYTES[unit] ?? 1)}${unit}`;
}

/** Decimal digits → integer within bounds. */
export function parseInteger(text: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number {
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    const whole = Number.isNaN(value);
    throw new UserError(whole ? 'not a whole number' : 'number out of bounds', {
      found: quote(text),
      allowed: `a whole number from ${min} to ${max}`,
    });
  }
  return value;
}

const BOOLEANS: Record<string, boolean> = {
  true: true,
  on: true,
  yes: true,
  false: false,
  off: false,
  no: false,
};

/** Whether `parseBoolean` takes it. */
export const isBoolean = (text: string): boolean => Object.hasOwn(BOOLEANS, text.toLowerCase());

export function parseBoolean(text: string): boolean {
  const value = isBoolean(text) ? BOOLEANS[text.toLowerCase()] : undefined;
  if (value === undefined) {
    throw new UserError('neither true nor false', {
      found: quote(text),
      allowed: Object.keys(BOOLEANS).join(', '),
    });
  }
  return value;
}

/** `99%` or `99.9%` → 0…1. */
export function parsePercent(text: string): number {
  const value = /^\d{1,3}(\.\d{1,6})?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
  if (!(value >= 0 && value <= 100)) {
    throw new UserError('not a percentage', {
      found: quote(text),
      allowed: 'a percentage such as 99% or 99.9%, up to 100%',
    });
  }
  return value / 100;
}

/** `0.1`: more than nothing, and at most all. */
export function parseShare(text: string): number {
  const value = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0 && value <= 1)) {
    throw refuse('not a share', text, 'a number such as 0.1, above 0 and up to 1');
  }
  return value;
}

/** `0-3,8` → [0, 1, 2, 3, 8]: CPU numbers as Linux lists them, sorted, each once. */
export function parseCpus(text: string): number[] {
  const cpus = new Set<number>();
  for (const part of text.split(',')) {
    const range = /^\s*(\d{1,4})(?:-(\d{1,4}))?\s*$/.exec(part);
    const from = Number(range?.[1]);
    const to = Number(range?.[2] ?? range?.[1]);
    if (!range || to < from || to > 4095) {
      throw new UserError('not a list of CPUs', {
        found: quote(text),
        allowed: 'CPU numbers up to 4095 such as 0, 0-3, 0-3,8',
      });
    }
    for (let cpu = from; cpu <= to; cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

/** Names of apps, aliases and scenarios: they end up in file names, labels and tables. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const NAME_RULE = 'letters, digits, dot, _ and -, at most 64, beginning with a letter or digit';

export function parseName(text: string): string {
  if (!NAME.test(text)) throw new UserError('not a name', { found: quote(text), allowed: NAME_RULE });
  return text;
}

/** People try the path of a k6 script first, as k6 takes it, or that of a scenario's file. */
export function parseScenario(text: string): string {
  const [ending] = /\.(?:[cm]?[jt]s|ya?ml)$/.exec(text) ?? [];
  if (ending === undefined) return parseName(text);
  const hint = ending.endsWith('s')
    ? `a k6 script goes into \`journey\`, or --journey ${text}`
    : 'a file in .bench/scenarios is named without its ending';
  throw refuse('not the name of a scenario', text, 'names, such as quick', hint);
}

/** A path on disk: any except empty or with a NUL. Whether it exists is checked by who uses it. */
export function parsePath(text: string): string {
  if (!text || text.includes('\0') || text.length > 4096) {
    throw new UserError('not a path', {
      found: quote(text),
      allowed: 'a path of 1 to 4096 characters without NUL',
    });
  }
  return text;
}

/** The path and query of a URL: `/`, `/api/x?n=1`. */
export function parseUrlPath(text: string): string {
  // k6 decodes the path before a query, and sends nothing if it cannot.
  const isBare = /^[^?]*%(?![0-9a-f]{2})/i.test(text);
  if (isBare || !/^\/[^\s\p{Cc}#]{0,1999}$/u.test(text)) {
    throw new UserError('not a URL path', {
      found: quote(text),
      allowed:
        "a path that begins with '/', without white space, control characters and '#', at most 2000 characters",
      ...(isBare && { hint: 'write % as %25' }),
      ...(/^https?:\/\//.test(text) && { hint: 'use only the path: the tool starts the servers itself' }),
    });
  }
  return text;
}

/** An image reference as engines take it; `{php}` is filled in later where `template` is set. */
export function parseImage(text: string, { template = false } = {}): string {
  const filled = template ? text.replaceAll('{php}', '8.4') : text;
  if (!/^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$/.test(filled)) {
    throw new UserError('not an image', {
      found: quote(text),
      allowed: 'an image such as php:8.4-fpm or mirror.example/php:8.4-fpm',
    });
  }
  return text;
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** `www.example.com`, `localhost:8080`: in lower case, and without the port that is HTTP's own. */
export function parseHost(text: string): string {
  const [, name = '', port = '80'] = /^(.*?)(?::(\d{1,5}))?$/s.exec(text.toLowerCase()) ?? [];
  const url = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (!HOST_NAME.test(name) || Number(port) < 1 || Number(port) > 65_535) {
    throw refuse(
      'not a host',
      text,
      'a name such as www.example.com, or with a port localhost:8080',
      url && `use only the host name: ${quote(url)}`,
    );
  }
  return Number(port) === 80 ? name : `${name}:${Number(port)}`;
}

export function parsePhp(text: string): string {
  if (!/^\d\.\d{1,2}$/.test(text)) {
    throw new UserError('not a PHP version', {
      found: quote(text),
      allowed: 'major and minor version such as 8.4',
    });
  }
  return text;
}

/** Splits at commas that stand in no bracket and at line breaks, one after a comma counting once; trims; keeps empty items for the caller to refuse. */
export function splitList(text: string): string[] {
  const items = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '[' || char === '(') depth++;
    else if (char === ']' || char === ')') depth--;
    const blank = !items.at(-1)?.trim();
    if (char === '\n' && blank) continue;
    if ((char === ',' && depth <= 0) || char === '\n') items.push('');
    else items[items.length - 1] += char;
  }
  return items.map((item) => item.trim());
}

/** `K=V` each → a map; empty ones are skipped. `example`: one of them that is right. */
export function readPairs(pairs: readonly string[], example?: string): Record<string, string> {
  const map: Record<string, string> = {};
  for (const pair of pairs.filter((text) => text.trim())) {
    const equals = pair.indexOf('=');
    if (equals < 1) {
      throw refuse('not a pair', pair, `KEY=VALUE${example === undefined ? '' : ` such as ${example}`}`);
    }
    const key = pair.slice(0, equals).trim();
    if (Object.hasOwn(map, key)) throw refuse('given twice', key, 'each once');
    map[key] = pair.slice(equals + 1);
  }
  return map;
}
