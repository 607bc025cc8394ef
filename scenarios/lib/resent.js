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
// No connection is made within this time, so most requests need no second look.
const SHORTEST_CONNECT_MS = 0.005;
let instance = null;

/** Watches all calls that k6 may repeat. `http`: the default export of k6/http, which all modules of a client share. */
export function watchResent(http) {
  for (const method of ['request', 'get', 'head', 'options']) http[method] = watch(http[method]);
}

function watch(call) {
  return (...args) => {
    // Making this object takes longer than reading from it.
    instance = instance || exec.instance;
    const fromMs = instance.currentTestRunDuration;
    const response = call(...args);
    const { blocked, connecting, sending, waiting, receiving } = response.timings;
    if (connecting === 0 && blocked > SHORTEST_CONNECT_MS && sending >= blocked && isRight(response.status)) {
      const tookMs = instance.currentTestRunDuration - fromMs;
      if (blocked + sending + waiting + receiving > tookMs) resent.add(1, tagsOf(args));
    }
    return response;
  };
}

/** One whose second answer is wrong, too, is counted as that. */
function isRight(status) {
  return status >= 200 && status < 400;
}

/** The parameters are the last argument. */
function tagsOf(args) {
  const { tags } = args[args.length - 1] || {};
  return tags?.name ? { name: tags.name } : {};
}
