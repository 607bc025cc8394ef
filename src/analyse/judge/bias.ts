/**
 * Latency that k6 itself adds, by how busy it is. Measured by bench/latency against a server that logs its own
 * latency, with k6 as a run sets it, at a constant rate. A closed load of the same busy ratio gets less. k6 takes time
 * for what comes at once, so it adds milliseconds, whatever the server takes. As a share they weigh most on fast
 * answers. Means of the rounds, on one core; sorted by busy ratio.
 */
const MEASURED: readonly { busy: number; addedMs: Readonly<Record<BiasPercentile, number>> }[] = [
  { busy: 0.2, addedMs: { 50: 0.11, 90: 0.15, 95: 0.08, 99: 0.14 } },
  { busy: 0.45, addedMs: { 50: 0.14, 90: 0.28, 95: 0.15, 99: 0.26 } },
  { busy: 0.74, addedMs: { 50: 0.23, 90: 0.81, 95: 0.58, 99: 0.63 } },
  { busy: 0.8, addedMs: { 50: 0.23, 90: 0.93, 95: 0.7, 99: 1.01 } },
  { busy: 0.9, addedMs: { 50: 0.37, 90: 2.16, 95: 1.55, 99: 2.65 } },
];

/** More than this share of the truth on top of it makes a figure doubtful. */
export const MAX_BIAS = 0.1;

/** Percentiles of which the bias is known. */
type BiasPercentile = 50 | 90 | 95 | 99;

/**
 * Milliseconds by which a percentile is expected to be above the truth.
 *
 * @param busyRatio share of its CPUs that k6 used, 0…1
 * @returns null where k6 was busier than in any measurement: nothing is known then, but that it is more
 */
export function expectedBias(busyRatio: number, percentile: BiasPercentile): number | null {
  const after = MEASURED.findIndex(({ busy }) => busy >= busyRatio);
  const to = MEASURED[after];
  if (!to) return null;
  const from = MEASURED[after - 1];
  if (!from) return to.addedMs[percentile];
  const share = (busyRatio - from.busy) / (to.busy - from.busy);
  return from.addedMs[percentile] + (to.addedMs[percentile] - from.addedMs[percentile]) * share;
}

/** Has k6 added more than MAX_BIAS of the truth to a measured percentile? Also where nothing is known. */
export function isDoubtful(ms: number, busyRatio: number, percentile: BiasPercentile): boolean {
  const bias = expectedBias(busyRatio, percentile);
  return bias === null || bias > MAX_BIAS * (ms - bias);
}
