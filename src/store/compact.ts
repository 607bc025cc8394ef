import { isDeepStrictEqual } from 'node:util';
import type { Histogram, Measurement } from '../results/results.ts';

type Pair = Histogram[number];

/** Above these a bucket or a count is rare. */
const [BUCKETS, COUNTS] = [4096, 256];

/**
 * Measurements as they were, in less memory. Two equal histograms become one. An endpoint that is all of its slice
 * shares the slice's latencies.
 */
export function makeCompactor(): (measurement: Measurement) => Measurement {
  const known: Pair[][] = Array.from({ length: BUCKETS }, () => []);
  const share = (pair: Pair): Pair => {
    const [bucket, count] = pair;
    const pairs = known[bucket];
    if (pairs === undefined || count >= COUNTS) return pair;
    pairs[count] ??= pair;
    return pairs[count];
  };
  return (measurement) => {
    measurement.histogram = measurement.histogram.map(share);
    for (const endpoint of measurement.endpoints) {
      if (!isSame(endpoint.histogram, measurement.histogram)) {
        endpoint.histogram = endpoint.histogram.map(share);
        continue;
      }
      endpoint.histogram = measurement.histogram;
      if (isDeepStrictEqual(endpoint.latency, measurement.latency)) endpoint.latency = measurement.latency;
    }
    return measurement;
  };
}

function isSame(a: Histogram, b: Histogram): boolean {
  return (
    a.length === b.length && a.every(([bucket, count], i) => bucket === b[i]?.[0] && count === b[i]?.[1])
  );
}
