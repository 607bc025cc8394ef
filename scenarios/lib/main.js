// The script that every k6 process runs: slices of load on variants, as planned in plan.json beside it. It wraps the
// journey (ours or the user's own) so that the statistics of each slice come out of k6 exact and small.

import { createdMs } from './created.js';

// The one above comes first: it notes when this client was made.

import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Gauge } from 'k6/metrics';
import * as journey from '../journey.js';
import { headersFor } from './answer.js';
import { clock, common, endpoints } from './bench.js';
import {
  blocksOf,
  clientsOf,
  countClients,
  endOf,
  isClosed,
  isOpen,
  LEAD_MS,
  lanesOf,
  scenarioOfClients,
  scenariosOfLanes,
  scenariosOfSlices,
} from './executors.js';
import { SLICE_TAG, STEP_TAG, summaryName, thresholdsThatKeep } from './kept-statistics.js';
import { watchResent } from './resent.js';
import { countRests, watchRests } from './rests.js';
import { toWatched, watchSlice } from './watch.js';

const plan = JSON.parse(open('../plan.json'));
watchResent(http);
if (plan.userOptions) watchRests(http);
const iteration = plan.userOptions ? countRests(journey.default) : journey.default;
const started = new Counter('bench_started');
const sliceStart = new Gauge('bench_slice_start');
// When `setup` was over, and when the client of `teardown` was made.
const loadStart = new Gauge('bench_load_start');
const loadEnd = new Gauge('bench_load_end');
// The part of each iteration that lay behind the end of its slice: it was not done within the time.
const late = new Counter('bench_late');
// Time of turns, ms, that VUs did not have because a turn before still kept them.
const head = new Counter('bench_head');
// When the last of them was done.
const lastEnd = new Gauge('bench_last_end');
const ends = {};
const slices = {};
for (const slice of plan.slices) slices[slice.id] = slice;
const closed = isClosed(plan);
const atRates = isOpen(plan);
const blocks = (closed || atRates ? blocksOf(plan) : []).map((block) => {
  // Turns of one slice that follow each other are one: what reaches from one into the next is in time.
  const turnStarts = block.order.map((id, turn) => {
    let first = turn;
    while (block.order[first - 1] === id) first--;
    return first * block.turnMs;
  });
  const turnEnds = block.order.map((id, turn) => {
    let last = turn;
    while (block.order[last + 1] === id) last++;
    return (last + 1) * block.turnMs;
  });
  return { ...block, turnStarts, turnEnds, lengthMs: block.order.length * block.turnMs };
});
const schedule = closed ? clientsOf(blocks, slices) : null;
const lanes = atRates ? lanesOf(blocks, slices) : [];
Object.assign(common, headersFor(plan));
const watched = plan.checked.map(toWatched);
const NOTHING_WATCHED = toWatched({});
const own = plan.ownScenarios;
// Later names would have no statistics.
const names = Object.freeze(endpoints).map((_, i) => `e${i}`);

export const options = { ...(plan.userOptions ? journey.options || {} : {}) };
// k6 keeps statistics of what a threshold names; none of them may end the load of one variant before that of another.
const conditions = Object.entries(options.thresholds || {}).map(([metric, all]) => [
  metric,
  all.map((one) => (typeof one === 'string' ? one : one.threshold)),
]);
// Without k6's own tags there are no statistics by them; a script that begins paused never ends.
delete options.systemTags;
delete options.paused;
options.discardResponseBodies = plan.userOptions ? options.discardResponseBodies === true : false;
options.noVUConnectionReuse = plan.reuse ? options.noVUConnectionReuse : true;
options.noConnectionReuse = plan.reuse ? options.noConnectionReuse : true;
options.summaryTrendStats = plan.trendStats;
options.setupTimeout = '60s';
options.teardownTimeout = '60s';
options.hosts = { ...(options.hosts || {}), ...plan.hosts };
options.blacklistIPs = [...(options.blacklistIPs || []), ...plan.blockedIps];
options.thresholds = Object.fromEntries(conditions);

if (own) {
  // The user's script declares its load itself; the whole process is one slice.
  options.tags = { ...(options.tags || {}), [SLICE_TAG]: plan.slices[0].id };
} else {
  for (const shortcut of ['vus', 'duration', 'iterations', 'stages']) delete options[shortcut];
  options.scenarios = closed
    ? scenarioOfClients(plan, schedule)
    : atRates
      ? scenariosOfLanes(plan, lanes)
      : scenariosOfSlices(plan);
}

const rated = own || closed ? [] : Object.keys(options.scenarios);
Object.assign(options.thresholds, thresholdsThatKeep(plan, names, rated));

// Functions that the scenarios of a user's script name.
export * from '../journey.js';
export default journey.default;

// How long such a load takes shows only in the end. In k6's own time two clients are made, which takes as long as the script
// takes to read its files.
const isOpenEnded = plan.slices.some(({ durationMs }) => durationMs === null);

// With several generators the load of all begins at one moment: VUs are there by then, and k6 starts its scenarios behind this.
// k6 takes no `undefined` for it.
const isPrepared = journey.setup !== undefined || plan.startAtMs !== null || isOpenEnded;
export const setup = isPrepared ? setUpAndWait : () => undefined;

function setUpAndWait() {
  if (journey.setup === undefined) return beginLoad();
  // The requests of a setup belong to no slice.
  exec.vu.metrics.tags[SLICE_TAG] = 'none';
  const data = journey.setup();
  if (data && typeof data.then === 'function') {
    return data.then((found) => {
      beginLoad();
      return found;
    });
  }
  beginLoad();
  return data;
}

function beginLoad() {
  if (plan.startAtMs !== null) sleep(Math.max(0, plan.startAtMs - Date.now()) / 1000);
  loadStart.add(Date.now());
}

export const teardown = journey.teardown === undefined && !isOpenEnded ? () => undefined : tearDown;

function tearDown(data) {
  loadEnd.add(createdMs);
  if (journey.teardown === undefined) return;
  exec.vu.metrics.tags[SLICE_TAG] = 'none';
  return journey.teardown(data);
}

// By the environment of their scenario. To ask k6 takes as long as a fifth of a request.
const startTimes = {};
function startTimeOf(scenario) {
  if (startTimes[scenario] === undefined) startTimes[scenario] = exec.scenario.startTime;
  return startTimes[scenario];
}

export function benchIteration(data) {
  const slice = __ENV.SLICE;
  const now = Date.now();
  const { steps } = slices[slice];
  if (steps[0].requests === 0) return;
  if (ends[slice] === undefined) {
    const { startTime } = exec.scenario;
    ends[slice] = startTime + Number(__ENV.DURATION);
    sliceStart.add(startTime);
  }
  if (steps.length > 1) {
    const first = Number(__ENV.STEP);
    tagStep(slice, steps, first, now - startTimeOf(`${slice}_${first}`));
  }
  return iterate(data, slices[slice], ends[slice], now);
}

/** k6 forgets tags where it forgets changes of the environment: when the client goes to another scenario. */
function tagStep(slice, steps, first, sinceMs) {
  const step = `${slice}_${stepAt(steps, first, sinceMs)}`;
  if (__ENV.TAGGED === step) return;
  __ENV.TAGGED = step;
  exec.vu.metrics.tags[STEP_TAG] = step;
}

function tagNoStep() {
  delete __ENV.TAGGED;
  delete exec.vu.metrics.tags[STEP_TAG];
}

/** Which step of a slice it is, so long after the executor which began with `first` started. */
function stepAt(steps, first, sinceMs) {
  const nowMs = steps[first].offsetMs + sinceMs;
  let i = first;
  while (i + 1 < steps.length && steps[i].rps !== null && steps[i + 1].rps !== null) {
    if (nowMs < steps[i + 1].offsetMs) break;
    i++;
  }
  return i;
}

// The block that this client is in until `endMs`, and whose turn was last.
const here = { block: null, startTime: 0, endMs: 0, slice: null };

// The lane of this client: its number is slow to read.
let lane = null;

/** An open load: the last block of this lane that has begun. It ends with the next one, so that no request is of none. */
function enterBegun(now) {
  if (lane === null) lane = __ENV.LANE;
  const beganMs = startTimeOf(`lane${lane}`) + LEAD_MS - lanes[0][0].startMs;
  const mine = lanes[lane];
  let i = 0;
  while (i + 1 < mine.length && beganMs + mine[i + 1].startMs <= now) i++;
  const next = mine[i + 1];
  Object.assign(here, {
    block: mine[i],
    startTime: beganMs + mine[i].startMs,
    endMs: next ? beganMs + next.startMs : Number.POSITIVE_INFINITY,
    slice: null,
  });
}

/**
 * Waits for the next block of a closed load in which this client takes part, or for the end of all. It is an iteration of its
 * own, of no slice, so that its time is not that of a request.
 */
function waitForBlock(now) {
  const beganMs = startTimeOf('clients') - schedule[0].startMs;
  const client = (exec.vu.idInTest - 1) % countClients(schedule);
  const isAhead = ({ startMs, lengthMs, from, to }) =>
    from <= client && client < to && beganMs + startMs + lengthMs > now;
  const block = schedule.find(isAhead);
  const untilMs = beganMs + (block ? block.startMs : endOf(schedule));
  if (block) Object.assign(here, { block, startTime: untilMs, endMs: untilMs + block.lengthMs, slice: null });
  exec.vu.metrics.tags[SLICE_TAG] = 'none';
  sleep(Math.max(0, untilMs - now) / 1000);
}

// An iteration belongs to the slice whose turn it is when it begins.
export function benchTurn(data) {
  const from = Date.now();
  if (from >= here.endMs) {
    if (closed) return waitForBlock(from);
    enterBegun(from);
  }
  const { block, startTime } = here;
  const atMs = from - startTime;
  const turn = Math.floor(atMs / block.turnMs);
  const last = block.order.length - 1;
  const now = Math.min(Math.max(turn, 0), last);
  const slice = block.order[now];
  if (here.slice !== slice) {
    here.slice = slice;
    __ENV.SLICE = slice;
    if (slices[slice].baseUrl !== null) __ENV.BASE_URL = slices[slice].baseUrl;
    exec.vu.metrics.tags[SLICE_TAG] = slice;
    if (__ENV.TAGGED !== undefined) tagNoStep();
  }
  // An open load begins its requests on time, whatever the turn before does.
  if (closed) countHead(block, now, atMs);
  else if (slices[slice].steps.length > 1) tagStep(slice, slices[slice].steps, 0, atMs);
  if (ends[slice] === undefined) {
    ends[slice] = startTime + block.lengthMs;
    sliceStart.add(startTime);
  }
  return iterate(data, slices[slice], closed ? startTime + block.turnEnds[now] : ends[slice], from);
}

// When the turn ended in which this VU last began something, from the start of that block.
const left = { block: null, atMs: 0 };

/** Counts time that this VU missed: the beginning of this turn, and whole turns that one long request has taken. */
function countHead(block, now, atMs) {
  if (left.block !== block.id) Object.assign(left, { block: block.id, atMs: 0 });
  if (left.atMs > block.turnStarts[now]) return;
  while (left.atMs < block.turnStarts[now]) {
    const missed = Math.round(left.atMs / block.turnMs);
    head.add(block.turnEnds[missed] - left.atMs, { [SLICE_TAG]: block.order[missed] });
    left.atMs = block.turnEnds[missed];
  }
  head.add(Math.max(0, atMs - block.turnStarts[now]));
  left.atMs = block.turnEnds[now];
}

// This client's, in which it began its last iteration.
let current = null;

function iterate(data, slice, turnEnd, from) {
  const sliceEnd = ends[slice.id];
  clock.endMs = sliceEnd;
  clock.baseUrl = slice.baseUrl;
  started.add(1);
  if (slice !== current) enter(slice);
  if (from >= clock.nextMs) clock.due = true;
  const result = iteration(data);
  if (result && typeof result.then === 'function')
    return result.then(() => countLate(from, turnEnd, sliceEnd));
  countLate(from, turnEnd, sliceEnd);
}

function enter(slice) {
  current = slice;
  watchSlice(slice.checked === null ? NOTHING_WATCHED : watched[slice.checked], slice.steps[0].vus);
}

function countLate(from, turnEnd, sliceEnd) {
  const now = Date.now();
  // One that began behind the end and took less than a millisecond is late as a whole.
  if (now > turnEnd) late.add(now > from ? (now - Math.max(from, turnEnd)) / (now - from) : 1);
  if (now > sliceEnd) lastEnd.add(now);
}

export function handleSummary(data) {
  const metrics = {};
  for (const [name, { values }] of Object.entries(data.metrics)) {
    // Each has hundreds of percentiles, and most slices have no request without an answer.
    if (values.count !== 0 || !name.endsWith(',status:0}')) metrics[summaryName(name)] = values;
  }
  // To k6, `setup` and `teardown` are parts of the test.
  const { bench_load_start: begun, bench_load_end: over } = data.metrics;
  const nowMs = Date.now();
  const endedMs = over?.values.value ?? nowMs;
  const toEndMs = data.state.testRunDurationMs - (nowMs - endedMs);
  const beganMs = plan.startAtMs === null ? begun?.values.value : plan.startAtMs;
  const durationMs = beganMs ? Math.max(0, Math.min(toEndMs, endedMs - beganMs)) : toEndMs;
  const script = plan.userOptions
    ? { checks: checksOf(data.root_group), metrics: scriptMetrics(data) }
    : null;
  const segment = exec.test.options.executionSegment || null;
  // In a cluster, anybody can change the site of a test run.
  const baseUrl = __ENV.BASE_URL || null;
  const summary = { durationMs, endedMs, endpoints, segment, baseUrl, metrics, script };
  // With its line break: in the log of a pod, an error of k6 follows on the same line otherwise.
  return { stdout: `${JSON.stringify(summary)}\n` };
}

/** Every check of a group and the groups in it. */
function checksOf({ path, checks, groups }) {
  const own = checks.map(({ name, passes, fails }) => ({ name, group: path, passes, fails }));
  return groups.reduce((all, group) => all.concat(checksOf(group)), own);
}

// Metrics of k6 and of this tool, beside those of a script.
const BUILT_IN =
  /^(bench_|browser_|grpc_|http_reqs?(_|$)|ws_|(checks|data_received|data_sent|dropped_iterations|group_duration|iteration_duration|iterations|vus|vus_max)$)/;

/** The script's own metrics, and what its thresholds are about. */
function scriptMetrics({ metrics }) {
  const judged = conditions.map(([metric]) => metric);
  return Object.entries(metrics).flatMap(([name, { type, contains, values }]) => {
    const custom = !name.includes('{') && !BUILT_IN.test(name);
    return custom || judged.includes(name) ? [{ name, custom, type, contains, values }] : [];
  });
}
