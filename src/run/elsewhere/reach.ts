/** Which addresses k6 may load. Pure. */

/** The load machine itself, too: k6 is in its network, where `::1` is more than the servers. */
const ALL_V6 = '::/0';

/** For k6's option `blacklistIPs`: all networks that do not hold this one IPv4 address. 32 of them are all of the rest. */
export function allBut(address: string): string[] {
  const bits = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const others = Array.from({ length: 32 }, (_, i) => {
    const size = 2 ** (31 - i);
    // The half of the network of the length i that the address is not in.
    const own = Math.floor(bits / size);
    const first = (own % 2 === 0 ? own + 1 : own - 1) * size;
    return `${writeAddress(first)}/${i + 1}`;
  });
  return [...others, ALL_V6];
}

function writeAddress(bits: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
}
