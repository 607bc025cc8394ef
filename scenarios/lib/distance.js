// What lies between a load generator and the servers, without load: one handshake is one round trip.
// It also prints its clock, for whoever reads it as it comes.

import { sleep } from 'k6';
import http from 'k6/http';

const { url, host, hosts, blockedIps, times } = JSON.parse(open('../distance.json'));
const roundTripsMs = [];

export const options = {
  vus: 1,
  iterations: 1,
  noConnectionReuse: true,
  noVUConnectionReuse: true,
  hosts,
  blacklistIPs: blockedIps,
};

export default function () {
  for (let i = 0; i < times; i++) {
    console.log(`bench-clock ${Date.now()}`);
    // Where nothing answers, each would wait for its own timeout.
    if (url !== null && (i < 2 || roundTripsMs.length > 0)) {
      const { status, timings } = http.get(url, { headers: { Host: host }, timeout: '5s' });
      if (status === 200) roundTripsMs.push(timings.connecting);
    }
    sleep(0.02);
  }
  console.log(`bench-round-trips ${JSON.stringify(roundTripsMs)}`);
}

export function handleSummary() {
  return {};
}
