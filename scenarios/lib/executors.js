// The plan's blocks and slices as scenarios of k6. All of it runs once, before the load.

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
    // A stage without time jumps to its rate, the one behind it stays there.
    stages: steps.flatMap((step) => [
      { target: rateOf(step), duration: '0s' },
      { target: rateOf(step), duration: `${step.durationMs}ms` },
    ]),
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
    return {
      executor: 'shared-iterations',
      vus: Math.min(vus, requests),
      iterations: requests,
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

/** A closed load as blocks: those in turns, and each slice in one piece as a block of one turn. */
export function blocksOfClosed(plan) {
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

/** Slices of an open load that take turns: one scenario for the whole block. */
export function scenariosOfBlocks(plan, slices, blocks) {
  const scenarios = {};
  for (const block of plan.blocks) {
    const { steps } = slices[block.order[0]];
    scenarios[block.id] = {
      startTime: `${block.startMs}ms`,
      gracefulStop: `${plan.timeoutMs}ms`,
      exec: 'benchTurn',
      env: { BLOCK: block.id, TIMEOUT: `${plan.timeoutMs}ms` },
      ...executorOf(steps[0], blocks[block.id].lengthMs),
    };
  }
  return scenarios;
}

/** Other slices in one piece: one scenario for each executor that they need. */
export function scenariosOfSlices(plan) {
  const scenarios = {};
  for (const slice of plan.slices) {
    if (slice.block !== null) continue;
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
        tags: { slice: slice.id },
      };
      const executor = steps.length > 1 ? rampOf(steps) : executorOf(steps[0], durationMs);
      scenarios[`${slice.id}_${first}`] = { ...common, ...executor };
    }
  }
  return scenarios;
}
