// The plan's blocks and slices as scenarios of k6. All of it runs once, before the load.

import { SLICE_TAG } from './kept-statistics.js';

/** Steps that follow each other at rates of their own are one executor's, so that they share their VUs. */
function groupSteps(steps) {
  const groups = [];
  steps.forEach((step, i) => {
    const last = groups[groups.length - 1];
    if (step.rps !== null && last && last.steps[0].rps !== null) last.steps.push(step);
    else groups.push({ first: i, steps: [step] });
  });
  return groups;
}

function rampOf(steps) {
  const vus = Math.max(...steps.map((step) => step.vus));
  return {
    executor: 'ramping-arrival-rate',
    timeUnit: '1000s',
    startRate: rateOf(steps[0]),
    stages: steps.flatMap((step) => stay(rateOf(step), step.durationMs)),
    preAllocatedVUs: vus,
    maxVUs: vus,
  };
}

// k6 wants whole numbers: a thousandth of a request per second is fine enough.
function rateOf({ rps }) {
  return Math.max(1, Math.round(rps * 1000));
}

function executorOf({ requests, rps, vus }, durationMs) {
  if (requests !== null) {
    // k6 makes at least one iteration. Without requests, main.js does nothing in it.
    const iterations = Math.max(1, requests);
    return {
      executor: 'shared-iterations',
      vus: Math.min(vus, iterations),
      iterations,
      maxDuration: '30m',
    };
  }
  if (rps === null) return { executor: 'constant-vus', vus, duration: `${durationMs}ms` };
  return {
    executor: 'constant-arrival-rate',
    rate: rateOf({ rps }),
    timeUnit: '1000s',
    duration: `${durationMs}ms`,
    preAllocatedVUs: vus,
    maxVUs: vus,
  };
}

/**
 * Whether all of the load is of clients that ask again once they have their answer. A user's script has a process for each
 * slice, and may count its iterations.
 */
export function isClosed(plan) {
  return (
    !plan.userOptions &&
    plan.slices.every(
      ({ steps, durationMs }) =>
        durationMs !== null && steps.length === 1 && steps[0].rps === null && steps[0].requests === null,
    )
  );
}

/** Whether all of the load comes at rates, whatever the answers: the other kind of load whose clients stay the same. */
export function isOpen(plan) {
  return (
    !plan.userOptions &&
    plan.slices.every(({ steps }) => steps.length > 0 && steps.every(({ rps }) => rps !== null))
  );
}

/** The load as blocks: those in turns, and each slice in one piece as a block of one turn. */
export function blocksOf(plan) {
  const whole = plan.slices.filter(({ block }) => block === null);
  const blocks = whole.map(({ id, startMs, durationMs }) => ({
    id,
    startMs,
    turnMs: durationMs,
    order: [id],
  }));
  return [...plan.blocks, ...blocks].sort((a, b) => a.startMs - b.startMs);
}

/**
 * Which clients load which block, by their numbers from 0: `[from, to)`. Those of blocks at the same time are others. With
 * scenarios of their own, k6 would take other VUs for each block. Their kept connections would add up, and a server with a
 * worker for each connection would leave those of the last block without an answer.
 */
export function clientsOf(blocks, slices) {
  const dealt = [];
  for (const block of blocks) {
    const beside = dealt.filter(({ startMs, lengthMs }) => startMs + lengthMs > block.startMs);
    const from = Math.max(0, ...beside.map(({ to }) => to));
    dealt.push({ ...block, from, to: from + slices[block.order[0]].steps[0].vus });
  }
  return dealt;
}

/** When the last block is over. */
export function endOf(blocks) {
  return Math.max(...blocks.map(({ startMs, lengthMs }) => startMs + lengthMs));
}

/** All clients of these blocks. */
export function countClients(schedule) {
  return Math.max(...schedule.map(({ to }) => to));
}

/** One scenario for all blocks of a closed load: its clients know the blocks by the time. */
export function scenarioOfClients(plan, schedule) {
  const [{ startMs }] = schedule;
  return {
    clients: {
      executor: 'constant-vus',
      vus: countClients(schedule),
      startTime: `${startMs}ms`,
      duration: `${endOf(schedule) - startMs}ms`,
      gracefulStop: `${plan.timeoutMs}ms`,
      exec: 'benchTurn',
      env: { TIMEOUT: `${plan.timeoutMs}ms` },
    },
  };
}

/**
 * The blocks of an open load in lanes. Each lane has a rate and clients of its own, for the reason above. Blocks at the same
 * time are in one lane each. Any other block is in all lanes, which share its rate and clients. In a second window of a duet,
 * the first to begin is in the second lane. Behind it, both lanes have had as much load, and still take turns.
 */
export function lanesOf(blocks, slices) {
  const together = blocks.map((block) => blocks.filter((other) => overlap(block, other)));
  const lanes = Array.from({ length: Math.max(...together.map(({ length }) => length)) }, () => []);
  let windows = 0;
  blocks.forEach((block, i) => {
    const { steps } = slices[block.order[0]];
    const place = together[i].indexOf(block);
    if (together[i].length === 1) {
      for (const lane of lanes) lane.push({ ...block, steps, share: 1 / lanes.length });
    } else {
      lanes[(place + windows) % lanes.length].push({ ...block, steps, share: 1 });
      if (place === together[i].length - 1) windows++;
    }
  });
  return lanes;
}

function overlap(one, other) {
  return one.startMs < other.startMs + other.lengthMs && other.startMs < one.startMs + one.lengthMs;
}

/** The load of a lane begins so much later than its scenario. */
export const LEAD_MS = 1;
// Requests that k6 begins late are still sent: it takes 33 ms to activate 1,000 clients (docs/method.md).
const TAIL_MS = 100;
const TAIL_MS_PER_CLIENT = 0.1;

/** One scenario for each lane of an open load: its rate is 0 between the blocks. */
export function scenariosOfLanes(plan, lanes) {
  const scenarios = {};
  const [[{ startMs }]] = lanes;
  lanes.forEach((blocks, lane) => {
    const vus = Math.max(...blocks.map(({ steps, share }) => Math.ceil(steps[0].vus * share)));
    // k6 begins a request where the sum of the rate over time reaches a whole number. This much of the first one is over when
    // the load begins, so that the lanes take turns and usually none of their requests is due when a block ends.
    const over = 1 - (lane + 0.5) / lanes.length;
    const [first, ...stages] = [
      ...stay(Math.round(over * 1e6), LEAD_MS),
      ...stagesOf(blocks, startMs),
      ...stay(0, TAIL_MS + vus * TAIL_MS_PER_CLIENT),
    ];
    scenarios[`lane${lane}`] = {
      executor: 'ramping-arrival-rate',
      timeUnit: '1000s',
      startRate: first.target,
      stages,
      preAllocatedVUs: vus,
      maxVUs: vus,
      startTime: `${startMs}ms`,
      gracefulStop: `${plan.timeoutMs}ms`,
      exec: 'benchTurn',
      env: { LANE: String(lane), TIMEOUT: `${plan.timeoutMs}ms` },
    };
  });
  return scenarios;
}

/** A stage without time jumps to its rate, the one behind it stays there. */
function stay(target, durationMs) {
  return [
    { target, duration: '0s' },
    { target, duration: `${durationMs}ms` },
  ];
}

function stagesOf(blocks, fromMs) {
  let atMs = fromMs;
  return blocks.flatMap(({ startMs, lengthMs, steps, share }) => {
    const pause = stay(0, startMs - atMs);
    atMs = startMs + lengthMs;
    const ofRate = ({ rps, durationMs }) => stay(rateOf({ rps: rps * share }), durationMs);
    return [
      ...pause,
      ...(steps.length > 1 ? steps : [{ ...steps[0], durationMs: lengthMs }]).flatMap(ofRate),
    ];
  });
}

/** Other slices in one piece: one scenario for each executor that they need. */
export function scenariosOfSlices(plan) {
  const scenarios = {};
  for (const slice of plan.slices) {
    for (const { first, steps } of groupSteps(slice.steps)) {
      const { offsetMs, durationMs } = steps[0];
      const common = {
        startTime: `${slice.startMs + offsetMs}ms`,
        gracefulStop: `${plan.timeoutMs}ms`,
        exec: 'benchIteration',
        env: {
          ...(slice.baseUrl === null ? {} : { BASE_URL: slice.baseUrl }),
          SLICE: slice.id,
          TIMEOUT: `${plan.timeoutMs}ms`,
          // Until the end of the slice, not of this step.
          DURATION: slice.durationMs === null ? 'Infinity' : String(slice.durationMs - offsetMs),
          STEP: String(first),
        },
        tags: { [SLICE_TAG]: slice.id },
      };
      const executor = steps.length > 1 ? rampOf(steps) : executorOf(steps[0], durationMs);
      scenarios[`${slice.id}_${first}`] = { ...common, ...executor };
    }
  }
  return scenarios;
}
