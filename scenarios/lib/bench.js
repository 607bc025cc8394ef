// Functions for a journey: the target of this request, and requests that are counted by endpoint and by kind of error.
import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter } from 'k6/metrics';
import { HEADERS, headersOf, textOf } from './answer.js';
import { countResent, SHORTEST_CONNECT_MS } from './resent.js';
import { compare, wantsBody, watch } from './watch.js';

// As k6 has it: main.js wraps the calls of scripts in the proof of requests sent again, which here is in line.
const send = http.request;
let instance = null;

/** Headers of every request; main.js sets those of the plan. */
export const common = { ...HEADERS };
const errors = new Counter('bench_errors');
/** Names of the journey's endpoints, in the order of the report. */
export const endpoints = [];
// Tags carry the endpoint's number: a name may hold what k6's tag expressions cannot.
const ids = Object.create(null);

/** A journey names its endpoints when k6 reads it: statistics are kept only of what is known by then. */
export function nameEndpoints(names) {
  if (Object.isFrozen(endpoints)) throw new Error('nameEndpoints must be called outside of functions');
  for (const name of names) {
    ids[name] = `e${endpoints.length}`;
    endpoints.push(name);
  }
}

/** The tag of an endpoint. Errors of one without a name would be in no statistics. */
function idOf(endpoint) {
  const id = ids[endpoint];
  if (id !== undefined) return id;
  const names = endpoints.map((name) => `'${name}'`).join(', ');
  throw new Error(
    `nameEndpoints has no '${endpoint}'. It has ${names ? `${names}: correct the name, or add it there` : `none: call nameEndpoints(['${endpoint}']) outside of functions`}`,
  );
}

// Kept in step with src/run/load/k6.ts: k6 exports statistics only for tags that are named beforehand.
const STATUSES = [
  400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 419, 422, 429, 500, 501, 502, 503, 504,
];
const CODES = { 1050: 'timeout', 1212: 'refused', 1220: 'reset', 1211: 'timeout' };

/** Base URL of the variant that this slice loads. To read the environment takes k6 longer than all that is compared. */
export function target() {
  return clock.baseUrl || __ENV.BASE_URL;
}

/** When the slice under way ends, and what is compared in it. */
export const clock = watch;

/** A client waits so many seconds, drawn evenly, but not beyond the end of the slice. */
export function pause(from, to) {
  const seconds = from + Math.random() * (to - from);
  sleep(Math.max(0, Math.min(seconds, (clock.endMs - Date.now()) / 1000)));
}

/** Memory of this client for the current variant: an object that is empty at first. */
export function memory() {
  const url = target();
  memories[url] = memories[url] || {};
  return memories[url];
}
export const memories = {};

/** An observer that gets each answer and its faults instead of the statistics: walk.js, which is no load. */
export const audit = { by: null };

// Bodies are thrown away unread, which halves k6's garbage. After a failure this VU keeps the next
// body from that endpoint in that slice, so that a sample of what went wrong reaches the report. Not in the slices of
// others: what one has failed at must cost none of them.
const wanted = {};
const seen = {};

const NO_OPTIONS = {};
// The parameters of most requests: without options, and their body is not wanted. They are made once for each endpoint.
const plain = Object.create(null);

function paramsOf(endpoint, options, keep) {
  if (options === NO_OPTIONS && !keep) {
    plain[endpoint] = plain[endpoint] || makeParams(endpoint, options, keep);
    return plain[endpoint];
  }
  return makeParams(endpoint, options, keep);
}

function makeParams(endpoint, options, keep) {
  return {
    headers: options.headers ? { ...common, ...options.headers } : common,
    jar: options.jar,
    redirects: 0,
    timeout: __ENV.TIMEOUT,
    tags: { name: idOf(endpoint) },
    responseType: keep ? 'text' : 'none',
    ...(options.expect && callbackOf(options.expect)),
  };
}

/** By default, k6 counts a status of 400 or more as failed. */
function callbackOf(expect) {
  const refusals = expect.filter((status) => status >= 400);
  if (refusals.length === 0) return {};
  return { responseCallback: http.expectedStatuses({ min: 200, max: 399 }, ...refusals) };
}

/**
 * One request, named `endpoint` in the report. Options are method, body, headers and jar (of cookies). Option expect
 * has the allowed statuses, default 200–399. With keep: true the body is kept. With verify: 'status' bodies may differ
 * between variants, as they name the server.
 */
export function request(endpoint, path, options = NO_OPTIONS) {
  const { by } = audit;
  const reads = clock.due && wantsBody(endpoint);
  const keep =
    options.keep === true ||
    reads ||
    by !== null ||
    // Environments are slow to read: only where something is wanted.
    (wanted[endpoint] !== undefined && wanted[endpoint] === __ENV.SLICE);
  const params = paramsOf(endpoint, options, keep);
  if (by === null) instance = instance || exec.instance;
  const fromMs = by === null ? instance.currentTestRunDuration : 0;
  const response = send(options.method || 'GET', target() + path, options.body || null, params);
  if (by) by.sees(endpoint, response, options);
  else if (response.timings.blocked > SHORTEST_CONNECT_MS)
    countResent(response, fromMs, { name: ids[endpoint] });
  const { status } = response;
  // As it was before the load: there is nothing else to look at.
  if (status === clock.usual && !reads && options.expect === undefined) return response;
  const ok = options.expect ? options.expect.includes(status) : status >= 200 && status < 400;
  if (!ok) fail(endpoint, kindOf(response), response, keep);
  else if (by === null) {
    const other = compare(endpoint, ids[endpoint], options.expect, response, reads);
    if (other !== null) sample(endpoint, other.kind, response, keep, other.what);
  }
  return response;
}

/** Counts a wrong answer: the status was fine, the content was not. */
export function wrongAnswer(endpoint, response) {
  fail(endpoint, 'wrong answer', response, true);
}

function fail(endpoint, kind, response, kept) {
  if (audit.by) {
    audit.by.blames(endpoint, kind);
    return;
  }
  errors.add(1, { endpoint: idOf(endpoint), kind });
  sample(endpoint, kind, response, kept, '');
}

/** Prints the first answer of its kind for the report; `what` describes how it differs. */
function sample(endpoint, kind, response, kept, what) {
  const key = `${__ENV.SLICE} ${endpoint} ${kind}`;
  if (seen[key]) return;
  if (!kept && response.status !== 0) {
    const isFirst = wanted[endpoint] !== __ENV.SLICE;
    wanted[endpoint] = __ENV.SLICE;
    // There may be no other with a body.
    if (!isFirst || what === '') return;
  } else {
    seen[key] = true;
    delete wanted[endpoint];
  }
  const found = {
    slice: __ENV.SLICE,
    endpoint,
    kind,
    what,
    status: response.status,
    headers: headersOf(response),
    body: response.status === 0 ? response.error : textOf(response),
  };
  console.error(`bench-sample ${JSON.stringify(found)}`);
}

function kindOf(response) {
  if (response.status === 0) return CODES[response.error_code] || 'no answer';
  // A good status that is not the one expected.
  if (response.status >= 200 && response.status < 400) return 'wrong answer';
  return STATUSES.includes(response.status) ? `http ${response.status}` : 'http other';
}
