// Compares what is answered under load with what was answered before: the status of every answer, and length and words of
// as many as can be read without k6 having to do noticeably more (docs/method.md has what it costs, measured by bench/watch).
import { Counter } from 'k6/metrics';

const others = new Counter('bench_others');
const read = new Counter('bench_read');

/**
 * Of the slice under way: what its endpoints answered when they were checked, by name; main.js says.
 * { statuses, characters: [least, most] or null, words, leastWords }
 */
export const watch = { endpoints: {}, vus: 1, nowMs: 0, nextMs: 0 };

// Of all clients together: no more than so many bodies a second are read, nor characters a millisecond.
const READS_PER_MS = 0.2;
const CHARACTERS_PER_MS = 2000;

// Each client reads in its turn, not all of them their first answer at once.
let begun = false;

/** Whether this client reads the next body, now that it is its time to. */
export function wantsBody({ characters }) {
  if (characters === null) return false;
  if (begun) return true;
  begun = true;
  watch.nextMs = watch.nowMs + Math.random() * pauseAfter(characters[0]);
  return false;
}

function pauseAfter(characters) {
  return watch.vus * Math.max(1 / READS_PER_MS, characters / CHARACTERS_PER_MS);
}

/** Counts an answer that is another than the checked one: how it differs, or null. Its status was fine with its journey. */
export function compare(endpoint, checked, response, isRead) {
  const found = isRead ? differsInBody(endpoint, checked, response) : differsInStatus(checked, response);
  if (found !== null) others.add(1, { endpoint, kind: found.kind });
  return found;
}

function differsInStatus({ statuses }, { status, headers }) {
  if (statuses.includes(status)) return null;
  const to = headers.Location ? ` to ${headers.Location.slice(0, 200)}` : '';
  return { kind: 'other status', what: `HTTP ${status}${to} instead of HTTP ${statuses.join(' or ')}` };
}

function differsInBody(endpoint, checked, response) {
  read.add(1, { endpoint });
  const found = differsInStatus(checked, response);
  if (found !== null) return found;
  const { characters, words, leastWords } = checked;
  const body = String(response.body || '');
  // What went wrong once may do so again: then more is known of it.
  watch.nextMs = watch.nowMs + pauseAfter(body.length);
  const [least, most] = characters;
  if (body.length < least || body.length > most) {
    return { kind: 'other length', what: `${body.length} characters instead of ${least} to ${most}` };
  }
  const there = words.filter((word) => body.includes(word)).length;
  if (there >= leastWords) return null;
  return { kind: 'other content', what: `${there} of ${words.length} words that it had before` };
}
