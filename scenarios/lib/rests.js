// Clients of a user's script that wait for no answer, because the script sleeps. At the end of its load k6 cuts off their
// iterations and those that wait for an answer alike, and reports nothing of either. Only the second kind is unanswered.
import { Counter } from 'k6/metrics';
import { watch } from './watch.js';

const resting = new Counter('bench_resting');

const CALLS = ['request', 'get', 'head', 'options', 'post', 'put', 'patch', 'del', 'batch', 'asyncRequest'];
// To count takes k6 8 µs, a tenth of a request. Clients whose iterations are shorter than this do not count, as they hardly sleep.
const SHORT_MS = 100;

// How long the last iteration of this client took. In its first one it counts.
let tookMs = Number.POSITIVE_INFINITY;
let counts = false;
let rests = false;
// Calls under way that began within the slice. Later ones get less than the timeout, so they may be cut off.
let waiting = 0;

function count(isResting) {
  if (isResting === rests) return;
  rests = isResting;
  resting.add(isResting ? 1 : -1);
}

/** Watches all calls of a script. `http`: the default export of k6/http, which all modules of a client share. */
export function watchRests(http) {
  for (const name of CALLS) {
    const call = http[name];
    http[name] = (...given) => (counts && Date.now() < watch.endMs ? wait(call, given) : call(...given));
  }
}

function wait(call, given) {
  waiting++;
  count(false);
  return whenDone(
    () => call(...given),
    () => {
      waiting--;
      count(counts && waiting === 0);
    },
  );
}

/** The same iteration of a script, whose rests are counted in `bench_resting`: +1 where one begins, −1 where it ends. */
export function countRests(iteration) {
  return (data) => {
    const fromMs = Date.now();
    // k6 may have cut off the iteration before, which then has not come to its end.
    waiting = 0;
    rests = false;
    counts = tookMs >= SHORT_MS;
    count(counts);
    return whenDone(
      () => iteration(data),
      () => {
        tookMs = Date.now() - fromMs;
        counts = false;
        count(false);
      },
    );
  };
}

function whenDone(act, then) {
  let result;
  let isPromise = false;
  try {
    result = act();
    isPromise = result && typeof result.then === 'function';
  } finally {
    if (!isPromise) then();
  }
  return isPromise ? result.finally(then) : result;
}
