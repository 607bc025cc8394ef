// Measures the way from a load generator to the servers, without load: one handshake is one round trip.
// It also prints its clock, for a process that reads the output live.

import { sleep } from 'k6';
import http from 'k6/http';

const { url, host, hosts, blockedIps, times } = JSON.parse(open('../distance.json'));
// Requests stop after this many failures, as each may take its whole timeout.
const MOST_FAILED = 3;
const roundTripsMs = [];
const failed = [];

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
    if (url !== null && failed.length < MOST_FAILED) ask();
    sleep(0.02);
  }
  console.log(`bench-way ${JSON.stringify({ roundTripsMs, failed })}`);
}

function ask() {
  const { status, error, timings } = http.get(url, { headers: { Host: host }, timeout: '5s' });
  if (status === 200) roundTripsMs.push(timings.connecting);
  else failed.push(status === 0 ? error : `HTTP ${status}`);
}

export function handleSummary() {
  return {};
}
