import type { ErrorRow, Row } from '../../analyse/summary.ts';
import type { Evidence } from '../../results/results.ts';
import { ITS_LOG } from '../../text/log-cause.ts';
import { cut } from '../../text/plain.ts';

/** Wrong answer, and the app's log of that time. Untrusted text. */
export interface Shown {
  answer: Evidence | null;
  log: string;
}

const BODY_CHARACTERS = 2048;
/** How much of a log, at most: beside other rows, and where it is folded. */
const LOG = { lines: 12, characters: 2048 };
const FOLDED_LOG = { lines: 30, characters: 4000 };

/** The answer and log of a row that failed or is not ranked for its answers; null if neither is known. */
export function shownOf({ state, errors }: Row): Shown | null {
  const first = errors.find(({ answer, log }) => answer || log);
  const found =
    state.kind === 'failed' && (state.stage === 'verify' || state.stage === 'run')
      ? { answer: state.answer ?? first?.answer ?? null, log: state.log || (first?.log ?? '') }
      : state.kind === 'unranked' && state.cause === 'ok-ratio' && first
        ? shownOfError(first)
        : null;
  return found && (found.answer !== null || found.log.trim() !== '') ? found : null;
}

function shownOfError({ answer, log }: ErrorRow): Shown {
  return { answer: answer ?? null, log: log ?? '' };
}

/**
 * Groups of what went wrong for the same reason with the same evidence, in the order of the first of each. Numbers and headers
 * in the evidence may differ: times, process ids, build steps and the name of the server do so from one variant to the next.
 * If the reason quotes the log, the rest of the log is how each server writes such a message.
 */
export function groupAlike<T>(
  items: readonly T[],
  reasonOf: (item: T) => string,
  evidenceOf: (item: T) => unknown = () => null,
): [T, ...T[]][] {
  const keyOf = (item: T) => {
    const reason = reasonOf(item);
    return reason.includes(ITS_LOG) ? reason : JSON.stringify([reason, shared(evidenceOf(item))]);
  };
  return [...Map.groupBy(items, keyOf).values()] as [T, ...T[]][];
}

function shared(evidence: unknown): string {
  const withoutHeaders = (key: string, value: unknown) => (key === 'headers' ? undefined : value);
  return JSON.stringify(evidence ?? null, withoutHeaders).replace(/\d+/g, '0');
}

/** `HTTP 500`, headers, an empty line, the body; of no answer why there is none. */
export function answerText({ status, headers, body }: Evidence): string {
  const text = cut(body, BODY_CHARACTERS);
  return status === 0 ? `no answer: ${text}` : `HTTP ${status}\n${headers}\n\n${text}`.trim();
}

/** The end of a log. */
export function logText(log: string, isFolded = false): string {
  const { lines, characters } = isFolded ? FOLDED_LOG : LOG;
  return log.trimEnd().split('\n').slice(-lines).join('\n').slice(-characters);
}
