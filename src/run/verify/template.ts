import { readCodes } from '../../text/page-text.ts';
import { align } from './align.ts';

/** Common parts of several answers of one variant, compared with those of another variant. Pure. */

/** Instead of one word, of which each answer has another. */
const WORD = Symbol('word');
/** Instead of several, of which there may be more or fewer each time. */
const RUN = Symbol('run');

/** Words and signs in order, with what differs masked. */
export interface Template {
  parts: readonly Part[];
  /** Number of words and signs of the longest of its answers. */
  length: number;
}

type Part = string | typeof WORD | typeof RUN;

export function makeTemplate(bodies: readonly string[]): Template {
  // Apps hide e-mail addresses from robots: each character is written as itself or as one of its codes, at random.
  const all = bodies.map((body) => readCodes(body).match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? []);
  const [first = [], ...others] = all;
  return {
    parts: others.reduce<readonly Part[]>(maskUnlike, first),
    length: Math.max(0, ...all.map((words) => words.length)),
  };
}

/**
 * The first difference between two pages, for people; null if all differences are masked. A mostly masked page fits
 * only another such page: an error page instead of the earlier page is not a new token.
 */
export function findUnlike(a: Template, b: Template): string | null {
  if (isFickle(a) !== isFickle(b)) {
    return isFickle(b)
      ? 'most of its answer changes each time'
      : 'most of its answer is stable, and that of the other changes';
  }
  const place = unlikePlace(a.parts, b.parts);
  return place && `${quoteParts(b.parts, place.b)} instead of ${quoteParts(a.parts, place.a)}`;
}

function maskUnlike(parts: readonly Part[], words: readonly Part[]): readonly Part[] {
  if (parts.length === words.length && !parts.includes(RUN)) {
    return parts.map((part, i) => (part === words[i] ? part : WORD));
  }
  const masked: Part[] = [];
  let done = 0;
  for (const { a, b } of align(parts, words)) {
    const [p, q] = [parts.slice(a.from, a.to), words.slice(b.from, b.to)];
    masked.push(...parts.slice(done, a.from), isOneWord(p) && isOneWord(q) ? WORD : RUN);
    done = a.to;
  }
  return [...masked, ...parts.slice(done)];
}

/** A few words may be a page or a number. */
const FEW_WORDS = 20;

function isFickle({ parts, length }: Template): boolean {
  const kept = parts.filter((part) => typeof part === 'string').length;
  return length > FEW_WORDS && kept < length / 2;
}

/** The first place where they differ in what neither masks; null: there is none. */
function unlikePlace(a: readonly Part[], b: readonly Part[]): { a: number; b: number } | null {
  if (fits(a, b)) return null;
  for (const hunk of align(a, b)) {
    const around = { a: { ...hunk.a }, b: { ...hunk.b } };
    // A mask for several words may also cover the words beside it.
    if (isMask(a[around.a.from - 1])) [around.a.from, around.b.from] = [around.a.from - 1, around.b.from - 1];
    if (isMask(a[around.a.to])) [around.a.to, around.b.to] = [around.a.to + 1, around.b.to + 1];
    const [p, q] = [a.slice(around.a.from, around.a.to), b.slice(around.b.from, around.b.to)];
    if (p.includes(RUN) || q.includes(RUN) || fits(p, q)) continue;
    if ([...p, ...q].some(isMask) && isOneWord(p) && isOneWord(q)) continue;
    return { a: hunk.a.from, b: hunk.b.from };
  }
  return null;
}

function fits(a: readonly Part[], b: readonly Part[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i] || isMask(part) || isMask(b[i] as Part));
}

function isMask(part: Part | undefined): boolean {
  return part === WORD || part === RUN;
}

/** A token may hold signs, such as `+` and `/`, one time and none another: it ends with what ends a word to people, or a value. */
function isOneWord(parts: readonly Part[]): boolean {
  return parts.every((part) => part === WORD || (typeof part === 'string' && !/[\s<>"'{}[\],;]/.test(part)));
}

function quoteParts(parts: readonly Part[], at: number): string {
  const text = parts
    .slice(Math.max(0, at - 6), at + 10)
    .map((part) => (typeof part === 'string' ? part : '…'))
    .join('')
    .replace(/\s+/g, ' ');
  return text === '' ? 'nothing' : `‘${text}’`;
}
