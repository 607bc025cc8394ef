import type { ScenarioSummary } from '../../analyse/summary.ts';
import type { ScenarioFacts } from '../../results/results.ts';

/** Meaning of the ±. That of a saturation point has a legend of its own. */
export function intervalLegend({ rows, metric, basis: ranking }: ScenarioSummary): string {
  // CPU per request has a ± of its own beside every ranking.
  const isRamp = metric === 'holds';
  const shown = rows.flatMap((row) => [isRamp ? null : row[metric], row.cpuMsPerRequest]);
  const sign = isRamp ? '± of CPU per request' : '±';
  const basis = new Set(shown.flatMap((estimate) => (estimate ? [estimate.over] : [])));
  const words: string[] = [];
  if (basis.has('instances'))
    words.push(
      `${sign} is the 95 % interval over fresh starts${ranking === 'paired' ? '; verdicts use 99 %' : ''}`,
    );
  if (basis.has('slices')) {
    words.push(
      `${sign} is the 95 % interval over the slices of one start: differences between starts are not in it`,
    );
  }
  const number = isRamp ? 'CPU per request' : 'a number';
  if (basis.has('nothing')) words.push(`${number} without ± was measured once, its spread is not known`);
  return words.join('; ');
}

/** Meaning of `holds`; empty if no variant was loaded with a ramp. */
export function holdsLegend({ rows, bases, facts }: ScenarioSummary): string {
  const found = [...rows, ...bases].flatMap(({ holds }) => (holds ? [holds] : []));
  if (found.length === 0) return '';
  const over = new Set(found.map((limit) => limit.over));
  const sample = over.has('instances') ? 'fresh starts' : over.has('slices') ? 'the ramps of one start' : '';
  const half = sample
    ? `is the 95 % interval over ${sample}, and at least the steps between which it lies`
    : 'are the steps between which it lies';
  const words = [
    `sustained: the highest rate of the ramp that was answered in time${latencyLimitsOf(facts)}; ± ${half}`,
  ];
  const bounds = found.filter(({ kind }) => kind === 'beyond');
  if (bounds.length > 0) {
    words.push(
      bounds.every(({ isWhole }) => isWhole)
        ? '≥ it sustained the whole ramp'
        : '≥ a lower bound: in most starts it sustained the whole ramp, or k6 was the limit or had too few clients (max-vus)',
    );
  }
  return words.join('; ');
}

/** ` with p95 ≤ 200 ms, p99 ≤ 500 ms`: the criteria for latency; empty where there are none. */
export function latencyLimitsOf({ slo: { okRatio: _, checksRatio: __, ...times } }: ScenarioFacts): string {
  const limits = Object.entries(times).map(([key, limit]) => `${key.slice(0, -2)} ≤ ${limit} ms`);
  return limits.length > 0 ? ` with ${limits.join(', ')}` : '';
}

export function hasHolds({ rows, bases }: Pick<ScenarioSummary, 'rows' | 'bases'>): boolean {
  return [...rows, ...bases].some(({ holds }) => holds !== null);
}

export function hasDoubtful({ rows }: ScenarioSummary): boolean {
  return rows.some(({ doubtful }) => doubtful.length > 0);
}

export const DOUBTFUL = 'k6 was busy and probably added more than 10 % to this value';
export const DOUBTFUL_LEGEND = `~ ${DOUBTFUL}`;
