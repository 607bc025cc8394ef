/** Mean of the server's mix in seconds: Σ share × median × e^(σ²/2). */
export const MEAN_S =
  (0.94 * 2 * Math.exp(0.35 ** 2 / 2) + 0.055 * 8 * Math.exp(0.2 ** 2 / 2) + 0.005 * 40) / 1000;

/** A load at a share of the generator's capacity. */
export interface LoadSpec {
  name: string;
  kind: 'const' | 'closed';
  share: number;
  rps: number;
  vus: number;
  reuse: boolean;
}

/**
 * `const:40` or `closed:40`, in percent of the capacity; `const:40:vus=400` has more VUs than the four times rate ×
 * latency that are enough, `const:40:fresh` a new connection for each request.
 */
export function readLoad(text: string, capacity: number): LoadSpec {
  const [kind, percent, ...more] = text.split(':');
  if (kind !== 'const' && kind !== 'closed') throw new Error(`no load: ${text}`);
  const share = Number(percent) / 100;
  const rps = Math.round(share * capacity);
  const given = more.find((word) => word.startsWith('vus='))?.slice(4);
  const needed = Math.max(1, Math.round(rps * MEAN_S * (kind === 'const' ? 4 : 1)));
  return {
    name: text.replaceAll(/[:=]/g, '-'),
    kind,
    share,
    rps,
    vus: given ? Number(given) : needed,
    reuse: !more.includes('fresh'),
  };
}

/** The scenario file. The timeout is far behind the slowest answer, and short, since slices keep it as a distance. */
export function toScenario({ kind, rps, vus, reuse }: LoadSpec, path: string, seconds: number): string {
  return [
    'title: Latency that is known',
    `paths: [${path}]`,
    `load: ${kind === 'const' ? `const(${rps}, ${seconds}s)` : `vus(${vus}, ${seconds}s)`}`,
    ...(kind === 'const' ? [`max-vus: ${vus}`] : []),
    ...(reuse ? [] : ['reuse: false']),
    'timeout: 400ms',
    'warmup: 1s',
    'blocks: 1',
    '',
  ].join('\n');
}
