// Compares answers under load with answers before it. It compares the status of all, and length and words of as many as
// k6 can read without noticeably more work. bench/watch measures the cost (docs/method.md).
import { Counter } from 'k6/metrics';

const others = new Counter('bench_others');
const read = new Counter('bench_read');

/**
 * State that every request reads: one object and no function. Each further look-up costs k6 more than the whole
 * comparison (bench/watch). bench.js calls it `clock`.
 */
export const watch = {
  /** When the slice under way ends, Unix ms. main.js sets it. */
  endMs: Number.POSITIVE_INFINITY,
  /** The variant's. Null: the environment has it, as a script brings its own load or nothing is loaded. */
  baseUrl: null,
  /** The good status that all endpoints of the slice have; null where they differ, or nothing was checked. */
  usual: null,
  /** When this client reads the next body, Unix ms. From then on main.js sets `due`. */
  nextMs: Number.POSITIVE_INFINITY,
  due: false,
};

// Limits for all clients together: bodies that are read, and their characters.
const READS_PER_MS = 0.1;
const CHARACTERS_PER_MS = 1000;

let endpoints = {};
let vus = 1;
// Each client reads in its turn, not all of them their first answer at once.
let begun = false;
let readAtMs = 0;

/** Entry of a slice in plan.json: { name: { statuses, characters: [least, most] or null, words, leastWords } }. */
export function toWatched(checked) {
  const all = Object.values(checked);
  const first = all.length > 0 ? all[0].statuses[0] : null;
  const isUsual = first >= 200 && first < 400 && all.every(({ statuses }) => statuses[0] === first);
  return {
    endpoints: checked,
    usual: isUsual ? first : null,
    hasBodies: all.some(({ characters }) => characters !== null),
  };
}

/** Another slice begins for this client. `clients`: how many share the reading of bodies. */
export function watchSlice(watched, clients) {
  endpoints = watched.endpoints;
  vus = clients;
  watch.usual = watched.usual;
  watch.nextMs = watched.hasBodies ? readAtMs : Number.POSITIVE_INFINITY;
  watch.due = false;
}

/** Whether this client reads this body, now that it is its time to read one. */
export function wantsBody(endpoint) {
  const checked = endpoints[endpoint];
  if (checked === undefined || checked.characters === null) return false;
  if (begun) return true;
  begun = true;
  waitFor(Math.random() * pauseAfter(checked.characters[0]));
  return false;
}

function waitFor(ms) {
  readAtMs = Date.now() + ms;
  watch.nextMs = readAtMs;
  watch.due = false;
}

function pauseAfter(characters) {
  return vus * Math.max(1 / READS_PER_MS, characters / CHARACTERS_PER_MS);
}

/**
 * Counts an answer that is another than the checked one: how it differs, or null. Its status was fine with its journey.
 * `tag`: the endpoint in k6's tags; `expect`: the statuses that the journey allows, where it names them: it is their judge.
 */
export function compare(endpoint, tag, expect, response, isRead) {
  const checked = endpoints[endpoint];
  if (checked === undefined) return null;
  if (isRead) read.add(1, { endpoint: tag });
  const found =
    differsInStatus(expect || checked.statuses, response) ||
    (isRead ? differsInBody(checked, response) : null);
  if (found !== null) others.add(1, { endpoint: tag, kind: found.kind });
  return found;
}

function differsInStatus(statuses, { status, headers }) {
  if (statuses.includes(status)) return null;
  const to = headers.Location ? ` to ${headers.Location.slice(0, 200)}` : '';
  return { kind: 'other status', what: `HTTP ${status}${to} instead of HTTP ${statuses.join(' or ')}` };
}

function differsInBody({ characters, words, leastWords }, response) {
  const body = String(response.body || '');
  // Reading goes on after a fault, as another one gives more information.
  waitFor(pauseAfter(body.length));
  const [least, most] = characters;
  if (body.length < least || body.length > most) {
    return { kind: 'other length', what: `${body.length} characters instead of ${least} to ${most}` };
  }
  if (hasWords(body, words, leastWords)) return null;
  const there = words.filter((word) => body.includes(word)).length;
  return { kind: 'other content', what: `${there} of ${words.length} words that it contained before` };
}

/** Looks for no more of them than it takes. */
function hasWords(body, words, least) {
  let there = 0;
  for (let i = 0; i < words.length && there < least; i++) if (body.includes(words[i])) there++;
  return there >= least;
}
