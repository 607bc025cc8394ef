import { UserError } from '../../errors.ts';
import { DAY, formatDuration, parseDuration, parseInteger, quote, SECOND, suggest } from '../text.ts';
import type { Load, Segment } from '../types.ts';

const MAX_RPS = 1_000_000;
const MAX_VUS = 100_000;
const MAX_REQUESTS = 1_000_000_000;
const MAX_STEPS = 1000;
const MAX_SEGMENTS = 100;
const MAX_LENGTH = 4000;

type Argument = (text: string) => number;
const rps: Argument = (text) => parseInteger(text, { min: 1, max: MAX_RPS });
const vus: Argument = (text) => parseInteger(text, { min: 1, max: MAX_VUS });
const requests: Argument = (text) => parseInteger(text, { min: 1, max: MAX_REQUESTS });
/** k6 runs no scenario for less than a second. */
const time: Argument = (text) => parseDuration(text, { min: SECOND });

/** Every form of the grammar: what it takes, in order. */
const FORMS = {
  line: { takes: { from: rps, to: rps, time } },
  const: { takes: { rps, time } },
  step: { takes: { from: rps, to: rps, by: rps, time } },
  vus: { takes: { n: vus, time } },
  requests: { takes: { n: requests, vus } },
} as const satisfies Record<string, { takes: Record<string, Argument> }>;

type Form = keyof typeof FORMS;

const form = (name: Form) => `${name}(${Object.keys(FORMS[name].takes).join(', ')})`;

/** `line(from, to, time), const(rps, time), …`: for messages and help. */
export const LOAD_FORMS = (Object.keys(FORMS) as Form[]).map(form).join(', ');

/**
 * Reads a load such as `step(5, 100, 5, 10s) const(100, 2m30s)`: segments after each other, separated by
 * white space or commas. Rates are requests per second up to 1,000,000, the whole lasts 24 h at most.
 * Throws a UserError with the position (1-based, in characters) of what it cannot read.
 */
export function parseLoad(source: string): Load {
  const segments: Segment[] = [];
  const rest = /[\s,]*([A-Za-z_-]*)\s*(\(?)([^()]*)(\)?)/y;
  if (source.length > MAX_LENGTH) {
    throw new UserError('load has too many characters', {
      found: quote(source),
      allowed: `up to ${MAX_LENGTH} characters`,
    });
  }
  const end = source.search(/[\s,]*$/);
  while (rest.lastIndex < end) {
    const from = rest.lastIndex;
    const match = rest.exec(source);
    const [whole = '', name = '', open, inside = '', close] = match ?? [];
    const start = from + whole.search(/[^\s,]/);
    if (!isForm(name))
      throw misread('unknown load', source, start, name || source.slice(start), suggestForm(name));
    if (!open)
      throw misread(`'(' is missing after '${name}'`, source, start, source.slice(start), form(name));
    if (!close)
      throw misread(
        `')' is missing after '${name}(${inside.trim()}'`,
        source,
        start,
        source.slice(start),
        form(name),
      );
    if (segments.at(-1)?.kind === 'requests')
      throw misread("nothing can follow 'requests'", source, start, source.slice(start), {
        allowed: 'requests(n, vus) as the last part: nobody knows when its requests are done',
      });
    const insideAt = from + whole.length - close.length - inside.length;
    segments.push(readSegment(name, inside, source, insideAt));
    if (segments.length > MAX_SEGMENTS) {
      throw new UserError('too many segments', {
        found: `${segments.length} or more`,
        allowed: `up to ${MAX_SEGMENTS}`,
      });
    }
  }
  if (!segments.length) throw new UserError('no load', { found: quote(source), allowed: LOAD_FORMS });
  const load: Load = { source: source.trim().replace(/\s+/g, ' '), segments };
  if (segments.reduce((ms, segment) => ms + (segmentMs(segment) ?? 0), 0) > DAY) {
    throw new UserError('load too long', { found: quote(source), allowed: 'up to 24h in total' });
  }
  return load;
}

/** Whether a load, as it is written, has a part at a rate. That part asks on, however many requests wait. */
export const hasRate = (source: string) => /\b(line|const|step)\s*\(/.test(source);

/** `max-vus` limits a rate alone, and no script's own load. Errors: UserError, none of the scenarios has a rate or such a load. */
export function checkRates(scenarios: readonly { load: Load | null }[]): void {
  if (scenarios.some(({ load }) => load === null || hasRate(load.source))) return;
  throw new UserError('no load has a rate', {
    hint: "set the clients in the load, such as --load 'vus(50, 1s)'",
  });
}

/** The clients of each closed part of a load, as it is written: 8 and 4 of `vus(8, 1s) requests (100, 4)`. */
export function closedClients(source: string): number[] {
  const parts = source.matchAll(/\b(?:vus\s*\(|requests\s*\([^,]*,)\s*(\d+)/g);
  return [...parts].map(([, clients]) => Number(clients));
}

const isForm = (name: string): name is Form => Object.hasOwn(FORMS, name);
const suggestForm = (name: string) => ({ allowed: LOAD_FORMS, hint: suggest(name, Object.keys(FORMS)) });

function misread(
  what: string,
  source: string,
  at: number,
  found: string,
  detail: string | { allowed: string; hint?: string | undefined },
): UserError {
  const { allowed, hint } = typeof detail === 'string' ? { allowed: detail } : detail;
  const where = source.trim() === found.trim() ? '' : ` at character ${at + 1} of ${quote(source)}`;
  return new UserError(what, { found: `${quote(found.trim())}${where}`, allowed, ...(hint && { hint }) });
}

function readSegment(name: Form, inside: string, source: string, insideAt: number): Segment {
  const takes = Object.entries(FORMS[name].takes) as [string, Argument][];
  const given = inside.split(',');
  if (given.length !== takes.length || !inside.trim()) {
    const count = inside.trim() ? given.length : 0;
    throw misread(
      `'${name}' takes ${takes.length} values, not ${count}`,
      source,
      insideAt,
      `${name}(${inside})`,
      form(name),
    );
  }
  let at = insideAt;
  const values = takes.map(([label, read], i) => {
    const text = given[i] ?? '';
    const start = at + (text.length - text.trimStart().length);
    at += text.length + 1;
    try {
      return read(text.trim());
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const { allowed = '', hint } = error.detail;
      throw misread(`${label} of ${form(name)}: ${error.message}`, source, start, text, { allowed, hint });
    }
  });
  const segment = toSegment(name, values as [number, number, number, number]);
  if (segment.kind === 'step' && stepRates(segment).length > MAX_STEPS) {
    throw misread(
      'too many steps',
      source,
      insideAt,
      `${stepRates(segment).length} steps`,
      `up to ${MAX_STEPS}`,
    );
  }
  return segment;
}

function toSegment(name: Form, [a, b, c, d]: [number, number, number, number]): Segment {
  switch (name) {
    case 'line':
      return { kind: name, fromRps: a, toRps: b, ms: c };
    case 'const':
      return { kind: name, rps: a, ms: b };
    case 'step':
      return { kind: name, fromRps: a, toRps: b, byRps: c, ms: d };
    case 'vus':
      return { kind: name, vus: a, ms: b };
    case 'requests':
      return { kind: name, requests: a, vus: b };
  }
}

/** The rates of a `step`, up or down; it ends with `to` even when `by` does not hit it, as Yandex.Tank does. */
export function stepRates({ fromRps, toRps, byRps }: Extract<Segment, { kind: 'step' }>): number[] {
  const sign = Math.sign(toRps - fromRps);
  const count = Math.floor(Math.abs(toRps - fromRps) / byRps) + 1;
  const rates = Array.from({ length: count }, (_, i) => fromRps + sign * byRps * i);
  return rates.at(-1) === toRps ? rates : [...rates, toRps];
}

/** How long a segment lasts in ms; null for `requests`, which is bounded by count. */
export function segmentMs(segment: Segment): number | null {
  switch (segment.kind) {
    case 'step':
      return segment.ms * stepRates(segment).length;
    case 'requests':
      return null;
    default:
      return segment.ms;
  }
}

/** How long a load lasts in ms; null when a part of it is bounded by count. */
export function loadMs(load: Load): number | null {
  let sum = 0;
  for (const segment of load.segments) {
    const ms = segmentMs(segment);
    if (ms === null) return null;
    sum += ms;
  }
  return sum;
}

/**
 * The same load in a share of its time: each part as much shorter, but never below the second that k6 needs; rates and
 * clients stay. A count of requests becomes that share of it.
 */
export function scaleLoad(load: Load, share: number): Load {
  if (share === 1) return load;
  const segments = load.segments.map((segment): Segment => {
    if (segment.kind !== 'requests') {
      return { ...segment, ms: Math.min(segment.ms, Math.max(SECOND, Math.round(segment.ms * share))) };
    }
    return { ...segment, requests: Math.max(1, Math.round(segment.requests * share)) };
  });
  return { source: segments.map(formatSegment).join(' '), segments };
}

function formatSegment(segment: Segment): string {
  switch (segment.kind) {
    case 'line':
      return `line(${segment.fromRps}, ${segment.toRps}, ${formatDuration(segment.ms)})`;
    case 'const':
      return `const(${segment.rps}, ${formatDuration(segment.ms)})`;
    case 'step':
      return `step(${segment.fromRps}, ${segment.toRps}, ${segment.byRps}, ${formatDuration(segment.ms)})`;
    case 'vus':
      return `vus(${segment.vus}, ${formatDuration(segment.ms)})`;
    case 'requests':
      return `requests(${segment.requests}, ${segment.vus})`;
  }
}
