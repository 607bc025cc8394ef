// The k6 script of bench/watch/run. Three copies of scenarios/, of which two lack something, take turns within one
// process. plan.json has the copy for each slice. The complete one comes last, as it changes k6's module.
import { sleep } from 'k6';
import exec from 'k6/execution';
import * as bare from '../bare/lib/main.js';
import * as compared from '../compared/lib/main.js';
import * as full from '../full/lib/main.js';

const copies = { bare, compared, full };
const { blocks, arms, pauseMs } = JSON.parse(open('../full/plan.json'));
const [{ order, turnMs }] = blocks;
const turns = order.map((id) => copies[arms[id]]);
let startMs = null;

export const { options, handleSummary } = full;

export function benchTurn(data) {
  if (startMs === null) startMs = exec.scenario.startTime;
  const atMs = Date.now() - startMs;
  const restMs = turnMs - (atMs % turnMs);
  // Nothing runs at the end of a turn, so that its CPU time and requests are read exactly.
  if (restMs < pauseMs) return sleep(restMs / 1000);
  turns[Math.min(Math.max(0, Math.floor(atMs / turnMs)), turns.length - 1)].benchTurn(data);
}
