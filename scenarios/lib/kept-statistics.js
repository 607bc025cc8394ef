// Which statistics k6 keeps, and by which tags. All of it runs once, before the load.

// k6 prefers the tag of a request to that of its client, so a script must not have these.
export const SLICE_TAG = 'bench_slice';
export const STEP_TAG = 'bench_step';

/** The name of a metric in the summary: `http_reqs{slice:s7}`. */
export function summaryName(metric) {
  return metric.replace('{bench_', '{');
}

const COUNTS = [
  'http_reqs',
  'iterations',
  'bench_started',
  'bench_late',
  'bench_head',
  'bench_resent',
  'dropped_iterations',
  'data_received',
  'data_sent',
];

/**
 * A threshold that is always met makes k6 keep and export the statistics of its tags. `names` are those of endpoints, as
 * requests have them in their tags. `rated` are k6's scenarios that may drop iterations, as those do not have the tags of slices.
 */
export function thresholdsThatKeep(plan, names, rated) {
  const thresholds = {};
  const keep = (metric, tags, condition) => {
    thresholds[`${metric}{${tags}}`] = [condition];
  };
  for (const slice of plan.slices) {
    const tags = `${SLICE_TAG}:${slice.id}`;
    keepSlice(keep, tags, slice);
    if (plan.userOptions) keep('bench_resting', tags, 'count>=0');
    for (const name of names) keepEndpoint(keep, tags, name, slice, plan);
    for (const failure of plan.failures) keep('http_reqs', `${tags},${failure}`, 'count>=0');
    for (const { tag } of plan.labels) {
      keepLatency(keep, `${tags},${tag}`);
      keep('http_req_failed', `${tags},${tag}`, 'rate>=0');
    }
    const steps = slice.steps.length > 1 ? slice.steps.length : 0;
    for (let i = 0; i < steps; i++) keepStep(keep, `${STEP_TAG}:${slice.id}_${i}`);
  }
  for (const name of rated) keep('dropped_iterations', `scenario:${name}`, 'count>=0');
  return thresholds;
}

/** Keeps requests without an answer apart, too: a refused connection took no time, which is no latency. */
function keepLatency(keep, tags) {
  keep('http_req_duration', tags, 'max>=0');
  keep('http_req_duration', `${tags},status:0`, 'max>=0');
}

function keepSlice(keep, tags, { warmup }) {
  keepLatency(keep, tags);
  for (const metric of COUNTS) keep(metric, tags, 'count>=0');
  keep('http_req_failed', tags, 'rate>=0');
  keep('bench_slice_start', tags, 'value>=0');
  keep('bench_last_end', tags, 'value>=0');
  if (warmup) keep('iteration_duration', tags, 'max>=0');
}

function keepEndpoint(keep, tags, name, { checked }, { kinds, otherKinds }) {
  keepLatency(keep, `${tags},name:${name}`);
  keep('http_req_failed', `${tags},name:${name}`, 'rate>=0');
  keep('bench_resent', `${tags},name:${name}`, 'count>=0');
  for (const kind of kinds) keep('bench_errors', `${tags},endpoint:${name},kind:${kind}`, 'count>=0');
  if (checked === null) return;
  keep('bench_read', `${tags},endpoint:${name}`, 'count>=0');
  for (const kind of otherKinds) keep('bench_others', `${tags},endpoint:${name},kind:${kind}`, 'count>=0');
}

function keepStep(keep, step) {
  keepLatency(keep, step);
  keep('http_req_failed', step, 'rate>=0');
  keep('bench_started', step, 'count>=0');
  keep('bench_resent', step, 'count>=0');
  // k6 counts no failure where only the content is wrong.
  keep('bench_errors', `${step},kind:wrong answer`, 'count>=0');
}
