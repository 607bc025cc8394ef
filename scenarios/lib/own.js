// A script's own load. k6 calls a function of this file, which counts the iterations of the script as other loads count theirs.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import { countRests, whenDone } from './rests.js';
import { watch } from './watch.js';

const started = new Counter('bench_started');
const late = new Counter('bench_late');

/** Lets k6 call ours in each scenario of a script, which it finds as the export `benchOwn`. */
export function throughOurs(scenarios) {
  return Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => {
      const env = { ...scenario.env, BENCH_SCENARIO: name, BENCH_EXEC: scenario.exec || 'default' };
      return [name, { ...scenario, env, exec: 'benchOwn' }];
    }),
  );
}

/** Calls the function of `journey` that the scenario names, and counts it. */
export function countOwn(journey, timeoutMs) {
  const known = {};
  const makeKnown = (scenario) => {
    const iteration = journey[__ENV.BENCH_EXEC || 'default'];
    const { graceMs, ...times } = timesOf(exec.test.options.scenarios, scenario);
    // Otherwise, k6 cuts off requests before their time is over, and none of them is known to be unanswered.
    const isPatient = graceMs >= timeoutMs;
    return { ...times, isPatient, iteration: isPatient ? countRests(iteration) : iteration };
  };
  return (data) => {
    const scenario = __ENV.BENCH_SCENARIO || 'default';
    known[scenario] = known[scenario] || makeKnown(scenario);
    const { iteration, isPatient, endMs, cutMs } = known[scenario];
    // A request that begins later is cut off before its time is over.
    watch.endMs = cutMs - timeoutMs;
    // As many as come to their end, if it is not known.
    if (isPatient) started.add(1);
    const from = Date.now();
    return whenDone(
      () => iteration(data),
      () => {
        const now = Date.now();
        if (!isPatient) started.add(1);
        if (now > endMs) late.add(now > from ? (now - Math.max(from, endMs)) / (now - from) : 1);
      },
    );
  };
}

// As k6 has them.
const GRACE = '30s';
const MOST = '10m';

/** When all load ends, when k6 cuts off what a scenario has under way, and for how long it waits before that, ms. */
function timesOf(scenarios, name) {
  const { startTime, executor, gracefulStop, gracefulRampDown } = scenarios[name];
  const beganMs = exec.scenario.startTime - toMs(startTime || '');
  const graces = [gracefulStop || GRACE, ...(executor === 'ramping-vus' ? [gracefulRampDown || GRACE] : [])];
  const graceMs = executor === 'externally-controlled' ? 0 : Math.min(...graces.map(toMs));
  const all = Object.values(scenarios);
  // Then the end of k6 is that of the load.
  const isOpenEnded = all.some(isCounted);
  return {
    endMs: isOpenEnded ? Number.POSITIVE_INFINITY : beganMs + Math.max(...all.map(endOf)),
    cutMs: beganMs + endOf(scenarios[name]) + graceMs,
    graceMs,
  };
}

function isCounted({ executor }) {
  return /-iterations$/.test(executor);
}

/** When a scenario starts no more iterations, ms after the start of all. */
function endOf(scenario) {
  const { startTime, duration, stages, maxDuration } = scenario;
  const length = isCounted(scenario) ? maxDuration || MOST : duration;
  const parts = stages ? stages.map((stage) => stage.duration) : [length];
  return [startTime || '', ...parts].reduce((sum, part) => sum + toMs(part), 0);
}

const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration as Go writes it: `1m30s`. */
function toMs(text) {
  return [...String(text).matchAll(/([\d.]+)(h|ms|m|s)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * UNITS[unit],
    0,
  );
}
