import type { ScriptLabel } from '../../config/requests/script-facts.ts';
import type { Scenario } from '../../config/types.ts';
import type { ScriptMetric, ScriptSlice } from '../../results/results.ts';
import type { K6Metric, K6Summary } from '../load/k6.ts';
import type { K6Log } from '../load/k6-log.ts';
import { histogramOf } from './latency.ts';

/** The most checks that are kept, and the most metrics. */
const MOST = 100;
const NAME_CHARACTERS = 500;
const NONE = { count: 0, first: null };

interface Ended {
  summary: K6Summary | null;
  log?: K6Log;
}

/** Why `setup` failed, so that no iteration began; null: it did not fail. */
export function failedSetup({ summary, log }: Ended): string | null {
  const { iterations, bench_load_end: teardown } = summary?.metrics ?? {};
  return (iterations?.count ?? 0) === 0 && teardown === undefined ? (log?.ended ?? null) : null;
}

/** Results of a user's script in the slice of this k6 process. */
export function readScript(ended: Ended, thresholds: readonly { metric: string }[] = []): ScriptSlice {
  const { summary, log } = ended;
  // Those that fail must not be the ones that are left out.
  const checks = (summary?.script?.checks ?? []).toSorted(
    (a, b) => Number(b.fails > 0) - Number(a.fails > 0),
  );
  // Nor those of thresholds, which could not be evaluated without them.
  const judged = new Set(thresholds.map(({ metric }) => metric));
  const metrics = (summary?.script?.metrics ?? []).toSorted(
    (a, b) => Number(judged.has(b.name)) - Number(judged.has(a.name)),
  );
  return {
    checks: checks
      .slice(0, MOST)
      .map((check) => ({ ...check, name: clip(check.name), group: clip(check.group) })),
    metrics: metrics.slice(0, MOST).map(readMetric),
    left: Math.max(0, checks.length - MOST) + Math.max(0, metrics.length - MOST),
    // An exception of the setup ended no iteration.
    thrown: (failedSetup(ended) === null && log?.thrown) || NONE,
    printed: log?.printed ?? NONE,
    aborted: log?.aborted ?? null,
    failed: log?.failed ?? null,
  };
}

function clip(name: string): string {
  return name.slice(0, NAME_CHARACTERS);
}

function readMetric({ name, custom, type, contains, values, histogram: merged }: K6Metric): ScriptMetric {
  const of = (key: string) => values[key] ?? null;
  const none = { passes: null, value: null, min: null, max: null, histogram: [] };
  const base = { name: clip(name), custom, type, contains, ...none };
  switch (type) {
    case 'counter':
      return { ...base, count: values.count ?? 0 };
    case 'rate':
      return { ...base, count: (values.passes ?? 0) + (values.fails ?? 0), passes: values.passes ?? 0 };
    case 'gauge':
      return { ...base, count: 1, value: of('value'), min: of('min'), max: of('max') };
    case 'trend': {
      const count = values.count ?? 0;
      if (count === 0) return { ...base, count };
      // The buckets begin at nothing: what lies below has no place in them.
      const histogram = (values.min ?? 0) >= 0 ? histogramOf(values, merged) : [];
      return { ...base, count, value: of('avg'), min: of('min'), max: of('max'), histogram };
    }
  }
}

/** The requests that have rows of their own: a journey's endpoints, then what a script groups with tags. */
export function rowsOf(summary: K6Summary | null, { script }: Pick<Scenario, 'script'>): ScriptLabel[] {
  const endpoints = (summary?.endpoints ?? []).map((name, i) => ({ name, tag: `name:e${i}` }));
  return [...endpoints, ...(script?.labels ?? [])];
}
