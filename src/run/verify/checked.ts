import type { Scenario } from '../../config/types.ts';
import type { Answer } from './verify.ts';

/** Bounds that scenarios/lib/watch.js compares the answers of an endpoint with, under load. */
export interface Checked {
  statuses: readonly number[];
  /** Least and most; null: bodies are nobody's business here but the journey's. */
  characters: readonly [number, number] | null;
  /** Words that all checked answers have, and how many of them an answer has to have. */
  words: readonly string[];
  leastWords: number;
}

/** By the endpoint's name. */
export type CheckedEndpoints = Readonly<Record<string, Checked>>;

/** Bounds for a scenario's endpoints from the answers before the load, by variant id; null: nothing to compare with. */
export type CheckedOf = (variant: string, scenario: Scenario) => CheckedEndpoints | null;

/** Properties of all answers of an endpoint that were seen. */
export interface Seen {
  statuses: readonly number[];
  least: number;
  most: number;
  words: ReadonlySet<string>;
  /** The user's `mask` matched: nobody knows how far such bodies differ, so none is compared. */
  masked?: boolean;
}

/** A body of one length may hold a counter, a date, a name: so much of it may come or go. */
const SLACK_RATIO = 0.05;
const SLACK_CHARACTERS = 32;
/** The longest show best what a page is: an error page has a title and a body, too. */
const WORDS = 12;
/** Shorter ones stand in others, or in any page. */
const WORD_CHARACTERS = 3;

/** One more answer widens what is known. `isMasked`: the user's `mask` matched it. Pure. */
export function see(
  known: Seen | undefined,
  { status, body, characters = body.length }: Answer,
  isMasked = false,
): Seen {
  const words = new Set(body.match(WORD));
  const masked = (isMasked || known?.masked) && { masked: true };
  if (known === undefined) {
    return { statuses: [status], least: characters, most: characters, words, ...masked };
  }
  return {
    ...masked,
    statuses: known.statuses.includes(status) ? known.statuses : [...known.statuses, status],
    least: Math.min(known.least, characters),
    most: Math.max(known.most, characters),
    words: new Set([...known.words].filter((word) => words.has(word))),
  };
}

const WORD = new RegExp(`[\\p{L}_]{${WORD_CHARACTERS},}`, 'gu');

/** The bounds for answers under load; beyond them an answer counts as another. Pure. */
export function expectationOf({ statuses, least, most, words, masked }: Seen, withBody: boolean): Checked {
  if (!withBody || masked) return { statuses, characters: null, words: [], leastWords: 0 };
  // If lengths vary, the range that was seen shows how far.
  const slack = Math.max(SLACK_CHARACTERS, Math.ceil(most * SLACK_RATIO), most - least);
  const longest = [...words].sort((a, b) => b.length - a.length).slice(0, WORDS);
  return {
    statuses,
    characters: [Math.max(Math.min(least, 1), least - slack), most + slack],
    words: longest,
    leastWords: Math.ceil(longest.length / 2),
  };
}

/** How an answer differs from what was checked, as watch.js reports it; null: it does not. Pure. */
export function findDifference(
  checked: Checked,
  { status, location, body, characters = body.length }: Answer,
): string | null {
  if (!checked.statuses.includes(status)) {
    return `HTTP ${status}${location && ` to ${location}`} instead of HTTP ${checked.statuses.join(' or ')}`;
  }
  if (checked.characters === null) return null;
  const [least, most] = checked.characters;
  if (characters < least || characters > most) {
    return `${characters} characters instead of ${least} to ${most}`;
  }
  const there = checked.words.filter((word) => body.includes(word)).length;
  if (there >= checked.leastWords) return null;
  return `${there} of ${checked.words.length} words that it contained before`;
}
