import { expect, test } from 'vitest';
import { findWay } from './way.ts';

const TABLE = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
lan\t00004D0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
mtu eth0 1500
mtu lan 1400
`;

test('the narrowest network counts; beyond a gateway lies a router', () => {
  expect(findWay(TABLE, '10.77.0.1')).toEqual({ hops: 1, mtu: 1400 });
  expect(findWay(TABLE, '10.78.0.1')).toEqual({ hops: 2, mtu: 1500 });
  expect(findWay('', '10.78.0.1')).toEqual({ hops: null, mtu: null });
});
