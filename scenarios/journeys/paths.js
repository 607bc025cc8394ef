// GETs each path of the scenario in turn; an iteration is one request.
import { nameEndpoints, request } from '../lib/bench.js';

const { paths } = JSON.parse(open('../plan.json'));
let next = 0;

nameEndpoints(paths);

export default function () {
  const path = paths[next];
  next = (next + 1) % paths.length;
  request(path, path);
}
