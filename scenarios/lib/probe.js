// Asks servers in the arena, without load: are they there, and what do they answer?
// Reads probe.json: { requests: [{ id, url, host, headers, timeoutMs, until, turn }], hosts, perHost, deadlineMs, limitMs, maxBody }.
// `until: true` asks again until the answer is 200. Each host gets `perHost` requests at once. One turn begins when the one before
// has its answers. Prints the answers as JSON.
import { sleep } from 'k6';
import http from 'k6/http';
import { headersFor, toAnswer } from './answer.js';

const probe = JSON.parse(open('../probe.json'));

// It is ended from outside, before that.
const setupTimeout = `${2 * probe.limitMs}ms`;
export const options = {
  setupTimeout,
  insecureSkipTLSVerify: true,
  hosts: probe.hosts,
  batchPerHost: probe.perHost,
};

export function setup() {
  const answers = {};
  const end = Date.now() + probe.deadlineMs;
  const turns = [...new Set(probe.requests.map(turnOf))].sort((a, b) => a - b);
  for (const turn of turns) {
    let pending = probe.requests.filter((request) => turnOf(request) === turn);
    while (pending.length > 0) {
      const asked = pending;
      const askedMs = Date.now();
      const responses = http.batch(asked.map(toRequest));
      const now = Date.now();
      asked.forEach((request, i) => {
        answers[request.id] = { ...toAnswer(responses[i], probe.maxBody), askedMs, at: now };
      });
      pending = asked.filter((request) => request.until && answers[request.id].status !== 200);
      if (now > end) break;
      if (pending.length > 0) sleep(0.025);
    }
  }
  return answers;
}

const turnOf = ({ turn = 0 }) => turn;

function toRequest({ url, timeoutMs = 0, ...sent }) {
  const headers = headersFor(sent);
  // A jar of its own: cookies know no ports, so those of one variant would be sent to the next.
  const jar = new http.CookieJar();
  const timeout = `${Math.max(10_000, timeoutMs)}ms`;
  return ['GET', url, null, { headers, jar, redirects: 0, timeout, responseType: 'text' }];
}

export default function () {}

export function handleSummary(data) {
  return { stdout: JSON.stringify(data.setup_data) };
}
