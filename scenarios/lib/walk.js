// Goes a journey on one server after the other, without load, to see whether all give the same answers.
// Reads walk.json: { servers: [{ id, url }], host, headers, timeoutMs, hosts, limitMs, maxBody }; the journey is walked.js. Prints the steps as JSON.
import * as journey from '../walked.js';
import { headersFor, toAnswer } from './answer.js';
import { audit, clock, common, endpoints, memories } from './bench.js';

const { servers, host, headers, timeoutMs, hosts, limitMs, maxBody } = JSON.parse(open('../walk.json'));
// One that never comes to some of its endpoints has to end.
const MOST_ROUNDS = 20;

// It is ended from outside, before that.
export const options = { setupTimeout: `${2 * limitMs}ms`, hosts };
Object.assign(common, headersFor({ host, headers }));

export function setup() {
  __ENV.TIMEOUT = `${Math.max(10_000, timeoutMs)}ms`;
  // Long past, so that nobody waits between two steps.
  clock.endMs = 0;
  const steps = {};
  for (const { id, url } of servers) steps[id] = walk(url);
  return steps;
}

/**
 * Makes requests until each endpoint was asked or something went wrong. Returns them in order. If the journey never gets to
 * some endpoints, that is the fault of its last answer that is not 200.
 */
function walk(url) {
  const steps = [];
  const askedMs = Date.now();
  audit.by = {
    sees: (endpoint, response, { verify, expect }) => {
      const rules = { headOnly: verify === 'status', expects: expect !== undefined };
      steps.push({ endpoint, ...rules, answer: { ...toAnswer(response, maxBody), askedMs } });
    },
    blames: (endpoint, kind) => {
      steps.filter((step) => step.endpoint === endpoint).pop().answer.fault = kind;
    },
  };
  __ENV.BASE_URL = url;
  delete memories[url];
  // The same products for all: pages can only be compared with themselves.
  Math.random = makeDice();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    journey.default();
    if (unreachedBy(steps).length === 0 || steps.some(({ answer }) => answer.fault)) return steps;
  }
  const [last] = steps.filter(({ answer }) => answer.status !== 200).slice(-1);
  Object.assign((last || steps[0]).answer, { fault: 'wrong answer', unreached: unreachedBy(steps) });
  return steps;
}

function unreachedBy(steps) {
  return endpoints.filter((name) => steps.every(({ endpoint }) => endpoint !== name));
}

/** Lehmer's generator: small, and the same numbers each time. */
function makeDice() {
  let state = 20000003;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

export default function () {}

export function handleSummary(data) {
  return { stdout: JSON.stringify(data.setup_data) };
}
