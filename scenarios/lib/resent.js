// Go's HTTP client, and so k6, sends a GET, HEAD or OPTIONS again where a kept connection ends before the answer, and reports
// nothing but the second answer. Any other client sees a reset, so these requests are counted.
//
// The proof is in k6's timings. For such a request `sending` begins with the first attempt, on the kept connection, and
// `blocked` is the wait for the second one's connection: the two overlap. For every other request the parts follow each
// other, so they never add up to more than the call took. A request is counted only where they do: never one too many, but
// one is missed where k6 itself was held up for longer than it takes to connect.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

const resent = new Counter('bench_resent');
/** No connection is made within this time, so most requests need no second look. */
export const SHORTEST_CONNECT_MS = 0.005;
let instance = null;

/** Watches all calls that k6 may repeat. `http`: the default export of k6/http, which all modules of a client share. */
export function watchResent(http) {
  const { request, get, head, options } = http;
  http.request = watch(request);
  // k6 warns of more arguments than they take.
  http.get = watch((url, params) => get(url, params));
  http.head = watch((url, params) => head(url, params));
  http.options = watch(options);
}

// Each call of `watch` is on the way of every request: no more is read, made or passed than it takes (bench/watch).
function watch(call) {
  // At most these four are known to k6; as a list they would take it longer than the request's own timings.
  return (a, b, c, d) => {
    // Making this object takes longer than reading from it.
    instance = instance || exec.instance;
    const fromMs = instance.currentTestRunDuration;
    const response = call(a, b, c, d);
    if (response.timings.blocked > SHORTEST_CONNECT_MS) countResent(response, fromMs, tagsOf(d || c || b));
    return response;
  };
}

/** Counts a request that was sent again. It was begun at `fromMs` of the test's run. */
export function countResent({ status, timings }, fromMs, tags) {
  instance = instance || exec.instance;
  const tookMs = instance.currentTestRunDuration - fromMs;
  if (timings.connecting === 0 && isResent(timings, tookMs) && isRight(status)) resent.add(1, tags);
}

function isResent({ blocked, sending, waiting, receiving }, tookMs) {
  return sending >= blocked && blocked + sending + waiting + receiving > tookMs;
}

/** One whose second answer is wrong, too, is counted as that. */
function isRight(status) {
  return status >= 200 && status < 400;
}

/** The tag `name` from the parameters of a call, which are its last argument. */
function tagsOf(parameters) {
  const name = parameters?.tags?.name;
  return name ? { name } : {};
}
