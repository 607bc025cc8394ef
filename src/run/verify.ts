/** Same-answer check: before load, every variant of an app has to answer alike. Pure. */

export interface Answer {
  /** 0: no answer at all. */
  status: number;
  error: string;
  type: string;
  location: string;
  body: string;
  /** What the journey that asked has against it, by the kinds of error that it counts under load. */
  fault?: string;
}

/** The two answers of one variant to the same request. */
export interface Asked {
  variant: string;
  /** For people: `GET /`. */
  request: string;
  /** A refusal is an answer like any other: the load does not ask for it, or its journey is the judge of that. */
  mayRefuse?: boolean;
  /** The body names the server: status, type and location are held against each other, no more. */
  headOnly?: boolean;
  first: Answer;
  second: Answer;
}

/**
 * Finds the variants that answer differently from most, or wrongly, with the reason.
 *
 * What differs between a variant's own two answers (tokens, dates, random numbers) is masked, and so are times of day;
 * status, content type, location and the rest of the body have to be the same on all. With no majority, the
 * first variant's answer counts as right.
 */
export function findDifferent(asked: readonly Asked[]): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const request of new Set(asked.map((a) => a.request))) {
    const answers = asked.filter((a) => a.request === request);
    const good: (Asked & { shape: Shape })[] = [];
    for (const one of answers) {
      const bad = [one.first, one.second].find((a) => isBad(a, one));
      if (bad) {
        if (!reasons.has(one.variant)) reasons.set(one.variant, `${request} ${blame(bad)}`);
      } else {
        good.push({ ...one, shape: shapeOf(one) });
      }
    }
    const groups: (typeof good)[] = [];
    for (const one of good) {
      const group = groups.find((g) => difference((g[0] as (typeof good)[number]).shape, one.shape) === null);
      if (group) group.push(one);
      else groups.push([one]);
    }
    const right = groups.reduce<(typeof good)[number][]>((a, b) => (b.length > a.length ? b : a), []);
    const model = right[0];
    if (!model) continue;
    for (const one of good) {
      if (right.includes(one) || reasons.has(one.variant)) continue;
      const what = difference(model.shape, one.shape);
      reasons.set(one.variant, `${request} answers differently from ${model.variant}: ${what}`);
    }
  }
  return reasons;
}

/** The requests that are answered by a redirect, with where it leads: it is not followed, so it is what is loaded. */
export function findRedirects(asked: readonly Asked[]): Map<string, string> {
  const redirects = asked.filter(
    ({ first, mayRefuse }) =>
      !mayRefuse && first.status >= 300 && first.status < 400 && first.location !== '',
  );
  return new Map(redirects.map(({ request, first }) => [request, first.location]));
}

function isBad({ status, fault }: Answer, { mayRefuse }: Asked): boolean {
  return status === 0 || fault !== undefined || (status >= 400 && !mayRefuse);
}

function blame({ status, error, fault }: Answer): string {
  if (status === 0) return `did not answer: ${error}`;
  return fault === 'wrong answer' ? 'gives a wrong answer' : `answers HTTP ${status}`;
}

interface Shape extends Pick<Answer, 'status' | 'location'> {
  type: ContentType;
  /** Words and signs in order; null where the two answers differ. */
  tokens: (string | null)[];
  /** The two answers have unlike numbers of tokens: only what is before and after can be compared. */
  gap: { before: number; after: number } | null;
}

function shapeOf({ first, second, headOnly = false }: Asked): Shape {
  const { status, location } = first;
  const head = { status, location, type: readType(first.type) };
  if (headOnly) return { ...head, tokens: [], gap: null };
  const a = tokenize(first.body);
  const b = tokenize(second.body);
  if (a.length === b.length) {
    return { ...head, tokens: a.map((token, i) => (token === b[i] ? token : null)), gap: null };
  }
  const shorter = Math.min(a.length, b.length);
  let before = 0;
  while (before < shorter && a[before] === b[before]) before++;
  let after = 0;
  while (after < shorter - before && a.at(-1 - after) === b.at(-1 - after)) after++;
  return { ...head, tokens: a, gap: { before, after } };
}

/** Seconds and all: when a database was seeded or a cache filled, which each variant has done at a moment of its own. */
const TIME_OF_DAY = /(?<!\d)\d\d:\d\d:\d\d(?:[.,]\d+)?(?!\d)/g;

function tokenize(body: string): string[] {
  return body.replace(TIME_OF_DAY, '…').match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? [];
}

interface ContentType {
  name: string;
  /** Empty where none is said. */
  charset: string;
}

/** What else web servers call the type of a file: each has a table of its own. */
const ALIASES: Readonly<Record<string, string>> = {
  '': 'application/octet-stream',
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'application/xml': 'text/xml',
  'application/font-woff': 'font/woff',
  'image/vnd.microsoft.icon': 'image/x-icon',
};

function readType(header: string): ContentType {
  const [name = '', ...parameters] = header.toLowerCase().replaceAll(' ', '').split(';');
  const charset = parameters.find((parameter) => parameter.startsWith('charset=')) ?? '';
  return { name: ALIASES[name] ?? name, charset };
}

/** Some servers say a charset for files of text, others none. */
function isSameHead(a: Shape, b: Shape): boolean {
  const sameCharset = a.type.charset === b.type.charset || a.type.charset === '' || b.type.charset === '';
  return a.status === b.status && a.location === b.location && a.type.name === b.type.name && sameCharset;
}

function describeHead({ status, type: { name, charset }, location }: Shape): string {
  return [`HTTP ${status}`, [name, charset].filter(Boolean).join(';'), location].filter(Boolean).join(', ');
}

/** What differs, for people; null when the two are alike. */
function difference(a: Shape, b: Shape): string | null {
  if (!isSameHead(a, b)) return `${describeHead(b)} instead of ${describeHead(a)}`;
  const before = Math.min(
    a.gap?.before ?? Number.POSITIVE_INFINITY,
    b.gap?.before ?? Number.POSITIVE_INFINITY,
  );
  const after = Math.min(a.gap?.after ?? Number.POSITIVE_INFINITY, b.gap?.after ?? Number.POSITIVE_INFINITY);
  const gap = a.gap !== null || b.gap !== null;
  if (!gap && a.tokens.length !== b.tokens.length) {
    const at = firstUnlike(a.tokens, b.tokens, Math.min(a.tokens.length, b.tokens.length));
    return `${quote(b.tokens, at)} instead of ${quote(a.tokens, at)}`;
  }
  const forward = Math.min(gap ? before : a.tokens.length, a.tokens.length, b.tokens.length);
  const at = firstUnlike(a.tokens, b.tokens, forward);
  if (at < forward) return `${quote(b.tokens, at)} instead of ${quote(a.tokens, at)}`;
  if (gap) {
    const backward = Math.min(after, a.tokens.length, b.tokens.length);
    const fromEnd = firstUnlike(a.tokens.toReversed(), b.tokens.toReversed(), backward);
    if (fromEnd < backward) {
      return `${quote(b.tokens, b.tokens.length - 1 - fromEnd)} instead of ${quote(a.tokens, a.tokens.length - 1 - fromEnd)}`;
    }
  }
  return null;
}

function firstUnlike(a: (string | null)[], b: (string | null)[], end: number): number {
  for (let i = 0; i < end; i++) {
    if (a[i] !== null && b[i] !== null && a[i] !== b[i]) return i;
  }
  return end;
}

function quote(tokens: (string | null)[], at: number): string {
  const text = tokens
    .slice(Math.max(0, at - 6), at + 10)
    .map((t) => t ?? '…')
    .join('')
    .replace(/\s+/g, ' ');
  return text === '' ? 'nothing' : `‘${text}’`;
}
