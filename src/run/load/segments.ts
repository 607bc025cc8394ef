/** Which share of a load one of several generators has, by k6's own execution segments. Pure. */

/**
 * k6's flags for one generator. k6 deals clients and requests of every executor by them, so that all together make what one
 * would, none twice and none missing.
 *
 * @param index from 0
 */
export function segmentFlags(index: number, generators: number): string[] {
  if (generators <= 1) return [];
  const bound = (i: number) => (i === 0 ? '0' : i === generators ? '1' : `${i}/${generators}`);
  const sequence = Array.from({ length: generators + 1 }, (_, i) => bound(i)).join(',');
  return [
    ...['--execution-segment', `${bound(index)}:${bound(index + 1)}`],
    ...['--execution-segment-sequence', sequence],
  ];
}
