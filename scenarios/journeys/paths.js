// GETs each path of the scenario in turn; an iteration is one request. Each client begins at a path of its own. For
// each variant it goes on where it was with that one. Otherwise one variant would get the slow pages, and another the
// fast ones.
import exec from 'k6/execution';
import { memory, nameEndpoints, request } from '../lib/bench.js';

const { paths } = JSON.parse(open('../plan.json'));

nameEndpoints(paths);

export default paths.length === 1
  ? () => {
      request(paths[0], paths[0]);
    }
  : () => {
      const mine = memory();
      mine.next = (mine.next === undefined ? exec.vu.idInTest - 1 : mine.next + 1) % paths.length;
      const path = paths[mine.next];
      request(path, path);
    };
