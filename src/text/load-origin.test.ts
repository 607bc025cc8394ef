import { expect, test } from 'vitest';
import { describeGenerator } from './load-origin.ts';

const known = { name: 'bench-b', share: '1/2:1', roundTripMs: 0.212, hops: 1, mtu: 1500, skewMs: 3 };
const unknown = { roundTripMs: null, hops: null, mtu: null, skewMs: null };

test.each([
  [{}, 'bench-b, share 1/2:1, round trip 0.21 ms, 1 hop, MTU 1500, clock +3.0 ms'],
  // How many routers there are is not known.
  [
    { hops: 2, skewMs: -0.04 },
    'bench-b, share 1/2:1, round trip 0.21 ms, through a router, MTU 1500, clock −0.0 ms',
  ],
  [unknown, 'bench-b, share 1/2:1'],
])('a machine that loads, and what lies between, with %o', (other, text) => {
  expect(describeGenerator({ ...known, ...other })).toBe(text);
});
