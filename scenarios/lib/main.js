// The script that every k6 process runs: slices of load on variants, as plan.json beside it says.
// It wraps the journey (ours or the user's own) so that the statistics of each slice come out of k6 exact and small.

import exec from 'k6/execution';
import { Counter, Gauge } from 'k6/metrics';
import * as journey from '../journey.js';

const plan = JSON.parse(open('../plan.json'));
const started = new Counter('bench_started');
const sliceStart = new Gauge('bench_slice_start');
// The part of each iteration that lay behind the end of its slice: it was not done within the time.
const late = new Counter('bench_late');
const ends = {};
const own = plan.ownScenarios;

export const options = { ...(plan.userOptions ? journey.options || {} : {}) };
delete options.thresholds;
options.discardResponseBodies = plan.userOptions ? options.discardResponseBodies === true : false;
options.noVUConnectionReuse = plan.reuse ? options.noVUConnectionReuse : true;
options.noConnectionReuse = plan.reuse ? options.noConnectionReuse : true;
options.summaryTrendStats = plan.trendStats;
options.setupTimeout = '60s';
options.thresholds = {};

if (own) {
  // The user's script declares its load itself; the whole process is one slice.
  options.tags = { ...(options.tags || {}), slice: plan.slices[0].id };
} else {
  for (const shortcut of ['vus', 'duration', 'iterations', 'stages']) delete options[shortcut];
  options.scenarios = {};
  for (const slice of plan.slices) {
    slice.steps.forEach((step, i) => {
      const common = {
        startTime: `${slice.startMs + step.offsetMs}ms`,
        gracefulStop: `${plan.timeoutMs}ms`,
        exec: 'benchIteration',
        env: {
          BASE_URL: slice.baseUrl,
          SLICE: slice.id,
          TIMEOUT: `${plan.timeoutMs}ms`,
          // Until the end of the slice, not of this step.
          DURATION: slice.durationMs === null ? 'Infinity' : String(slice.durationMs - step.offsetMs),
        },
        tags: { slice: slice.id },
      };
      const vus = step.vus;
      const scenario =
        step.requests !== null
          ? {
              executor: 'shared-iterations',
              vus: Math.min(vus, step.requests),
              iterations: step.requests,
              maxDuration: '30m',
            }
          : step.rps !== null
            ? {
                executor: 'constant-arrival-rate',
                // k6 wants whole numbers: a thousandth of a request per second is fine enough.
                rate: Math.max(1, Math.round(step.rps * 1000)),
                timeUnit: '1000s',
                duration: `${step.durationMs}ms`,
                preAllocatedVUs: vus,
                maxVUs: vus,
              }
            : { executor: 'constant-vus', vus, duration: `${step.durationMs}ms` };
      options.scenarios[`${slice.id}_${i}`] = { ...common, ...scenario };
    });
  }
}

// A threshold that always holds makes k6 keep and export the statistics of those tags.
const keep = (metric, tags, condition) => {
  options.thresholds[`${metric}{${tags}}`] = [condition];
};
for (const slice of plan.slices) {
  const tags = `slice:${slice.id}`;
  keep('http_req_duration', tags, 'max>=0');
  for (const metric of [
    'http_reqs',
    'iterations',
    'bench_started',
    'dropped_iterations',
    'data_received',
    'data_sent',
  ]) {
    keep(metric, tags, 'count>=0');
  }
  keep('http_req_failed', tags, 'rate>=0');
  keep('bench_slice_start', tags, 'value>=0');
  keep('http_req_duration', `${tags},status:0`, 'max>=0');
  for (const name of plan.names) {
    keep('http_req_duration', `${tags},name:${name}`, 'max>=0');
    keep('http_req_failed', `${tags},name:${name}`, 'rate>=0');
    for (const kind of plan.kinds) keep('bench_errors', `${tags},endpoint:${name},kind:${kind}`, 'count>=0');
  }
  for (const status of plan.statuses) keep('http_reqs', `${tags},status:${status}`, 'count>=0');
  if (slice.steps.length > 1) {
    slice.steps.forEach((_, i) => {
      const step = `scenario:${slice.id}_${i}`;
      keep('http_req_duration', step, 'max>=0');
      keep('http_req_failed', step, 'rate>=0');
      keep('dropped_iterations', step, 'count>=0');
    });
  }
}

// What the scenarios of a user's script name.
export * from '../journey.js';
export default journey.default;

export function benchIteration(data) {
  const slice = __ENV.SLICE;
  if (ends[slice] === undefined) {
    const { startTime } = exec.scenario;
    ends[slice] = startTime + Number(__ENV.DURATION);
    sliceStart.add(startTime);
  }
  started.add(1);
  const from = Date.now();
  const result = journey.default(data);
  if (result && typeof result.then === 'function') return result.then(() => countLate(from, ends[slice]));
  countLate(from, ends[slice]);
}

function countLate(from, end) {
  const now = Date.now();
  if (now > end) late.add((now - Math.max(from, end)) / (now - from));
}

export function handleSummary(data) {
  const metrics = {};
  for (const [name, metric] of Object.entries(data.metrics)) metrics[name] = metric.values;
  return { stdout: JSON.stringify({ durationMs: data.state.testRunDurationMs, metrics }) };
}
