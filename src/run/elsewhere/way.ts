/** Route to an address, as far as a machine itself knows it. Pure. */
interface Way {
  /** 1: in the same network. 2: behind a router, where nobody counts them. Null: not known. */
  hops: number | null;
  mtu: number | null;
}

interface Route {
  device: string;
  network: number;
  mask: number;
  gateway: number;
}

/** @param text `/proc/net/route`, and lines `mtu <interface> <bytes>` */
export function findWay(text: string, address: string): Way {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const routes = lines.flatMap(([device = '', network = '', gateway = '', , , , , mask = '']): Route[] =>
    /^[0-9A-F]{8}$/.test(network) && /^[0-9A-F]{8}$/.test(mask)
      ? [{ device, network: readHex(network), gateway: readHex(gateway), mask: readHex(mask) }]
      : [],
  );
  const to = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const [best] = routes
    .filter(({ network, mask }) => (to & mask) >>> 0 === network)
    .sort((a, b) => b.mask - a.mask);
  if (!best) return { hops: null, mtu: null };
  const mtu = lines.find(([kind, name]) => kind === 'mtu' && name === best.device)?.[2];
  return { hops: best.gateway === 0 ? 1 : 2, mtu: Number(mtu) || null };
}

/** The bytes of an address, the last one first. */
function readHex(hex: string): number {
  const bytes = hex.match(/../g) ?? [];
  return bytes.reverse().reduce((sum, byte) => sum * 256 + Number.parseInt(byte, 16), 0);
}
