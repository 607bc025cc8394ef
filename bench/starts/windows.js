// Loads several servers in windows of time, by turns or all together; plan.json beside it has which and when.

import exec from 'k6/execution';
import http from 'k6/http';

const plan = JSON.parse(open('./plan.json'));
const windows = Object.fromEntries(plan.windows.map((window) => [window.id, window]));

export const options = {
  discardResponseBodies: true,
  summaryTrendStats: ['med'],
  scenarios: {},
  thresholds: {},
};

for (const { id, turnMs, startMs, durationMs, order } of plan.windows) {
  const time = { startTime: `${startMs}ms`, duration: `${durationMs}ms`, gracefulStop: `${plan.gapMs}ms` };
  const load = { executor: 'constant-vus', ...time };
  if (turnMs > 0) {
    options.scenarios[id] = { ...load, vus: plan.vus, exec: 'byTurns', env: { WINDOW: id } };
  }
  // k6 starts scenarios by their names' order, and who begins first keeps its place in the queue for the core.
  if (turnMs === 0) {
    order.forEach((server, place) => {
      const env = { WINDOW: id, SERVER: String(server) };
      options.scenarios[`${id}_${place}`] = { ...load, vus: plan.vus / order.length, exec: 'together', env };
    });
  }
  plan.ports.forEach((_, server) => {
    // A threshold that always holds makes k6 export the statistics of those tags.
    options.thresholds[`http_reqs{window:${id},server:${server}}`] = ['count>=0'];
    options.thresholds[`http_req_failed{window:${id},server:${server}}`] = ['rate>=0'];
  });
}

/** All clients ask one server until its turn is over. */
export function byTurns() {
  const { turnMs, order } = windows[__ENV.WINDOW];
  const turn = Math.floor((Date.now() - exec.scenario.startTime) / turnMs);
  ask(order[Math.min(turn, order.length - 1)]);
}

/** Each server has clients of its own, all at once. */
export function together() {
  ask(Number(__ENV.SERVER));
}

function ask(server) {
  const tags = { window: __ENV.WINDOW, server: String(server), name: 'page' };
  http.get(`http://127.0.0.1:${plan.ports[server]}${plan.path}`, { tags, timeout: '1s' });
}

export function handleSummary({ metrics }) {
  const counts = plan.windows.map(({ id }) =>
    plan.ports.map((_, server) => ({
      requests: metrics[`http_reqs{window:${id},server:${server}}`].values.count,
      failures: metrics[`http_req_failed{window:${id},server:${server}}`].values.passes,
    })),
  );
  return { stdout: JSON.stringify(counts) };
}
