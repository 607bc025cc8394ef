import { expect, test } from 'vitest';
import { allBut } from './reach.ts';

const toNumber = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

test.each(['10.1.2.3', '255.255.255.255', '0.0.0.0', '192.168.0.1'])(
  'all IPv4 addresses but %s, each once',
  (address) => {
    const networks = allBut(address).filter((network) => !network.includes(':'));
    const ranges = networks.map((network) => {
      const [first = '', length] = network.split('/');
      return { from: toNumber(first), size: 2 ** (32 - Number(length)) };
    });
    expect(ranges.reduce((sum, { size }) => sum + size, 0)).toBe(2 ** 32 - 1);
    const own = toNumber(address);
    const sorted = [...ranges, { from: own, size: 1 }].sort((a, b) => a.from - b.from);
    sorted.reduce((next, { from, size }) => {
      expect(from).toBe(next);
      return from + size;
    }, 0);
  },
);

test('no IPv6 address: in the network of a machine, ::1 is that machine', () => {
  expect(allBut('10.0.0.5').filter((network) => network.includes(':'))).toEqual(['::/0']);
});
