import { type CounterValues, divide, less } from './counter-values.ts';

/** Growth of counters in a window with only their reading and `probes` health checks. */
export interface Window {
  probes: number;
  values: CounterValues;
}

/** Costs of one reading and one health check. */
interface Costs {
  own: CounterValues;
  probe: CounterValues;
}

/** A reading of a service without health checks costs what two windows agree on. */
export function solveReading(windows: readonly Window[]): Costs | null {
  const found = windows.find(({ values }, i) =>
    windows.slice(0, i).some((other) => isSame(other.values, values)),
  );
  return found ? { own: found.values, probe: {} } : null;
}

/**
 * Two windows with different numbers of health checks give both costs, if a third confirms them. Costs are whole numbers:
 * half a query is one of a check that did not come to ask.
 */
export function solveCosts(windows: readonly Window[]): Costs | null {
  for (const a of windows) {
    for (const b of windows.filter(({ probes }) => probes < a.probes)) {
      const probe = divide(less(a.values, b.values), a.probes - b.probes);
      const own = less(a.values, probe, a.probes);
      const isWhole = [...Object.values(own), ...Object.values(probe)].every(
        (value) => Number.isInteger(value) && value >= 0,
      );
      const agrees = ({ probes, values }: Window) => isSame(less(less(values, own), probe, probes), {});
      if (isWhole && windows.filter(agrees).length > 2) return { own, probe };
    }
  }
  return null;
}

function isSame(a: CounterValues, b: CounterValues): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(
    (name) => (a[name] ?? 0) === (b[name] ?? 0),
  );
}
